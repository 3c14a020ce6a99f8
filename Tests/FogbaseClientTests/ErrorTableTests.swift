import FogbaseClient
import Foundation
import RecordModel
import Testing

/// The errors of the interface, as an app gets them.
@Suite struct ErrorTableTests {
    /// The name of the case of an error.
    private func word(_ error: FogbaseError?) -> String {
        switch error {
        case .notAuthenticated: "notAuthenticated"
        case .authenticationFailed: "authenticationFailed"
        case .accessDenied: "accessDenied"
        case .conflict: "conflict"
        case .exists: "exists"
        case .notFound: "notFound"
        case .zoneNotFound: "zoneNotFound"
        case .badRequest: "badRequest"
        case .limitExceeded: "limitExceeded"
        case .quotaExceeded: "quotaExceeded"
        case .tokenExpired: "tokenExpired"
        case .referenceViolation: "referenceViolation"
        case .batchFailed: "batchFailed"
        case .throttled: "throttled"
        case .unavailable: "unavailable"
        case .serverFailed: "serverFailed"
        case .unreachable: "unreachable"
        case .responseLost: "responseLost"
        case .decoding: "decoding"
        case .invalidArgument: "invalidArgument"
        case .notFogbase: "notFogbase"
        case nil: "none"
        }
    }

    private func error(_ status: Int, _ body: String, token: String? = nil) async -> FogbaseError? {
        let database = Fogbase(
            LiveServer.local(1), tokens: MemoryTokenStore(token), retry: .never,
            transport: StubTransport(status, body)
        ).container().publicDatabase
        do {
            _ = try await database.fetch("Post", "a")
            return nil
        } catch {
            return error as? FogbaseError
        }
    }

    @Test func `each code of the interface has its case`() async {
        let table: [RecordError.Code: (Int, String)] = [
            .accessDenied: (403, "accessDenied"), .atomicError: (400, "batchFailed"),
            .authenticationFailed: (401, "authenticationFailed"), .authenticationRequired: (401, "notAuthenticated"),
            .badRequest: (400, "badRequest"), .conflict: (412, "conflict"), .exists: (409, "exists"),
            .internalError: (500, "serverFailed"), .notFound: (404, "notFound"), .quotaExceeded: (413, "quotaExceeded"),
            .throttled: (429, "throttled"), .tryAgainLater: (503, "unavailable"),
            .validatingReferenceError: (412, "referenceViolation"), .zoneNotFound: (404, "zoneNotFound"),
        ]
        #expect(Set(table.keys) == Set(RecordError.Code.allCases))
        for (code, (status, expected)) in table {
            let body = #"{"uuid":"u","serverErrorCode":"\#(code.rawValue)","reason":"why","retryAfter":7}"#
            let error = await error(status, body)
            #expect(word(error) == expected, "\(code)")
            #expect(error?.status == status && error?.reason == "why" && error?.retryAfter == .seconds(7), "\(code)")
            #expect(error?.serverError?.requestID == "r1", "\(code)")
            #expect(error?.isRetryable == [429, 500, 503].contains(status), "\(code)")
        }
    }

    @Test func `each cause of the interface has its case, and stays to be read`() async {
        // Those that are not here have the case of their code.
        let table: [RecordError.Cause: (RecordError.Code, Int, String)] = [
            .tokenExpired: (.badRequest, 410, "tokenExpired"), .tooLarge: (.badRequest, 413, "limitExceeded"),
            .tooManyAffected: (.badRequest, 409, "limitExceeded"), .storageFull: (.internalError, 507, "quotaExceeded"),
            .preconditionFailed: (.conflict, 412, "conflict"), .uniqueViolation: (.exists, 409, "exists"),
            .wrongPassword: (.accessDenied, 403, "accessDenied"),
            .accountDisabled: (.accessDenied, 403, "accessDenied"),
            .unavailable: (.tryAgainLater, 503, "unavailable"), .indexBuilding: (.tryAgainLater, 503, "unavailable"),
            .setInterrupted: (.badRequest, 409, "badRequest"), .nameTaken: (.exists, 409, "exists"),
            .requestAbandoned: (.tryAgainLater, 499, "unavailable"),
        ]
        for cause in RecordError.Cause.allCases {
            let (code, status, expected) = table[cause] ?? (.badRequest, 400, "badRequest")
            let body = #"""
                {"uuid":"u","serverErrorCode":"\#(code.rawValue)","reason":"why",
                 "details":{"cause":"\#(cause.rawValue)","field":"title","offset":12,"names":["a","b"]}}
                """#
            let error = await error(status, body)
            #expect(word(error) == expected, "\(cause)")
            #expect(error?.serverError?.cause == cause && error?.field == "title", "\(cause)")
            #expect(error?.serverError?.details == ["field": "title", "offset": "12", "names": "a, b"], "\(cause)")
        }
    }

    @Test func `a response that is not the server's is reported as such`() async {
        for body in ["", "<html>Bad Gateway</html>", "{}", "[]", #"{"reason":"why"}"#] {
            let error = await error(502, body)
            #expect(word(error) == "notFogbase" && error?.status == 502, "\(body)")
        }
        for body in ["", "<html>", #"{"recordName":"a""#] {
            #expect(word(await error(200, body)) == "notFogbase", "\(body)")
        }
        // Codes of a later version.
        #expect(word(await error(418, #"{"serverErrorCode":"NEW","reason":"why"}"#)) == "badRequest")
        #expect(word(await error(599, #"{"serverErrorCode":"NEW","reason":"why"}"#)) == "serverFailed")
    }

    @Test func `a rejected token ends the session and is not sent a second time`() async {
        let body = #"{"uuid":"u","serverErrorCode":"AUTHENTICATION_FAILED","reason":"why"}"#
        #expect(word(await error(401, body, token: "fbs_x")) == "notAuthenticated")
        let (tokens, transport) = (MemoryTokenStore("fbs_x"), StubTransport(401, body))
        let container = Fogbase(LiveServer.local(1), tokens: tokens, transport: transport).container()
        await #expect(throws: FogbaseError.self) { try await container.currentUser() }
        #expect(await tokens.token() == nil)
        #expect(await transport.count == 1)
    }

    @Test func `only transient errors are retried, as often as the policy says`() async {
        func count(_ status: Int, _ code: String, retryAfter: Int = 1) async -> Int {
            let body = #"{"uuid":"u","serverErrorCode":"\#(code)","reason":"why","retryAfter":\#(retryAfter)}"#
            let transport = StubTransport(status, body)
            let retry = RetryPolicy(attempts: 3) { _ in }
            let fogbase = Fogbase(LiveServer.local(1), retry: retry, transport: transport)
            _ = try? await fogbase.container().publicDatabase.save(Record("Post"))
            return await transport.count
        }
        #expect(await count(429, "THROTTLED") == 3)
        #expect(await count(503, "TRY_AGAIN_LATER") == 3)
        #expect(await count(500, "INTERNAL_ERROR") == 3)
        #expect(await count(429, "THROTTLED", retryAfter: 3_600) == 1)
        for (status, code) in [(400, "BAD_REQUEST"), (403, "ACCESS_DENIED"), (404, "NOT_FOUND"), (412, "CONFLICT")] {
            #expect(await count(status, code) == 1, "\(code)")
        }
    }
}
