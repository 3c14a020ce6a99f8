import HTTP
import RecordWire
import Testing

/// Times outside of records.
@Suite struct MomentTests {
    @Test func `moments of the audit log and of keys may be texts`() async throws {
        let database = try await TestDatabase.make(withUsers: false)
        await database.call(.put, "/roles/helpers", as: .administrator, body: #"{"members":[]}"#)
        let entries = { (response: Response) in response.json?["entries"]?.array?.count }
        let since = await database.call(.get, "/audit?action=role.put&since=2020-01-01", as: .administrator)
        #expect(entries(since) == 1, "\(since.text)")
        let until = await database.call(
            .get, "/audit?action=role.put&until=2020-01-01T00:00:00.123456%2B09:00", as: .administrator)
        #expect(entries(until) == 0, "\(until.text)")
        await database.play([
            Scenario(
                "another month", .administrator, .get, "/audit?since=2020-13-01", 400,
                contains: ["time in month 13", "Write it like 2026-03-01T12:00:00.250Z"]),
            Scenario(
                "a plus that was a blank", .administrator, .get, "/audit?since=2020-01-01T00:00:00+09:00", 400,
                contains: ["%2B"]),
            Scenario(
                "a key's end", .administrator, .post, "/keys",
                #"{"name":"a","scope":{"readOnly":true},"expiresAt":"2040-01-01T00:00:00Z"}"#, 201,
                contains: [#""expiresAt":2208988800000"#]),
            Scenario(
                "a key's end without a time of day", .administrator, .post, "/keys",
                #"{"name":"b","scope":{"readOnly":true},"expiresAt":"2999-01-01"}"#, 400,
                contains: ["date without a time of day", "2999-01-01T00:00:00Z"]),
        ])
    }
}
