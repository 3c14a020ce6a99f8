import HTTP
import RecordAPI
import RecordEngine
import RecordModel
import RecordWire
import TestSupport
import Testing
import Threads

/// Rights that end while the body of a request is on its way.
@Suite struct LateRightsTests {
    private static let scope = #"{"actions":["read"],"rights":["manageUsers","changeRights","changeSchema"]}"#

    /// Sends a request of a key that loses its rights before the body is there.
    private func late(
        _ method: HTTPMethod, _ target: String, _ body: String, in database: TestDatabase
    ) async throws -> Answer {
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
        return Answer(await database.api.respond(to: request, in: database.context))
    }

    @Test(arguments: [RecordAPIConfiguration.SignUp.closed, .invitation])
    func `no account is made where only managers make one`(signUp: RecordAPIConfiguration.SignUp) async throws {
        let database = try await TestDatabase.make(withUsers: false) { $0.signUp = signUp }
        let answer = try await late(
            .post, "/users", #"{"name":"sneak","password":"correct horse"}"#, in: database)
        #expect(answer.status == 403, "\(answer.text)")
        let signIn = await database.call(.post, "/sessions", body: #"{"name":"sneak","password":"correct horse"}"#)
        #expect(signIn.status == 401)
    }

    @Test(arguments: [
        (HTTPMethod.put, "/grants/Post", #"{"grants":{}}"#), (.put, "/roles/late", #"{"members":[]}"#),
        (.post, "/invitations", "{}"), (.put, "/schema", #"{"types":{}}"#),
        (.post, "/schema/types/Post/indexes", #"{"fields":["title"]}"#),
    ]) func `nor are rights, roles, invitations or the schema`(
        method: HTTPMethod, target: String, body: String
    ) async throws {
        let database = try await TestDatabase.make()
        try await database.addForum()
        let answer = try await late(method, target, body, in: database)
        #expect(answer.status == 403, "\(answer.text)")
    }

    @Test(arguments: [
        (HTTPMethod.put, "/schema?dryRun=true", #"{"types":{}}"#), (.post, "/records/Post", #"{"fields":{}}"#),
        (.post, "/records", #"{"operations":[]}"#), (.patch, "/query/Post?all=true", #"{"fields":{}}"#),
    ]) func `a token that is revoked while its long body is read elsewhere does nothing`(
        method: HTTPMethod, target: String, body: String
    ) async throws {
        let database = try await TestDatabase.make()
        try await database.addForum()
        let made = await database.call(
            .post, "/keys", as: .administrator, body: #"{"name":"late","scope":\#(Self.scope)}"#)
        let token = try #require(made.json?["token"]?.string, "\(made.text)")
        let id = try #require(made.json?["id"]?.string)
        let inputs = try #require(database.registry.openDatabases.first?.database).inputs
        // The thread is busy, the document waits behind that, and meanwhile another loop is told to revoke the key.
        let (isBusy, gate) = (Gate(), Gate())
        async let busy: Void = inputs.run(bytes: 1) {
            isBusy.open()
            gate.waitBlocking()
        }
        await isBusy.wait()
        let spaces = String(repeating: " ", count: InputWorker.minimumBytes)
        let request = HTTPRequest(
            method: method, target: try #require(RequestTarget(target)), fields: Self.fields(token),
            body: .bytes(Array((body + spaces).utf8)), id: "request-1")
        async let answer = Answer(database.api.respond(to: request, in: database.context))
        // Until it is there, or has been answered without.
        for _ in 0..<6_000 where inputs.reads < 2 { try await Task.sleep(for: .milliseconds(5)) }
        #expect(inputs.reads == 2)
        let revoke = HTTPRequest(
            method: .delete, target: try #require(RequestTarget("/keys/\(id)")),
            fields: Self.fields("the-operators-secret"), id: "request-2")
        let other = database.api.makeContext()
        let revoked = await database.api.respond(to: revoke, in: other)
        other.closeReaders()
        gate.open()
        _ = try await busy
        #expect(revoked.status == .noContent)
        #expect(await answer.status == 401)
    }

    /// Eight megabytes of a stranger's JSON once were read before the refusal, and others waited behind them.
    @Test(arguments: [("/records/Post", #"{"fields":{}}"#), ("/records", #"{"operations":[]}"#)])
    func `a stranger's long body is not read where nobody may write who is not signed in`(
        target: String, body: String
    ) async throws {
        let database = try await TestDatabase.make()
        await database.call(.put, "/records/Post/first", as: .creator, body: #"{"fields":{}}"#)
        func send(
            _ token: String?, length: Int? = InputWorker.minimumBytes
        ) async throws -> (status: Int, wasRead: Bool) {
            let sent = WatchedBody(Array(body.utf8), length: length)
            let request = HTTPRequest(
                method: .post, target: try #require(RequestTarget(target)),
                fields: token.map(Self.fields) ?? Self.json, body: .stream(sent), id: "request-1")
            let answer = Answer(await database.api.respond(to: request, in: database.context))
            return (answer.status, sent.wasRead.withLock { $0 })
        }
        let stranger = try await send(nil)
        #expect(stranger == (401, false))
        #expect(try await send(nil, length: nil) == (401, false))
        #expect(try await send(nil, length: InputWorker.minimumBytes - 1).wasRead)
        #expect(try await send(database.tokens[.creator]).wasRead)
        // Where anybody may create, a stranger's is read.
        await database.call(
            .put, "/grants/Post", as: .administrator, body: #"{"grants":{"_world":["CREATE","READ"]}}"#)
        #expect(try await send(nil).wasRead)
    }

    @Test func `of long bodies the shortest is read first`() async throws {
        let database = try await TestDatabase.make(withUsers: false)
        await database.call(.get, "/records/Post", as: .administrator)
        let inputs = try #require(database.registry.openDatabases.first?.database).inputs
        let (isBusy, gate) = (Gate(), Gate())
        let order = Locked<[Int]>([])
        async let busy: Void = inputs.run(bytes: 1) {
            isBusy.open()
            gate.waitBlocking()
        }
        await isBusy.wait()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (place, length) in [8 << 20, 40 << 10, 41 << 10, 1 << 20].enumerated() {
                group.addTask { try await inputs.run(bytes: length) { order.withLock { $0.append(length) } } }
                // Each waits before the next one comes.
                for _ in 0..<6_000 where inputs.waits <= place { try await Task.sleep(for: .milliseconds(5)) }
            }
            gate.open()
            try await group.waitForAll()
        }
        _ = try await busy
        #expect(order.withLock { $0 } == [40 << 10, 41 << 10, 1 << 20, 8 << 20])
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

/// A body before which something else is asked.
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

/// A body that tells whether anybody has read it.
private final class WatchedBody: HTTPBodyReader {
    let wasRead = Locked(false)
    /// What is announced.
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
