import Glibc
import HTTP
import RecordEngine
import RecordModel
import RecordStorage
import RecordWire

/// The way of the operator's commands to the interface. While a server runs on the data folder, requests go to it by HTTP,
/// with the address and the token that it has left for its operator; while none runs, the same requests are answered in
/// this process. Either way the same routes decide, answer and write the audit log.
final class Operator {
    private enum Way {
        case server(OperatorChannel)
        case files(StoppedServer?)
    }

    private let settings: Settings
    private var way: Way
    /// Which database is meant, for a server that may have another default; what nobody has said is left to it.
    private let scope: [(name: String, value: String)]

    /// Seconds that a server may take: it may be busy hashing others' passwords.
    private static let patience = 60

    /// Finds the way, and opens nothing yet. Only a server makes a database: a command that did would answer a slip in a
    /// container's name with an account or a key that no server ever looks at.
    ///
    /// - Throws: A sentence if there is no way, or nothing to work on.
    init(_ configuration: Configuration) throws(Failure) {
        settings = configuration.settings
        var scope: [(String, String)] = []
        if configuration.source(of: "data.containers") != .standard
            || configuration.source(of: "data.container") != .standard
        {
            scope.append(("container", settings.requestContainer))
        }
        if configuration.source(of: "data.environment") != .standard {
            scope.append(("environment", settings.environment.rawValue))
        }
        self.scope = scope
        if let channel = try OperatorChannel.find(in: settings.dataPath) {
            way = .server(channel)
            return
        }
        way = .files(nil)
        let id = try DatabaseSetup.defaultDatabase(settings)
        let folder = settings.dataPath + "/" + id.container.text + "/" + id.environment.rawValue
        var status = stat()
        let isThere = stat(settings.dataPath, &status) == 0
        guard DataFolder.size(of: DataFolder.databasePath(in: folder)) > 0 else {
            let known = Self.databases(in: settings.dataPath)
            throw Failure(
                known.isEmpty
                    ? "There is no database in \(folder) yet, and none in \(settings.dataPath): set another directory with --data, or let 'fogbase serve' create it."
                    : "There is no database in \(folder). \(settings.dataPath) has \(known.joined(separator: " and ")). Select one with --container and --environment. Only 'fogbase serve' creates a new one."
            )
        }
        guard !isThere || status.st_uid == geteuid() else {
            throw Failure(
                "The data directory \(settings.dataPath) belongs to user \(status.st_uid). Run the command as that user: the server could not read the files of other users."
            )
        }
    }

    /// The databases of a data folder, such as `Forum (development, production)`.
    private static func databases(in path: String) -> [String] {
        FolderInspection.folders(in: path).sorted().compactMap { container in
            let environments = FolderInspection.folders(in: path + "/" + container).sorted().filter {
                DataFolder.size(of: DataFolder.databasePath(in: "\(path)/\(container)/\($0)")) > 0
            }
            return environments.isEmpty ? nil : "\(container) (\(environments.joined(separator: ", ")))"
        }
    }

    /// Sends a request and returns the body of the answer; null if it has none.
    ///
    /// - Parameters:
    ///   - path: With its segments encoded.
    ///   - isOfServer: The request is about the server as a whole, and names no database.
    ///   - token: Of somebody else than the operator.
    /// - Throws: The reason of a refusal, or why there was no answer.
    @discardableResult
    func ask(
        _ method: HTTPMethod, _ path: String, query: [(String, String)] = [], body: JSONValue? = nil,
        isOfServer: Bool = false, token: String? = nil
    ) throws(Failure) -> JSONValue {
        let answer = try answer(method, path, query: query, body: body, isOfServer: isOfServer, token: token)
        guard answer.isSuccess else { throw answer.refusal }
        return answer.value
    }

    /// An answer, also one that is a refusal.
    struct Answer {
        let status: Int
        let value: JSONValue
        /// What is said of it to the operator if it is no success.
        let refusal: Failure

