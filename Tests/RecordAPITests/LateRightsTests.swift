import HTTP
import RecordAPI
import RecordEngine
import RecordModel
import RecordWire
import TestSupport
import Testing

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
