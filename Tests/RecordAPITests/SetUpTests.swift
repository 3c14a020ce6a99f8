import HTTP
import RecordAPI
import RecordEngine
import RecordWire
import Testing

/// The first administrator, made with the code of the link that the server prints.
@Suite struct SetUpTests {
    private static func body(_ code: String, name: String = "grace", password: String = "a long password") -> String {
        #"{"code":"\#(code)","name":"\#(name)","password":"\#(password)"}"#
    }

    private static func server() async throws -> (database: TestDatabase, code: String) {
        let code = SetUpCode()
        return (try await TestDatabase.make(withUsers: false) { $0.setUpCode = code }, code.text)
    }

    @Test func `the holder of the code makes an owner, once`() async throws {
        let (database, code) = try await Self.server()
        await database.play([
            Scenario("wrong", .anonymous, .post, "/administrators/first", Self.body("wrong"), 403, contains: ["link"]),
            Scenario("no name", .anonymous, .post, "/administrators/first", #"{"code":"x"}"#, 400),
            Scenario(
                "short password", .anonymous, .post, "/administrators/first", Self.body(code, password: "short"), 400),
            Scenario(
                "still open", .anonymous, .post, "/administrators/first", Self.body(code, name: "", password: ""), 400),
            Scenario("bad name", .anonymous, .post, "/administrators/first", Self.body(code, name: "Grace H"), 400),
            Scenario(
                "right", .anonymous, .post, "/administrators/first", Self.body(code), 201,
                contains: [#""name":"grace""#, #""role":"owner""#]),
            Scenario(
                "again", .anonymous, .post, "/administrators/first", Self.body(code, name: "eve"), 403,
                contains: ["has an administrator already"]),
            Scenario(
                "closed, also without a name", .anonymous, .post, "/administrators/first",
                Self.body(code, name: "", password: ""), 403),
            Scenario(
                "signs in", .anonymous, .post, "/administrators/sessions",
                #"{"name":"grace","password":"a long password"}"#, 201),
            Scenario(
                "in the log", .administrator, .get, "/audit?scope=server&actor=_setUp", 200,
                contains: ["administrator.create", "grace"]),
        ])
    }

    /// The link stays in the log of the start.
    @Test(arguments: [true, false])
    func `the link is spent with the first administrator, also after that one is deleted`(_ isUsed: Bool) async throws {
        let (database, code) = try await Self.server()
        let first =
            isUsed
            ? await database.call(.post, "/administrators/first", body: Self.body(code))
            : await database.call(
                .post, "/administrators", as: .administrator,
                body: #"{"name":"grace","password":"a long password","role":"owner"}"#)
        try #require(first.status == 201, "\(first.text)")
        #expect(await database.call(.delete, "/administrators/grace", as: .administrator).status == 204)
        let again = await database.call(.post, "/administrators/first", body: Self.body(code, name: "eve"))
        #expect(again.status == 403 && again.text.contains("spent"), "\(again.text)")
    }

    @Test func `of two holders at the same time, one makes the administrator`() async throws {
        let (database, code) = try await Self.server()
        let contexts = [database.api.makeContext(), database.api.makeContext(), database.api.makeContext()]
        defer { for context in contexts { context.closeReaders() } }
        let api = database.api
        let statuses = await withTaskGroup(of: Int.self) { group in
            for (number, context) in contexts.enumerated() {
                group.addTask {
                    guard let target = RequestTarget("/administrators/first") else { return 0 }
                    var fields = HTTPFields()
                    fields.append(.contentType, "application/json")
                    let request = HTTPRequest(
                        method: .post, target: target, fields: fields,
                        body: .bytes(Array(Self.body(code, name: "grace\(number)").utf8)), id: "request-\(number)")
                    return Int(await api.respond(to: request, in: context).status.code)
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(statuses.sorted() == [201, 403, 403])
    }

    @Test func `attempts count toward the limit of sign-ins of the address`() async throws {
        let code = SetUpCode()
        var limits = RateLimits()
        limits.auth = RateLimit(2, per: .hour, burst: 2)
        let rates = limits
        let database = try await TestDatabase.make(withUsers: false) {
            $0.setUpCode = code
            $0.rateLimits = rates
        }
        var statuses: [Int] = []
        for _ in 0..<4 {
            statuses.append(await database.call(.post, "/administrators/first", body: Self.body("wrong")).status)
        }
        #expect(statuses == [403, 403, 429, 429])
        #expect(await database.call(.post, "/administrators/first", body: Self.body(code.text)).status == 429)
        let other = await database.call(
            .post, "/administrators/first", body: Self.body(code.text), from: "198.51.100.7")
        #expect(other.status == 201, "\(other.text)")
    }

    @Test func `without a code nobody makes an administrator so`() async throws {
        let database = try await TestDatabase.make(withUsers: false)
        for code in ["", "null", "nil"] {
            let response = await database.call(.post, "/administrators/first", body: Self.body(code))
            #expect(response.status == 403)
        }
    }
}
