import HTTP
import RecordModel
import RecordWire
import TestSupport
import Testing

@testable import RecordAPI

/// `records/lookup` as exchanges of requests and responses.
@Suite struct CloudKitLookupRouteTests {
    @Test func `each name has a member in order, with its record or an error`() async throws {
        let client = try await CloudKitClient.make()
        try await client.test.addForum()
        let user = try await client.signIn()
        let response = await client.call(
            .post, "public/records/lookup", user: user,
            body:
                #"{"records":[{"recordName":"p2"},{"recordName":"none"},{"recordName":"p1","recordType":"X"},{"recordName":"p2"},{"recordName":""},{"recordName":"a/b"}]}"#
        )
        #expect(response.status == 200, "\(response.text)")
        #expect(response.records.map { $0["recordName"]?.string } == ["p2", "none", "p1", "p2", "", "a/b"])
        #expect(
            response.records.map { $0["serverErrorCode"]?.string } == [
                nil, "NOT_FOUND", nil, nil, "NOT_FOUND", "NOT_FOUND",
            ], "\(response.text)")
        #expect(
            response.records[1] == [
                "recordName": "none", "reason": "Record not found", "serverErrorCode": "NOT_FOUND",
                "uuid": CloudKitClient.uuid,
            ])
        #expect(response.records[0]["recordType"] == "Post" && response.records[0]["pluginFields"] == [:])
    }

    @Test func `a record that exists without READ is hidden, unless the caller may write it`() async throws {
        let client = try await CloudKitClient.make()
        try await client.test.addForum()
        let names = #"{"records":[{"recordName":"s1"},{"recordName":"d1"}]}"#
        // Ann created both. Besides her only editors may read `Secret`, and nobody else `Drop`.
        let user = try await client.signIn(as: "bob")
        let his = await client.call(.post, "public/records/lookup", user: user, body: names)
        #expect(his.records.map { $0["serverErrorCode"]?.string } == ["NOT_FOUND", "NOT_FOUND"], "\(his.text)")
        let anonymous = await client.call(.post, "public/records/lookup", body: names)
        #expect(anonymous.records.map { $0["reason"]?.string } == ["Record not found", "Record not found"])
        let granted = await client.test.call(
            .put, "/grants/Drop", as: .administrator, body: #"{"grants":{"_icloud":["WRITE"]}}"#)
        try #require(granted.status == 200, "\(granted.text)")
        let writer = await client.call(.post, "public/records/lookup", user: user, body: names)
        #expect(writer.records[1]["serverErrorCode"] == "ACCESS_DENIED", "\(writer.text)")
        #expect(writer.records[1]["reason"] == "READ operation not permitted")
        #expect(writer.records[1]["recordType"] == nil)
    }

    @Test func `desiredKeys of a record take precedence over those of the request`() async throws {
        let client = try await CloudKitClient.make()
        let user = try await client.signIn()
        for name in ["a", "b"] {
            try await CloudKitModifyRouteTests.save(
                client, name, #""one":{"value":1},"two":{"value":2}"#, user: user)
        }
        let response = await client.call(
            .post, "public/records/lookup", user: user,
            body:
                #"{"records":[{"recordName":"a"},{"recordName":"b","desiredKeys":["two"]}],"desiredKeys":["one"],"numbersAsStrings":true}"#
        )
        #expect(response.records.map { $0["fields"]?.object?.keys } == [["one"], ["two"]], "\(response.text)")
        #expect(response.records[0]["fields"]?["one"]?["value"] == "1")
    }

    @Test func `a lookup names at most 200 records, and never more bytes than fit`() async throws {
        let client = try await CloudKitClient.make()
        func names(_ count: Int) -> String {
            #"{"records":[\#((0..<count).map { #"{"recordName":"\#($0)"}"# }.joined(separator: ","))]}"#
        }
        let most = await client.call(.post, "public/records/lookup", body: names(200))
        #expect(most.status == 200 && most.records.count == 200, "\(most.text.prefix(200))")
        let more = await client.call(.post, "public/records/lookup", body: names(201))
        #expect(more.status == 400 && more.code == "BAD_REQUEST", "\(more.text)")
    }

    @Test func `the zone must exist`() async throws {
        let client = try await CloudKitClient.make()
        let response = await client.call(
            .post, "public/records/lookup", body: #"{"records":[{"recordName":"a"}],"zoneID":{"zoneName":"Other"}}"#)
        #expect(response.status == 404 && response.code == "ZONE_NOT_FOUND", "\(response.text)")
    }
}
