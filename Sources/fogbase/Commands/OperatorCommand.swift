import HTTP
import RecordModel
import RecordWire

/// One of the operator's commands, with its connection to the HTTP interface.
struct OperatorCommand {
    let name: String
    let arguments: Arguments
    let way: Operator

    /// Executes `admin …`, `users …`, `roles …`, `keys …`, `access explain`, `changes`, `jobs …`, `schema …` or
    /// `audit`.
    ///
    /// - Throws: `Failure` with the reason.
    static func run(_ command: Command, _ arguments: Arguments, _ configuration: Configuration) throws(Failure)
        -> ExitCode
    {
        // A file with a mistake needs no database.
        if command.name.hasPrefix("schema ") { try SchemaCommand.checkFile(arguments) }
        let way = try Operator(configuration)
        let own = OperatorCommand(name: command.name, arguments: arguments, way: way)
        do throws(Failure) {
            switch command.name.prefix(while: { $0 != " " }) {
            case "admin": try own.administrators()
            case "users": try own.users()
            case "roles": try own.roles()
            case "keys": try own.keys()
            case "access": try own.explain()
            case "changes": try ChangesCommand(command: own).run()
            case "jobs": try JobsCommand(command: own).run()
            case "schema": try SchemaCommand(command: own).run()
            case "import": return try ImportFileCommand(command: own).run()
            case "export": try ExportCommand(command: own).run()
            default: try own.audit()
            }
        } catch {
            way.close()
            throw error
        }
        way.close(finishesRemovals: ["users remove", "schema reset"].contains(command.name))
        return .success
    }

    // MARK: Shared parts

    static let json = CommandOption(flag: "--json", placeholder: nil, help: "print JSON")

    var wantsJSON: Bool { arguments.options[Self.json.flag] != nil }

    /// Returns the comma-separated items of an option; `nil` if the option is absent.
    func list(_ flag: String) -> [String]? {
        arguments.options[flag].map { text in
            text.split(separator: ",").map { String($0.trimmed) }.filter { !$0.isEmpty }
        }
    }

    /// Returns the duration in an option in whole seconds; `nil` if the option is absent.
    ///
    /// - Throws: `Failure` with code `usage` for an invalid duration.
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

    /// Prints rows as a table. If there is only the header, prints the header.
    static func print(_ rows: [[String]]) {
        for line in Terminal.table(rows) { Terminal.say(line) }
    }

    /// Validates input by the engine's rules before anything is opened or sent.
    ///
    /// - Throws: `Failure` with the reason of the engine's error.
    func check<Value>(_ body: () throws(RecordError) -> Value) throws(Failure) -> Value {
        do { return try body() } catch { throw Failure(error.reason + ".") }
    }
}

extension JSONValue {
    /// Returns the text of a member; empty if the member is missing or not a text.
    func text(_ key: String) -> String { self[key]?.string ?? "" }

    /// Returns the texts of a list member, separated by commas.
    func words(_ key: String) -> String {
        (self[key]?.array ?? []).compactMap(\.string).joined(separator: ", ")
    }
}
