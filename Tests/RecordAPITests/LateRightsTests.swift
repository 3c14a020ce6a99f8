import HTTP
import RecordAPI
import RecordEngine
import RecordModel
import RecordWire
import TestSupport
import Testing
import Threads

/// Rights that end while the body of a request arrives.
@Suite struct LateRightsTests {
    private static let scope = #"{"actions":["read"],"rights":["manageUsers","changeRights","changeSchema"]}"#

    /// Sends a request of a key that loses its rights before the body arrives.
    private func late(
        _ method: HTTPMethod, _ target: String, _ body: String, in database: TestDatabase
    ) async throws -> Response {
        let made = await database.call(
            .post, "/keys", as: .administrator, body: #"{"name":"\#(target)","scope":\#(Self.scope)}"#)
        let token = try #require(made.json?["token"]?.string, "\(made.text)")
        let id = try #require(made.json?["id"]?.string)
        let change = HTTPRequest(
            method: .patch, target: try #require(RequestTarget("/keys/\(id)")),
            fields: Self.fields("the-operators-secret"),
            body: .bytes(Array(#"{"scope":{"actions":["read"]}}"#.utf8)))
        let request = HTTPRequest(
            method: method, target: try #require(RequestTarget(target)), fields: Self.fields(token),
            body: .stream(
                BodyBehindARequest(
                    api: database.api, context: database.context, request: change, body: Array(body.utf8))),
            id: "request-1")
        return Response(await database.api.respond(to: request, in: database.context))
    }

    @Test(arguments: [RecordAPIConfiguration.SignUp.closed, .invitation])
    func `no account is created if the key loses the right while its body arrives`(
        signUp: RecordAPIConfiguration.SignUp
    ) async throws {
        let database = try await TestDatabase.make(withUsers: false) { $0.signUp = signUp }
        let response = try await late(
            .post, "/users", #"{"name":"sneak","password":"correct horse"}"#, in: database)
        #expect(response.status == 403, "\(response.text)")
        let signIn = await database.call(.post, "/sessions", body: #"{"name":"sneak","password":"correct horse"}"#)
        #expect(signIn.status == 401)
    }

    @Test(arguments: [
        (HTTPMethod.put, "/grants/Post", #"{"grants":{}}"#), (.put, "/roles/late", #"{"members":[]}"#),
        (.post, "/invitations", "{}"), (.put, "/schema", #"{"types":{}}"#),
        (.post, "/schema/types/Post/indexes", #"{"fields":["title"]}"#),
    ]) func `a request changes no rights, roles or schema if its key loses the right while its body arrives`(
        method: HTTPMethod, target: String, body: String
    ) async throws {
        let database = try await TestDatabase.make()
        try await database.addForum()
        let response = try await late(method, target, body, in: database)
        #expect(response.status == 403, "\(response.text)")
    }

    @Test(arguments: [
        (HTTPMethod.put, "/schema?dryRun=true", #"{"types":{}}"#), (.post, "/records/Post", #"{"fields":{}}"#),
        (.post, "/records", #"{"operations":[]}"#), (.patch, "/query/Post?all=true", #"{"fields":{}}"#),
    ]) func `a request does nothing if its token is revoked while its long body is parsed`(
        method: HTTPMethod, target: String, body: String
    ) async throws {
        let database = try await TestDatabase.make()
        try await database.addForum()
        let made = await database.call(
            .post, "/keys", as: .administrator, body: #"{"name":"late","scope":\#(Self.scope)}"#)
        let token = try #require(made.json?["token"]?.string, "\(made.text)")
        let id = try #require(made.json?["id"]?.string)
        let inputs = try #require(database.registry.openDatabases.first?.database).inputs
        // The thread is busy, the document waits, and meanwhile another loop gets the request that revokes the key.
        let (isBusy, gate) = (Gate(), Gate())
        async let busy: Void = inputs.run(bytes: 1) {
            isBusy.open()
            gate.waitBlocking()
        }
        await isBusy.wait()
        let spaces = String(repeating: " ", count: BodyParserThread.minimumBytes)
        let request = HTTPRequest(
            method: method, target: try #require(RequestTarget(target)), fields: Self.fields(token),
            body: .bytes(Array((body + spaces).utf8)), id: "request-1")
        let (api, context) = (database.api, database.context)
        async let response = Response(api.respond(to: request, in: context))
        // Until the request has arrived, or got a response without it.
        #expect(await eventually { inputs.reads == 2 })
        let revoke = HTTPRequest(
            method: .delete, target: try #require(RequestTarget("/keys/\(id)")),
            fields: Self.fields("the-operators-secret"), id: "request-2")
        let other = database.api.makeContext()
        let revoked = await database.api.respond(to: revoke, in: other)
        other.closeReaders()
        gate.open()
        _ = try await busy
        #expect(revoked.status == .noContent)
        #expect(await response.status == 401)
    }

    /// Long bodies of anonymous callers are rejected before they are parsed, so that they delay no other request.
    @Test(arguments: [("/records/Post", #"{"fields":{}}"#), ("/records", #"{"operations":[]}"#)])
    func `an anonymous caller's long body is not read if only signed-in callers may write`(
        target: String, body: String
    ) async throws {
        let database = try await TestDatabase.make()
        await database.call(.put, "/records/Post/first", as: .creator, body: #"{"fields":{}}"#)
        func send(
            _ token: String?, length: Int? = BodyParserThread.minimumBytes
        ) async throws -> (status: Int, wasRead: Bool) {
            let sent = WatchedBody(Array(body.utf8), length: length)
            let request = HTTPRequest(
                method: .post, target: try #require(RequestTarget(target)),
                fields: token.map(Self.fields) ?? Self.json, body: .stream(sent), id: "request-1")
            let response = Response(await database.api.respond(to: request, in: database.context))
            return (response.status, sent.wasRead.withLock { $0 })
        }
        let stranger = try await send(nil)
        #expect(stranger == (401, false))
        #expect(try await send(nil, length: nil) == (401, false))
        #expect(try await send(nil, length: BodyParserThread.minimumBytes - 1).wasRead)
        #expect(try await send(database.tokens[.creator]).wasRead)
        // If anyone may create records, an anonymous caller's body is read.
        await database.call(
            .put, "/grants/Post", as: .administrator, body: #"{"grants":{"_world":["CREATE","READ"]}}"#)
        #expect(try await send(nil).wasRead)
    }

    @Test func `the shortest of the long bodies is parsed first`() async throws {
        let database = try await TestDatabase.make(withUsers: false)
        await database.call(.get, "/records/Post", as: .administrator)
        let inputs = try #require(database.registry.openDatabases.first?.database).inputs
        let lengths: [Int] = [8_388_608, 40_960, 41_984, 1_048_576]
        let (isBusy, gate) = (Gate(), Gate())
        let order = Locked<[Int]>([])
        async let busy: Void = inputs.run(bytes: 1) {
            isBusy.open()
            gate.waitBlocking()
        }
        await isBusy.wait()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (place, length) in lengths.enumerated() {
                group.addTask { try await inputs.run(bytes: length) { order.withLock { $0.append(length) } } }
                // Each waits before the next one comes.
                #expect(await eventually { inputs.waits > place })
            }
            gate.open()
            try await group.waitForAll()
        }
        _ = try await busy
        #expect(order.withLock { $0 } == lengths.sorted())
    }

    private static let json: HTTPFields = {
        var fields = HTTPFields()
        fields.append(.contentType, "application/json")
        return fields
    }()

    private static func fields(_ token: String) -> HTTPFields {
        var fields = HTTPFields()
        fields.append(.authorization, "Bearer \(token)")
        return fields
    }
}

/// A body that sends another request before its bytes.
private struct BodyBehindARequest: HTTPBodyReader {
    let api: RecordAPI
    let context: RecordAPIContext
    let request: HTTPRequest
    let body: [UInt8]

    var expectedLength: Int? { nil }
    func next() async throws(HTTPBodyError) -> [UInt8]? { nil }

    func collect(upTo limit: Int) async throws(HTTPBodyError) -> [UInt8] {
        guard await api.respond(to: request, in: context).status == .ok else { throw .disconnected }
        return body
    }
}

/// A body that notes whether it was read.
private final class WatchedBody: HTTPBodyReader {
    let wasRead = Locked(false)
    /// The announced length.
    let expectedLength: Int?
    private let body: [UInt8]

    init(_ body: [UInt8], length: Int?) {
        self.body = body
        expectedLength = length
    }

    func next() async throws(HTTPBodyError) -> [UInt8]? { nil }

    func collect(upTo limit: Int) async throws(HTTPBodyError) -> [UInt8] {
        wasRead.withLock { $0 = true }
        return body
    }
}
