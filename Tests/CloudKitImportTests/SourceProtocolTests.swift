import Cryptography
import Encodings
import RecordWire
import TestSupport
import Testing
import Threads

@testable import CloudKitImport

/// Requests to the source, its answers, and the lines of the state file.
@Suite struct SourceProtocolTests {
    @Test func `a signature is valid for the date, the body and the path`() throws {
        let key = try P256PrivateKey(pem: Self.privateKey)
        let path = "/database/1/iCloud.org.example.Orchard/development/public/records/query"
        let body = Array(#"{"query":{"recordType":"Tree"}}"#.utf8)
        let fields = SourceSignature.fields(
            keyID: "abc", key: key, path: path, body: body, now: 1_772_366_400_999)
        #expect(fields.map(\.name).allSatisfy { $0.hasPrefix("X-Apple-CloudKit-Request-") } && fields.count == 3)
        #expect(fields[0].value == "abc" && fields[1].value == "2026-03-01T12:00:00Z")
        let message = "2026-03-01T12:00:00Z:6qyrATmxUYA8hZfNyYVX+PQnHXFtQOVeBkfM9ZYlVZc=:\(path)"
        let signature = try #require(Base64.decode(fields[2].value))
        let publicKey = try P256PublicKey(pem: Self.publicKey)
        #expect(publicKey.isValid(signature: signature, for: Array(message.utf8)))
    }

    @Test func `the path has the path of the URL`() {
        func path(_ url: String, _ isPrivate: Bool) -> String {
            SourceDatabase(url: url, container: "c", environment: "production", isPrivate: isPrivate)
                .path(of: "zones/list")
        }
        #expect(path("https://api.example", false) == "/database/1/c/production/public/zones/list")
        #expect(path("http://a.example:81/fog", true) == "/fog/database/1/c/production/private/zones/list")
    }

    @Test func `answers are judged by status and code`() {
        func answer(_ status: Int, _ body: String, retryAfter: Int64? = nil) -> SourceAnswer {
            SourceAnswer(SourceResponse(status: status, body: Array(body.utf8), retryAfter: retryAfter))
        }
        let error = { (code: String) in #"{"serverErrorCode":"\#(code)","reason":"why"}"# }
        #expect(answer(200, "{}") == .object(JSONObject()))
        #expect(answer(200, "{") == .passing(reason: "the response is no JSON object", delay: nil))
        #expect(answer(503, "<html>", retryAfter: 7) == .passing(reason: "status 503, no reason", delay: 7_000))
        #expect(answer(429, error("THROTTLED")) == .passing(reason: "THROTTLED, why", delay: nil))
        #expect(
            answer(429, #"{"serverErrorCode":"THROTTLED","reason":"why","retryAfter":30}"#, retryAfter: 7)
                == .passing(reason: "THROTTLED, why", delay: 30_000))
        #expect(answer(200, error("BAD_REQUEST")) == .rejected(code: "BAD_REQUEST", reason: "why"))
        #expect(answer(403, error("ACCESS_DENIED")) == .rejected(code: "ACCESS_DENIED", reason: "why"))
        #expect(
            answer(401, error("AUTHENTICATION_FAILED"))
                == .unauthorized(code: "AUTHENTICATION_FAILED", reason: "why", redirectURL: nil))
        #expect(answer(404, "<html>") == .rejected(code: "status 404", reason: "no reason"))
        // Not every 421 is about a sign-in: HTTP/2 has one of its own.
        #expect(answer(421, "Misdirected") == .passing(reason: "status 421", delay: nil))
    }

    @Test func `attempts wait longer each time, and as long as the server asks`() {
        var schedule = RetrySchedule()
        var delays: [Int64] = []
        while let delay = schedule.next(after: nil) { delays.append(delay) }
        #expect(delays == [1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000, 60_000])
        var asked = RetrySchedule()
        #expect(asked.next(after: 90_000) == 90_000 && asked.next(after: 0) == 100)
    }

    @Test func `a source that stays away ends the import with the reason`() async throws {
        let harness = ImportHarness(seed: 1, isPrivate: false)
        harness.source.state.withLock { $0.faults = 1 }
        let result = await harness.result()
        guard case .failure(.failed(let sentences)) = result else {
            Issue.record("Every request fails: \(result)")
            return
        }
        #expect(sentences.first?.contains("did not execute records/query in 10 attempts") == true, "\(sentences)")
        #expect(harness.source.state.withLock { $0.requests.count } == 10)
    }

    @Test func `an event is the same after it was stored`() throws {
        var batch = ImportBatch(WalkName(zone: "Gärten \"1\"", type: "Tree"))
        batch.movesOn = true
        batch.next = "m+/="
        batch.done = ["a\n1"]
        batch.carried = ["Tree": 3, "Leaf": -1]
        batch.deleted = 2
        batch.newest = 1_700_000_000_000
        batch.settled = ["a", "b"]
        batch.deferred = [
            "c": .deletion, "d": .fields(record: JSONObject([("fields", ["x": 1])]), type: "Tree"),
        ]
        batch.problems = ["e": ImportProblem(type: "Tree", reason: "why")]
        batch.notes = [ImportNote(.encrypted, type: "Tree", subject: "x"): 4]
        let identity = ImportIdentity(
            source: SourceDatabase(url: "https://x", container: "c", environment: "production", isPrivate: true),
            target: "here", owner: "_ada")
        var whole = batch
        (whole.movesOn, whole.next, whole.ends) = (false, nil, true)
        for event in [
            .begin(identity), .run, .zone("Z"), .lostZone("Z"), .restart(WalkName(zone: "Z", type: nil)),
            .batch(batch), .batch(whole), .batch(ImportBatch(WalkName(zone: "Z", type: nil))), .complete,
        ] as [ImportEvent] {
            let stored = try JSONValue.parse(event.json.bytes)
            #expect(ImportEvent(stored) == event)
        }
        for text in [#"{"begin":{"version":2}}"#, #"{"unknown":1}"#, "{}", "1", #"{"batch":{}}"#] {
            let stored = try JSONValue.parse(Array(text.utf8))
            #expect(ImportEvent(stored) == nil, "\(text)")
        }
    }

    // A key of its own for these tests.
    static let privateKey = """
        -----BEGIN EC PRIVATE KEY-----
        MHcCAQEEIC5coxjiB37U9GDTq7zazgSZ0HW2jv0AnNJsKsFAW7TVoAoGCCqGSM49
        AwEHoUQDQgAE6ytm9urPtsKslj2rBwXqwtE7su0rqE2LlItHRZFB8gd4GVf9mmzd
        JkRaNk4rhuQ2Dk18lLqDAl2Z0jXIkIGuOA==
        -----END EC PRIVATE KEY-----
        """
    static let publicKey = """
        -----BEGIN PUBLIC KEY-----
        MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE6ytm9urPtsKslj2rBwXqwtE7su0r
        qE2LlItHRZFB8gd4GVf9mmzdJkRaNk4rhuQ2Dk18lLqDAl2Z0jXIkIGuOA==
        -----END PUBLIC KEY-----
        """
}
