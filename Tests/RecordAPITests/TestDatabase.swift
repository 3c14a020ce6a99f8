import Cryptography
import Foundation
import HTTP
import RecordAPI
import RecordEngine
import RecordModel
import RecordStorage
import RecordWire
import TestSupport
import Testing

/// An interface over a database in its own directory, called in-process, with an administrator and three users: Ann,
/// who creates records; Bob, a stranger to them; Eve, a member of the role `editors`.
///
/// One task at a time uses it, since it has one loop's context. Another task may read a stream meanwhile.
final class TestDatabase {
    /// The caller of a request.
    enum Who: String, CaseIterable, Sendable {
        case anonymous, stranger, creator, member, administrator
    }

    /// The token of the shell's commands.
    static let operatorToken = "fbo_of-the-operator"
    /// All tests sign up at the same time, and wait for each other.
    private static let passwords = PasswordWorkers(threads: 2, queueLength: 100_000, scheme: .quick)

    let directory: String
    private(set) var registry: DatabaseRegistry
    private(set) var api: RecordAPI
    private(set) var context: RecordAPIContext
    /// The loops of streams. A test reads a stream while it sends requests, which are on another loop, as no two tasks
    /// may use a loop at once.
    private var streamLoops: [RecordAPIContext] = []
    private let makeServer: () throws -> (DatabaseRegistry, RecordAPI)
    private(set) var tokens: [Who: String] = [.administrator: "the-operators-secret"]
    private(set) var userNames: [Who: String] = [:]

    /// - Parameters:
    ///   - passwords: Quick ones unless told.
    ///   - withUsers: Makes the three accounts.
    static func make(
        _ environment: RecordEnvironment = .development, limits: DatabaseLimits = DatabaseLimits(),
        passwords: PasswordWorkers? = nil, withUsers: Bool = true, drivers: StoreDrivers = StoreDrivers(),
        indexBuilding: IndexBuildOptions = IndexBuildOptions(), webhookSender: (any WebhookSender)? = nil,
        adjust: (inout RecordAPIConfiguration) -> Void = { _ in }
    ) async throws -> TestDatabase {
        let database = try TestDatabase(
            environment, limits: limits, passwords: passwords ?? Self.passwords, drivers: drivers,
            indexBuilding: indexBuilding, webhookSender: webhookSender, adjust: adjust)
        if withUsers { try await database.addUsers() }
        return database
    }

    private init(
        _ environment: RecordEnvironment, limits: DatabaseLimits, passwords: PasswordWorkers, drivers: StoreDrivers,
        indexBuilding: IndexBuildOptions, webhookSender: (any WebhookSender)?,
        adjust: (inout RecordAPIConfiguration) -> Void
    ) throws {
        let directory = NSTemporaryDirectory() + "fogbase-api-" + UUID().uuidString
        let container = try #require(ContainerName("Forum"))
        var configuration = RecordAPIConfiguration(
            defaultDatabase: DatabaseID(container: container, environment: environment), version: "1.2.3")
        adjust(&configuration)
        makeServer = { [configuration] in
            var server = DatabaseRegistry.Configuration(
                dataPath: directory, containers: [container], limits: limits,
                administrator: SHA256.hash(utf8: "the-operators-secret"))
            server.administrators = try Administrators(
                dataPath: directory, passwords: passwords, operatorToken: SHA256.hash(utf8: Self.operatorToken),
                limits: limits)
            server.drivers = drivers
            server.indexBuilding = indexBuilding
            server.webhookSender = webhookSender
            let registry = DatabaseRegistry(server)
            return (registry, RecordAPI(registry: registry, configuration: configuration))
        }
        self.directory = directory
        (registry, api) = try makeServer()
        context = api.makeContext()
    }

    /// Stops the server and starts it again with the same files.
    func restart() async throws {
        closeReaders()
        await registry.close()
        (registry, api) = try makeServer()
        context = api.makeContext()
    }

    private func closeReaders() {
        for context in streamLoops + [context] { context.closeReaders() }
        streamLoops = []
    }

    deinit {
        closeReaders()
        try? FileManager.default.removeItem(atPath: directory)
    }