        var isSuccess: Bool { (200...299).contains(status) }
    }

    /// As `ask`, for those who go on with a refusal.
    ///
    /// - Parameter ifAbsent: With `If-None-Match: *`: 412 if what is named is there.
    /// - Throws: Why there was no answer.
    func answer(
        _ method: HTTPMethod, _ path: String, query: [(String, String)] = [], body: JSONValue? = nil,
        isOfServer: Bool = false, token: String? = nil, ifAbsent: Bool = false
    ) throws(Failure) -> Answer {
        let query = query + (isOfServer ? [] : scope)
        let pairs = query.map { "\($0.0)=\(PathSegment.encode($0.1))" }.joined(separator: "&")
        let target = pairs.isEmpty ? path : "\(path)?\(pairs)"
        let answer = try send(method, target, body?.bytes, token, ifAbsent: ifAbsent)
        let value = answer.body.isEmpty ? .null : try? JSONValue.parse(answer.body)
        guard let value else {
            throw Failure("The response to \(method.text) \(path) is not JSON: status \(answer.status).")
        }
        if answer.status == 401, case .server(let channel) = way {
            throw Failure(
                "The server at \(channel.places.first?.description ?? "") rejects the token of \(OperatorChannel.path(in: settings.dataPath)): it is not the server of \(settings.dataPath), or it was just restarted. Try again in a moment."
            )
        }
        let refusal = Failure(
            Self.sentence(value["reason"]?.string ?? "The status of \(method.text) \(path) was \(answer.status)"))
        return Answer(status: answer.status, value: value, refusal: refusal)
    }

    private static func sentence(_ reason: String) -> String {
        reason.hasSuffix(".") || reason.hasSuffix("?") ? reason : reason + "."
    }

    private func send(
        _ method: HTTPMethod, _ target: String, _ body: [UInt8]?, _ token: String?, ifAbsent: Bool
    ) throws(Failure) -> LocalHTTP.Answer {
        do {
            switch way {
            case .server(let channel):
                return try Self.send(
                    method, target, body, token: token ?? channel.token, ifAbsent: ifAbsent, to: channel)
            case .files(let opened):
                let server = try opened ?? StoppedServer(settings)
                way = .files(server)
                guard let answer = server.answer(method, target, body: body, token: token, ifAbsent: ifAbsent) else {
                    throw Failure("'\(target)' is not a valid request target.")
                }
                return answer
            }
        } catch let failure as Failure {
            throw failure
        } catch {
            throw Failure("\(error)")
        }
    }

    private static func send(
        _ method: HTTPMethod, _ target: String, _ body: [UInt8]?, token: String, ifAbsent: Bool,
        to channel: OperatorChannel
    ) throws -> LocalHTTP.Answer {
        var lines = [
            "\(method.text) \(target) HTTP/1.1", "Host: \(channel.host)", "Authorization: Bearer \(token)",
            "Connection: close",
        ]
        if ifAbsent { lines.append("If-None-Match: *") }
        if let body { lines += ["Content-Type: application/json", "Content-Length: \(body.count)"] }
        return try LocalHTTP.send(to: channel.places, lines: lines, body: body ?? [], patience: patience)
    }

    /// Lets go of the files, if there were any to open.
    func close(finishesRemovals: Bool = false) {
        guard case .files(let opened?) = way else { return }
        opened.close(finishesRemovals: finishesRemovals)
        way = .files(nil)
    }

    // MARK: Lists

    /// All members of a list that comes in pages.
    func all(_ path: String, _ key: String) throws(Failure) -> [JSONValue] {
        var members: [JSONValue] = []
        var cursor: String?
        repeat {
            let page = try ask(.get, path, query: cursor.map { [("cursor", $0)] } ?? [])
            members += page[key]?.array ?? []
            cursor = page["cursor"]?.string
        } while cursor != nil
        return members
    }
}
