import Glibc
import HTTP
import RecordEngine
import RecordModel
import RecordStorage
import RecordWire

/// The connection of the operator's commands to the HTTP interface.
///
/// While a server uses the data directory, requests go to that server over HTTP, with the address and the token that it
/// has stored for the operator. Otherwise, this process handles the same requests itself. In both cases, the same
/// routes authorize, respond and write the audit log.
final class Operator {
    private enum Way {
        case server(OperatorChannel)
        case files(StoppedServer?)
    }

    private let settings: Settings
    private var way: Way
    /// The scope parameters of each request. They are needed because the server may have another default. A scope
    /// setting that was not given is omitted, and the server uses its default.
    private let scope: [(name: String, value: String)]

    /// The maximum time to wait for the server in seconds. The server may be busy with password hashing.
    private static let maxWait = 60

    /// Finds the server or the data directory without opening anything.
    ///
    /// Only a server creates a database. If commands did, a misspelled container name would create an account or a key
    /// that no server ever uses.
    ///
    /// - Throws: `Failure` if the server cannot be reached, or if there is no database.
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
        let directory = settings.dataPath + "/" + id.container.text + "/" + id.environment.rawValue
        var status = stat()
        let isThere = stat(settings.dataPath, &status) == 0
        guard DataDirectory.size(of: DataDirectory.databasePath(in: directory)) > 0 else {
            let known = Self.databases(in: settings.dataPath)
            throw Failure(
                known.isEmpty
                    ? "There is no database in \(directory) yet, and none in \(settings.dataPath): set another directory with --data, or let 'fogbase serve' create it."
                    : "There is no database in \(directory). \(settings.dataPath) has \(known.joined(separator: " and ")). Select one with --container and --environment. Only 'fogbase serve' creates a new one."
            )
        }
        guard !isThere || status.st_uid == geteuid() else {
            throw Failure(
                "The data directory \(settings.dataPath) belongs to user \(status.st_uid). Run the command as that user: the server could not read the files of other users."
            )
        }
    }

    /// Returns descriptions of the databases in a data directory, such as `Forum (development, production)`.
    private static func databases(in path: String) -> [String] {
        DirectoryInspection.directories(in: path).sorted().compactMap { container in
            let environments = DirectoryInspection.directories(in: path + "/" + container).sorted().filter {
                DataDirectory.size(of: DataDirectory.databasePath(in: "\(path)/\(container)/\($0)")) > 0
            }
            return environments.isEmpty ? nil : "\(container) (\(environments.joined(separator: ", ")))"
        }
    }

    /// Sends a request and returns the JSON body of the response; null if the response has no body.
    ///
    /// - Parameters:
    ///   - path: The path with percent-encoded segments.
    ///   - isOfServer: Whether the request concerns the whole server. Such a request names no database.
    ///   - token: A token to use instead of the operator's token.
    /// - Throws: `Failure` with the reason of an error response, or if no response arrived.
    @discardableResult
    func ask(
        _ method: HTTPMethod, _ path: String, query: [(String, String)] = [], body: JSONValue? = nil,
        isOfServer: Bool = false, token: String? = nil
    ) throws(Failure) -> JSONValue {
        let response = try respond(method, path, query: query, body: body, isOfServer: isOfServer, token: token)
        guard response.isSuccess else { throw response.rejection }
        return response.value
    }

    /// A response from the interface, which may be an error response.
    struct Response {
        let status: Int
        let value: JSONValue
        /// The failure to report if the response is an error.
        let rejection: Failure

        var isSuccess: Bool { (200...299).contains(status) }
    }

    /// Sends a request and returns the response, whatever its status is. In contrast, `ask` throws for an error status.
    ///
    /// - Parameter ifAbsent: Whether to send `If-None-Match: *`. If the resource exists, the status is then 412.
    /// - Throws: `Failure` if no response arrived.
    func respond(
        _ method: HTTPMethod, _ path: String, query: [(String, String)] = [], body: JSONValue? = nil,
        isOfServer: Bool = false, token: String? = nil, ifAbsent: Bool = false
    ) throws(Failure) -> Response {
        var request = OperatorRequest(method, path, body: body?.bytes, token: token)
        request.ifAbsent = ifAbsent
        return try decoded(try exchange(request, query: query + (isOfServer ? [] : scope)), to: request)
    }

    /// Sends a request to one environment, and returns the body of the response, which need not be JSON.
    ///
    /// - Parameter environment: The environment; `nil` for that of the settings.
    /// - Throws: `Failure` with the reason of an error response, or if no response arrived.
    func exchange(
        _ request: OperatorRequest, query: [(String, String)] = [], in environment: RecordEnvironment?
    ) throws(Failure) -> [UInt8] {
        var scope = scope
        if let environment {
            scope.removeAll { $0.name == "environment" }
            scope.append(("environment", environment.rawValue))
        }
        let response = try exchange(request, query: query + scope)
        guard !(200...299).contains(response.status) else { return response.body }
        throw try decoded(response, to: request).rejection
    }

    private func exchange(
        _ request: OperatorRequest, query: [(String, String)]
    ) throws(Failure) -> LocalHTTP.Response {
        var request = request
        let pairs = query.map { "\($0.0)=\(PathSegment.encode($0.1))" }.joined(separator: "&")
        if !pairs.isEmpty { request.target += "?" + pairs }
        return try send(request)
    }

    /// Returns a response whose body is JSON or empty.
    private func decoded(
        _ response: LocalHTTP.Response, to request: OperatorRequest
    ) throws(Failure) -> Response {
        let value = response.body.isEmpty ? .null : try? JSONValue.parse(response.body)
        guard let value else {
            throw Failure(
                "The response to \(request.method.text) \(request.target) is not JSON: status \(response.status).")
        }
        if response.status == 401, request.token == nil, case .server(let channel) = way {
            throw Failure(
                "The server at \(channel.places.first?.description ?? "") rejects the token of \(OperatorChannel.path(in: settings.dataPath)): it is not the server of \(settings.dataPath), or it was just restarted. Try again in a moment."
            )
        }
        let reason =
            value["reason"]?.string
            ?? "The status of \(request.method.text) \(request.target) was \(response.status)"
        var sentences = [Self.sentence(reason)]
        // The first of several refused parts is the reason.
        for refused in value["details"]?["refused"]?.array?.compactMap(\.string) ?? [] where refused != reason {
            sentences.append(Self.sentence(refused))
        }
        return Response(
            status: response.status, value: value, rejection: Failure(sentences, code: .failure))
    }

    private static func sentence(_ reason: String) -> String {
        let words = CommandAdvice.words(reason)
        return words.hasSuffix(".") || words.hasSuffix("?") ? words : words + "."
    }

    private func send(_ request: OperatorRequest) throws(Failure) -> LocalHTTP.Response {
        do {
            switch way {
            case .server(let channel):
                return try Self.send(request, to: channel)
            case .files(let opened):
                let server = try opened ?? StoppedServer(settings)
                way = .files(server)
                guard let response = server.respond(to: request) else {
                    throw Failure("'\(request.target)' is not a valid request target.")
                }
                return response
            }
        } catch let failure as Failure {
            throw failure
        } catch {
            throw Failure("\(error)")
        }
    }

    private static func send(
        _ request: OperatorRequest, to channel: OperatorChannel
    ) throws -> LocalHTTP.Response {
        var lines = [
            "\(request.method.text) \(request.target) HTTP/1.1", "Host: \(channel.host)",
            "Authorization: Bearer \(request.token ?? channel.token)", "Connection: close",
        ]
        if request.ifAbsent { lines.append("If-None-Match: *") }
        if let accept = request.accept { lines.append("Accept: \(accept)") }
        if let body = request.body {
            lines += ["Content-Type: \(request.contentType)", "Content-Length: \(body.count)"]
        }
        return try LocalHTTP.send(to: channel.places, lines: lines, body: request.body ?? [], maxWait: maxWait)
    }

    /// Uploads a file to the running server, and returns the response, whatever its status is.
    ///
    /// - Parameters:
    ///   - digest: The SHA-256 of the content in base64, which the server compares.
    ///   - type: The media type.
    /// - Throws: `Failure` if no response arrived.
    func upload(
        _ path: String, size: Int, digest: String, type: String, query: [(String, String)]
    ) throws(Failure) -> Response {
        guard case .server(let channel) = way else {
            throw Failure("No server uses \(settings.dataPath). Files are uploaded only while a server runs.")
        }
        let pairs = (query + scope).map { "\($0.0)=\(PathSegment.encode($0.1))" }.joined(separator: "&")
        let lines = [
            "POST /assets\(pairs.isEmpty ? "" : "?" + pairs) HTTP/1.1", "Host: \(channel.host)",
            "Authorization: Bearer \(channel.token)", "Connection: close", "Content-Type: \(type)",
            "Content-Length: \(size)", "Content-Digest: sha-256=:\(digest):",
        ]
        let response: LocalHTTP.Response
        do throws(TextFile.Problem) {
            response = try LocalHTTP.send(to: channel.places, lines: lines, file: path, maxWait: Self.maxWait)
        } catch {
            throw Failure(error.description)
        }
        return try decoded(response, to: OperatorRequest(.post, "/assets"))
    }

    /// The container and environment that the settings name, for people.
    var scopeText: String {
        scope.isEmpty ? "the default database" : scope.map { "\($0.name) \($0.value)" }.joined(separator: ", ")
    }

    /// Follows an event stream of the running server, until the stream ends.
    ///
    /// - Parameters:
    ///   - path: The path of the stream.
    ///   - lastID: The id after which the stream starts.
    ///   - accept: The media type of the stream.
    ///   - each: Receives the next bytes of the stream. Returns whether to continue.
    /// - Returns: The failure if no server responds, or if the server rejects the request with a status; `nil` if the
    ///   stream has ended and can be continued.
    /// - Throws: The errors of `each`.
    func follow(
        _ path: String, query: [(String, String)], lastID: String?, accept: String = "text/event-stream",
        _ each: ([UInt8]) throws(Failure) -> Bool
    ) throws(Failure) -> (status: Int?, failure: Failure)? {
        // A server that was restarted has another token.
        let found: OperatorChannel?
        do throws(Failure) { found = try OperatorChannel.find(in: settings.dataPath) } catch { return (nil, error) }
        guard let channel = found else {
            return (
                nil,
                Failure(
                    "No server uses \(settings.dataPath). Changes and jobs can be followed only while a server runs.")
            )
        }
        let pairs = (query + scope).map { "\($0.0)=\(PathSegment.encode($0.1))" }.joined(separator: "&")
        var lines = [
            "GET \(path)?\(pairs) HTTP/1.0", "Host: \(channel.host)", "Authorization: Bearer \(channel.token)",
            "Accept: \(accept)",
        ]
        if let lastID { lines.append("Last-Event-ID: \(lastID)") }
        do {
            let response = try LocalHTTP.follow(at: channel.places, lines: lines, maxWait: Self.maxWait, each)
            guard let response else { return nil }
            let reason = (try? JSONValue.parse(response.body))?["reason"]?.string
            return (
                response.status, Failure(Self.sentence(reason ?? "The status of the stream was \(response.status)"))
            )
        } catch let failure as Failure {
            throw failure
        } catch {
            // The server is starting or stopping.
            return (nil, Failure("\(error)"))
        }
    }

    /// Reads the body of a response of the running server as it arrives.
    ///
    /// - Throws: `Failure` with the reason of an error response, or if no response arrived; the errors of `each`.
    func download(_ path: String, _ each: ([UInt8]) throws(Failure) -> Void) throws(Failure) {
        let end = try follow(path, query: [], lastID: nil, accept: "*/*") { bytes throws(Failure) in
            try each(bytes)
            return true
        }
        if let end { throw end.failure }
    }

    /// Whether requests go to a server.
    var isServed: Bool {
        if case .server = way { true } else { false }
    }

    /// Closes the data directory if this process opened it.
    func close(finishesRemovals: Bool = false) {
        guard case .files(let opened?) = way else { return }
        opened.close(finishesRemovals: finishesRemovals)
        way = .files(nil)
    }

    // MARK: Lists

    /// Returns all members of a paged list.
    ///
    /// - Throws: `Failure` in the same cases as `ask`.
    func all(
        _ path: String, _ key: String, query: [(String, String)] = []
    ) throws(Failure) -> [JSONValue] {
        var members: [JSONValue] = []
        var cursor: String?
        repeat {
            let page = try ask(.get, path, query: query + (cursor.map { [("cursor", $0)] } ?? []))
            members += page[key]?.array ?? []
            cursor = page["cursor"]?.string
        } while cursor != nil
        return members
    }
}
