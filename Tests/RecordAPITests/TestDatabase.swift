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

/// An interface over a database in a folder of its own, called in-process, with an administrator and three users:
/// Ann, who makes records; Bob, a stranger to them; Eve, a member of the role `editors`.
///
/// One task at a time uses it, since it has one loop's context.
final class TestDatabase {
    /// Who asks.
    enum Who: String, CaseIterable, Sendable {
        case anonymous, stranger, creator, member, administrator
    }

    /// What the shell's commands would have.
    static let operatorToken = "fbo_of-the-operator"
    /// All tests sign up at once, and wait for each other.
    private static let passwords = PasswordWorkers(threads: 2, queueLength: 100_000, scheme: .quick)

    let folder: String
    let registry: DatabaseRegistry
    let api: RecordAPI
    let context: RecordAPIContext
    private(set) var tokens: [Who: String] = [.administrator: "the-operators-secret"]
    private(set) var userNames: [Who: String] = [:]

    /// - Parameters:
    ///   - passwords: Quick ones unless told.
    ///   - withUsers: Makes the three accounts.
    static func make(
        _ environment: RecordEnvironment = .development, limits: DatabaseLimits = DatabaseLimits(),
        passwords: PasswordWorkers? = nil, withUsers: Bool = true, drivers: StoreDrivers = StoreDrivers(),
        adjust: (inout RecordAPIConfiguration) -> Void = { _ in }
    ) async throws -> TestDatabase {
        let database = try TestDatabase(
            environment, limits: limits, passwords: passwords ?? Self.passwords, drivers: drivers, adjust: adjust)
        if withUsers { try await database.addUsers() }
        return database
    }

    private init(
        _ environment: RecordEnvironment, limits: DatabaseLimits, passwords: PasswordWorkers, drivers: StoreDrivers,
        adjust: (inout RecordAPIConfiguration) -> Void
    ) throws {
        folder = NSTemporaryDirectory() + "fogbase-api-" + UUID().uuidString
        let container = try #require(ContainerName("Forum"))
        var server = DatabaseRegistry.Configuration(
            dataPath: folder, containers: [container], limits: limits,
            administrator: SHA256.hash(utf8: "the-operators-secret"))
        server.administrators = try Administrators(
            dataPath: folder, passwords: passwords, operatorToken: SHA256.hash(utf8: Self.operatorToken),
            limits: limits)
        server.drivers = drivers
        registry = DatabaseRegistry(server)
        var configuration = RecordAPIConfiguration(
            defaultDatabase: DatabaseID(container: container, environment: environment), version: "1.2.3")
        adjust(&configuration)
        api = RecordAPI(registry: registry, configuration: configuration)
        context = api.makeContext()
    }

    deinit {
        context.closeReaders()
        try? FileManager.default.removeItem(atPath: folder)
    }

    private func addUsers() async throws {
        for (who, name) in [(Who.creator, "ann"), (.stranger, "bob"), (.member, "eve")] {
            let answer = await call(
                .post, "/users", body: #"{"name":"\#(name)","password":"correct horse"}"#)
            try #require(answer.status == 201, "\(answer.text)")
            tokens[who] = try #require(answer.json?["token"]?.string)
            userNames[who] = try #require(answer.json?["user"]?["userRecordName"]?.string)
        }
        let members = try #require(userNames[.member])
        let answer = await call(.put, "/roles/editors", as: .administrator, body: #"{"members":["\#(members)"]}"#)
        try #require(answer.status == 201, "\(answer.text)")
    }

    /// `Post` has the standard grants; `Secret` is its creators' and the editors'; `Drop` may be filled by anyone and
    /// emptied by editors, who cannot look inside.
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

    /// Sends a request. `{creator}` and the like in target and body stand for user record names.
    @discardableResult
    func call(
        _ method: HTTPMethod, _ target: String, as who: Who = .anonymous, body: String? = nil,
        headers: [(String, String)] = [], from peer: String = "192.0.2.1"
    ) async -> Answer {
        var fields = HTTPFields()
        if let token = tokens[who] { fields.append(.authorization, "Bearer \(token)") }
        return await call(method, target, fields, body: body.map(utf8), headers: headers, from: peer)
    }

    /// Sends bytes, as they are.
    @discardableResult
    func call(
        _ method: HTTPMethod, _ target: String, as who: Who = .anonymous, bytes: [UInt8],
        headers: [(String, String)] = []
    ) async -> Answer {
        var fields = HTTPFields()
        if let token = tokens[who] { fields.append(.authorization, "Bearer \(token)") }
        return await call(method, target, fields, body: bytes, headers: headers, from: "192.0.2.1")
    }

    @discardableResult
    func call(
        _ method: HTTPMethod, _ target: String, token: String, body: String? = nil,
        in loop: RecordAPIContext? = nil
    ) async -> Answer {
        var fields = HTTPFields()
        fields.append(.authorization, "Bearer \(token)")
        return await call(method, target, fields, body: body.map(utf8), headers: [], from: "192.0.2.1", in: loop)
    }

    private func call(
        _ method: HTTPMethod, _ target: String, _ fields: HTTPFields, body: [UInt8]?, headers: [(String, String)],
        from peer: String, in loop: RecordAPIContext? = nil
    ) async -> Answer {
        let context = loop ?? self.context
        var fields = fields
        for (name, value) in headers {
            guard let name = HTTPFieldName(name) else { continue }
            fields.append(name, value)
        }
        guard let target = RequestTarget(filled(target)) else {
            // The parser refuses it, and so does the transport.
            return Answer(api.refusal(HTTPRefusal(.badRequest, "No target."), id: "request-1"))
        }
        let request = HTTPRequest(
            method: method, target: target, fields: fields,
            body: body.map(HTTPRequestBody.bytes) ?? .empty, remoteAddress: peer, id: "request-1")
        let response = await api.respond(to: request, in: context)
        context.loopWillBlock()
        return Answer(response)
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
        let answer = await call(.get, path, as: .administrator)
        return try #require(answer.json?["recordChangeTag"]?.string)
    }
}

/// An answer as a client sees it.
struct Answer {
    var status: Int
    var fields: HTTPFields
    var bytes: [UInt8]
    var route = ""

    init(_ response: HTTPResponse) {
        status = Int(response.status.code)
        fields = response.fields
        route = "\(response.route)"
        switch response.body {
        case .bytes(let body), .prepared(let body, _): bytes = body
        case .file(let file): bytes = Self.bytes(of: file)
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
