import HTTP
import RecordModel
import RecordWire

/// One command of the operator's, with its way to the interface.
struct OperatorCommand {
    let name: String
    let arguments: Arguments
    let way: Operator

    /// Runs `admin …`, `users …`, `roles …`, `keys …`, `access explain` or `audit`.
    static func run(_ command: Command, _ arguments: Arguments, _ configuration: Configuration) throws(Failure)
        -> ExitCode
    {
        let way = try Operator(configuration)
        let own = OperatorCommand(name: command.name, arguments: arguments, way: way)
        do throws(Failure) {
            switch command.name.prefix(while: { $0 != " " }) {
            case "admin": try own.administrators()
            case "users": try own.users()
            case "roles": try own.roles()
            case "keys": try own.keys()
            case "access": try own.explain()
            default: try own.audit()
            }
        } catch {
            way.close()
            throw error
        }
        way.close(finishesRemovals: command.name == "users remove")
        return .success
    }

    // MARK: What several commands share

    static let json = CommandOption(flag: "--json", placeholder: nil, help: "print JSON")

    var wantsJSON: Bool { arguments.options[Self.json.flag] != nil }

    /// The members of an option with commas between; `nil` if it is not given.
    func list(_ flag: String) -> [String]? {
        arguments.options[flag].map { text in
            text.split(separator: ",").map { String($0.trimmed) }.filter { !$0.isEmpty }
        }
    }

    /// A time in whole seconds; `nil` if it is not given.
    func seconds(_ flag: String) throws(Failure) -> Int64? {
        guard let text = arguments.options[flag] else { return nil }
        if text == "0" { return 0 }
        guard let time = DurationText.parse(text), time.components.seconds > 0 || text.hasPrefix("0") else {
            throw .usage("\(flag) is '\(text)'; it must be a time such as 90d, 12h or 30m, or 0.")
        }
        return time.components.seconds
    }

    func number(_ flag: String) throws(Failure) -> Int? {
        guard let text = arguments.options[flag] else { return nil }
        guard let number = text.asNumber, number > 0 else {
            throw .usage("\(flag) is '\(text)'; it must be a number of at least 1.")
        }
        return number
    }

    static func print(_ value: JSONValue) {
        Terminal.say(String(decoding: value.bytes, as: UTF8.self))
    }

    /// Rows below their heads; only the heads if there are none.
    static func print(_ rows: [[String]]) {
        for line in Terminal.table(rows) { Terminal.say(line) }
    }

    /// Checks by the engine's own rule what is typed, before anything is opened, made or sent.
    func check<Value>(_ body: () throws(RecordError) -> Value) throws(Failure) -> Value {
        do { return try body() } catch { throw Failure(error.reason + ".") }
    }
}

extension JSONValue {
    /// The text of a member; empty if there is none.
    func text(_ key: String) -> String { self[key]?.string ?? "" }

    /// The texts of a list, with commas between.
    func words(_ key: String) -> String {
        (self[key]?.array ?? []).compactMap(\.string).joined(separator: ", ")
    }
}
