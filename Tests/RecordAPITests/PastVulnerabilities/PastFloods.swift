import Foundation
import HTTP
import RecordAPI
import RecordModel
import RecordWire
import TestSupport
import Testing

/// Ways around the limits, and requests that exceed them.
@Suite struct PastFloods {
    static let numbers = [16, 17, 21, 22]

    private static func limited(_ adjust: (inout RateLimits) -> Void) async throws -> TestDatabase {
        var limits = RateLimits()
        limits.auth = RateLimit(1_000, per: .second, burst: 1_000)
        adjust(&limits)
        let clock = TestClock()
        limits.clock = { clock.now }
        let set = limits
        let database = try await TestDatabase.make { $0.rateLimits = set }
        try await database.addForum()
        return database
    }

    @Test func `16: operations of a batch count one by one, and no other method or spelling is free`()
        async throws
    {
        let database = try await Self.limited { $0.write = RateLimit(1, per: .hour, burst: 20) }
        func batch(_ count: Int) -> String {
            let one = #"{"operationType":"create","record":{"recordType":"Post","fields":{}}}"#
            return
                #"{"atomic":false,"operations":[\#(Array(repeating: one, count: count).joined(separator: ","))]}"#
        }
        // The four records of the forum came from the same address.
        #expect(await database.call(.post, "/records", as: .stranger, body: batch(15)).status == 200)
        // A rejected request counts too, and takes the last token.
        #expect(await database.call(.post, "/records", as: .stranger, body: batch(2)).status == 429)
        for (method, target, body) in [
            (HTTPMethod.post, "/records", batch(1)), (.post, "/records/Post", "{}"),
            (.put, "/records/Post/x", "{}"),
            (.patch, "/records/Post/p1", "{}"), (.delete, "/records/Post/p1", nil),
            (.delete, "/query/Post?all=true", nil), (.post, "/records/%50ost", "{}"),
            (.post, "/records/Post?zone=_defaultZone", "{}"),
            (.post, "/records/Post?database=private", "{}"),
        ] as [(HTTPMethod, String, String?)] {
            for headers in [[], [("X-HTTP-Method-Override", "GET")], [("X-HTTP-Method", "HEAD")]] {
                let response = await database.call(
                    method, target, as: .stranger, body: body, headers: headers)
                #expect(response.status == 429, "\(method.text) \(target) \(headers): \(response.text)")
            }
        }
        // A method in a field is none: a GET stays one.
        let made = await database.call(
            .get, "/records/Post/p1", as: .creator,
            headers: [("X-HTTP-Method-Override", "DELETE"), ("_method", "DELETE")])
        #expect(made.status == 200)
        #expect(
            await database.call(.get, "/records/Post/p1?_method=DELETE", as: .creator).status == 400)
        #expect(await database.call(.get, "/records/Post/p1").status == 200)
    }

    @Test func `17: nothing in a request selects another bucket`() async throws {
        let database = try await Self.limited { $0.auth = RateLimit(1, per: .hour, burst: 10) }
        // Creating the users has taken some tokens.
        var statuses: [Int] = []
        for number in 0..<24 {
            let response = await database.call(
                .post, "/sessions?zone=_defaultZone",
                body:
                    #"{"name":"nobody\#(number)","password":"wrong horse \#(number)","label":"l\#(number)"}"#,
                headers: [
                    ("X-Forwarded-For", "203.0.113.\(number)"), ("Forwarded", "for=203.0.113.\(number)"),
                    ("X-Real-IP", "203.0.113.\(number)"), ("User-Agent", "agent \(number)"),
                    ("Idempotency-Key", "key-\(number)"), ("Cookie", "id=\(number)"),
                    ("X-Request-ID", "r\(number)"),
                ])
            statuses.append(response.status)
        }
        #expect(
            statuses.filter { $0 != 429 }.count <= 10 && statuses.suffix(12).allSatisfy { $0 == 429 },
            "\(statuses)")
    }

    @Test(arguments: [
        "Accept", "Accept-Encoding", "Content-Type", "If-Match", "If-None-Match", "Range", "If-Range",
        "Prefer",
        "Idempotency-Key", "Authorization", "Cookie", "Upload-Metadata", "Content-Digest", "Origin",
        "User-Agent",
        "X-Forwarded-For", "Forwarded",
    ]) func `21: a long hostile header costs little time`(_ name: String) async throws {
        let database = try await TestDatabase.make(withUsers: false)
        await database.call(
            .put, "/records/Post/a", as: .administrator,
            body: #"{"fields":{"data":{"value":"MDEy","type":"BYTES"}}}"#)
        for piece in [
            "a", " ", "\t", ",", "\"", "\",\"", ";q=0.", "-", "=", "(((", "a;a=\"\\", "0-0,", "W/", "%",
            "é",
        ] {
            let value = String(repeating: piece, count: 8_000 / piece.utf8.count)
            let took = await shortestTime(below: .seconds(10)) {
                for (method, target) in [
                    (HTTPMethod.get, "/records/Post/a/data"), (.get, "/records/Post/a"),
                    (.patch, "/records/Post/a"),
                    (.post, "/assets/uploads"), (.post, "/assets"),
                ] {
                    for text in [
                        value, "bytes=" + value, "Bearer " + value, "multipart/form-data; boundary=" + value,
                    ] {
                        let response = await database.call(
                            method, target, body: method == .get ? nil : "{}",
                            headers: [(name, text), ("Tus-Resumable", "1.0.0")])
                        #expect(
                            response.status < 500,
                            "\(method.text) \(target) \(name): \(response.text.prefix(300))")
                    }
                }
            }
            #expect(took < .seconds(10), "\(name) \(piece)")
        }
    }

    @Test func `22: a query without bound in depth, width or cost is rejected quickly`()
        async throws
    {
        let database = try await TestDatabase.make(withUsers: false)
        await database.call(
            .put, "/records/Post/a", as: .administrator, body: #"{"fields":{"n":1,"title":"x"}}"#)
        func nested(_ open: String, _ close: String, _ depth: Int) -> String {
            String(repeating: open, count: depth) + "n == 1" + String(repeating: close, count: depth)
        }
        // Fan-out of two by each level.
        var tree = "n == 1"
        for _ in 0..<12 { tree = "(\(tree) OR NOT \(tree))" }
        for condition in [
            nested("(", ")", 20_000), nested("NOT ", "", 20_000), nested("NOT (", ")", 20_000),
            Array(repeating: "n == 1", count: 20_000).joined(separator: " OR "),
            Array(repeating: "(n == 1 OR n == 2)", count: 5_000).joined(separator: " AND "), tree,
            "n IN {\(Array(repeating: "1", count: 50_000).joined(separator: ","))}",
            "title LIKE '\(String(repeating: "*a", count: 5_000))'",
            "title MATCHES '\(String(repeating: "(a+)+", count: 1_000))$'",
        ] {
            let body: JSONValue = ["recordType": "Post", "where": .string(condition)]
            let took = await shortestTime(below: .seconds(10)) {
                let response = await database.call(
                    .post, "/query", body: String(decoding: body.bytes, as: UTF8.self))
                #expect([400, 413].contains(response.status), "\(condition.prefix(40)): \(response.status)")
                let set = await database.call(
                    .delete, queryTarget("Post", [("where", condition), ("dryRun", "true")]),
                    as: .administrator)
                #expect([400, 413].contains(set.status), "\(condition.prefix(40)): \(set.status)")
            }
            #expect(took < .seconds(10), "\(condition.prefix(40))")
        }
        let sorts = Array(repeating: #"{"fieldName":"n"}"#, count: 5_000).joined(separator: ",")
        for member in [
            #""sortBy":[\#(sorts)]"#, #""limit":1000000000"#, #""limit":-1"#,
            #""filterBy":\#(String(repeating: "[", count: 5_000))\#(String(repeating: "]", count: 5_000))"#,
        ] {
            let response = await database.call(.post, "/query", body: #"{"recordType":"Post",\#(member)}"#)
            #expect([400, 413].contains(response.status), "\(member.prefix(40)): \(response.text.prefix(200))")
        }
    }
}