    private func addUsers() async throws {
        for (who, name) in [(Who.creator, "ann"), (.stranger, "bob"), (.member, "eve")] {
            let response = await call(
                .post, "/users", body: #"{"name":"\#(name)","password":"correct horse"}"#)
            try #require(response.status == 201, "\(response.text)")
            tokens[who] = try #require(response.json?["token"]?.string)
            userNames[who] = try #require(response.json?["user"]?["userRecordName"]?.string)
        }
        let members = try #require(userNames[.member])
        let response = await call(.put, "/roles/editors", as: .administrator, body: #"{"members":["\#(members)"]}"#)
        try #require(response.status == 201, "\(response.text)")
    }

    /// `Post` has the standard grants; `Secret` belongs to its creators and the editors; anyone may create records of
    /// `Drop`, and editors, who cannot read them, may delete them.
    func addForum() async throws {
        let schema = await call(
            .put, "/schema", as: .administrator,
            body: """
                {"types":{
                "Post":{"fields":{"title":{"type":"STRING"},"good":{"type":"INT64"},"data":{"type":"BYTES"},
                "owner":{"type":"REFERENCE"}}},
                "Secret":{"fields":{"title":{"type":"STRING"}},
                "grants":{"_icloud":["CREATE"],"editors":["READ","WRITE"]}},
                "Drop":{"fields":{"title":{"type":"STRING"}},
                "grants":{"_world":["CREATE"],"editors":["WRITE"]}}}}
                """)
        try #require(schema.status == 200, "\(schema.text)")
        for (type, name) in [("Post", "p1"), ("Post", "p2"), ("Secret", "s1"), ("Drop", "d1")] {
            let made = await call(
                .put, "/records/\(type)/\(name)", as: .creator,
                body: #"{"fields":{"title":"\#(type == "Post" ? "sea" : "hidden")"}}"#)
            try #require(made.status == 201, "\(made.text)")
        }
    }

    /// Sends a request. `{creator}` and the like in target and body are replaced with user record names.
    @discardableResult
    func call(
        _ method: HTTPMethod, _ target: String, as who: Who = .anonymous, body: String? = nil,
        headers: [(String, String)] = [], from peer: String = "192.0.2.1"
    ) async -> Response {
        var fields = HTTPFields()
        if let token = tokens[who] { fields.append(.authorization, "Bearer \(token)") }
        return await call(method, target, fields, body: body.map(utf8), headers: headers, from: peer)
    }

    /// Sends bytes, as they are.
    @discardableResult
    func call(
        _ method: HTTPMethod, _ target: String, as who: Who = .anonymous, bytes: [UInt8],
        headers: [(String, String)] = []
    ) async -> Response {
        var fields = HTTPFields()
        if let token = tokens[who] { fields.append(.authorization, "Bearer \(token)") }
        return await call(method, target, fields, body: bytes, headers: headers, from: "192.0.2.1")
    }

    @discardableResult
    func call(
        _ method: HTTPMethod, _ target: String, token: String, body: String? = nil,
        in loop: RecordAPIContext? = nil
    ) async -> Response {
        var fields = HTTPFields()
        fields.append(.authorization, "Bearer \(token)")
        return await call(method, target, fields, body: body.map(utf8), headers: [], from: "192.0.2.1", in: loop)
    }

    private func call(
        _ method: HTTPMethod, _ target: String, _ fields: HTTPFields, body: [UInt8]?, headers: [(String, String)],
        from peer: String, in loop: RecordAPIContext? = nil
    ) async -> Response {
        let context = loop ?? self.context
        var fields = fields
        for (name, value) in headers {
            guard let name = HTTPFieldName(name) else { continue }
            fields.append(name, value)
        }
        guard let target = RequestTarget(filled(target)) else {
            // The parser rejects it, and so does the transport.
            return await reject(HTTPRejection(.badRequest, "No target."), method, "*", from: peer)
        }
        let request = HTTPRequest(
            method: method, target: target, fields: fields,
            body: body.map(HTTPRequestBody.bytes) ?? .empty, remoteAddress: peer, id: "request-1")
        let response = Response(await api.respond(to: request, in: context))
        context.loopWillBlock()
        if response.events != nil, loop == nil {
            streamLoops.append(context)
            self.context = api.makeContext()
        }
        return response
    }

    /// Sends a message that the transport rejects.
    func reject(
        _ rejection: HTTPRejection, _ method: HTTPMethod = .get, _ target: String = "*",
        headers: [(String, String)] = [], from peer: String = "192.0.2.1"
    ) async -> Response {
        var fields = HTTPFields()
        for (name, value) in headers {
            if let name = HTTPFieldName(name) { fields.append(name, value) }
        }
        let request = HTTPRequest(
            method: method, target: RequestTarget(target) ?? .server, fields: fields, remoteAddress: peer,
            id: "request-1")
        defer { context.loopWillBlock() }
        return Response(await api.rejection(rejection, of: request, in: context))
    }

    private func utf8(_ text: String) -> [UInt8] {
        Array(filled(text).utf8)
    }

    func filled(_ text: String) -> String {
        var text = text
        for (who, name) in userNames { text = text.replacingOccurrences(of: "{\(who.rawValue)}", with: name) }
        return text
    }

    /// The tag of a record, as an administrator sees it.
    func tag(_ path: String) async throws -> String {
        let response = await call(.get, path, as: .administrator)
        return try #require(response.json?["recordChangeTag"]?.string)
    }
}

/// A response as a client sees it.
struct Response {
    var status: Int
    var fields: HTTPFields
    var bytes: [UInt8]
    var route = ""
    /// The source of an event stream.
    var events: (any HTTPEventSource)?

    init(_ response: HTTPResponse) {
        status = Int(response.status.code)
        fields = response.fields
        route = "\(response.route)"
        switch response.body {
        case .bytes(let body), .prepared(let body, _): bytes = body
        case .file(let file): bytes = Self.bytes(of: file)
        case .events(let source): (bytes, events) = ([], source)
        default: bytes = []
        }
    }

    private static func bytes(of body: HTTPFileBody) -> [UInt8] {
        body.parts.flatMap { part in
            switch part {
            case .bytes(let bytes): return bytes
            case .range(let range):
                var bytes = [UInt8](repeating: 0, count: range.count)
                let count = pread(body.file.descriptor, &bytes, bytes.count, off_t(range.lowerBound))
                return count == bytes.count ? bytes : []
            }
        }
    }

    var text: String { String(decoding: bytes, as: UTF8.self) }
    var json: JSONValue? { try? JSONValue.parse(bytes) }
    var code: String? { json?["serverErrorCode"]?.string }
    var cause: String? { json?["details"]?["cause"]?.string }
    var records: [JSONValue] { json?["records"]?.array ?? [] }
    var changes: [JSONValue] { json?["changes"]?.array ?? [] }

    func field(_ name: String) -> String? { HTTPFieldName(name).flatMap { fields[$0] } }
}
