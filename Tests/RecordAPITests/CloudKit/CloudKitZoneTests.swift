import HTTP
import RecordModel
import RecordWire
import TestSupport
import Testing

@testable import RecordAPI

/// Records in the custom zones of a private database.
@Suite struct CloudKitZoneTests {
    /// A private database with the zones `A` and `B`.
    static func make() async throws -> (client: CloudKitClient, user: String) {
        let client = try await CloudKitClient.make()
        let user = try await client.signIn()
        for zone in ["A", "B"] {
            let made = await client.test.call(.put, "/zones/\(zone)?database=private", as: .creator)
            try #require(made.status == 201, "\(made.text)")
        }
        return (client, user)
    }

    static func modify(
        _ client: CloudKitClient, user: String, zone: String?, _ operations: String..., rest: String = ""
    ) async -> Response {
        let zone = zone.map { #","zoneID":{"zoneName":"\#($0)"}"# } ?? ""
        return await client.call(
            .post, "private/records/modify", user: user,
            body: #"{"operations":[\#(operations.joined(separator: ","))]\#(zone)\#(rest)}"#)
    }

    static func create(_ name: String, _ number: Int = 0) -> String {
        CloudKitModifyRouteTests.operation(
            "create", #""recordName":"\#(name)","recordType":"Post","fields":{"number":{"value":\#(number)}}"#)
    }

    @Test func `records of custom zones tell their zone`() async throws {
        let (client, user) = try await Self.make()
        let ann = try #require(client.test.userNames[.creator])
        let zoneID: JSONValue = [
            "zoneName": "A", "ownerRecordName": .string(ann), "zoneType": "REGULAR_CUSTOM_ZONE",
        ]
        let made = await Self.modify(client, user: user, zone: "A", Self.create("a"))
        #expect(made.records.first?["zoneID"] == zoneID, "\(made.text)")
        for (operation, body) in [
            ("lookup", #"{"records":[{"recordName":"a"}],"zoneID":{"zoneName":"A"}}"#),
            ("lookup", #"{"records":[{"recordName":"a","zoneID":{"zoneName":"A","ownerRecordName":"\#(ann)"}}]}"#),
            ("query", #"{"query":{"recordType":"Post"},"zoneID":{"zoneName":"A"},"zoneWide":true}"#),
        ] {
            let response = await client.call(.post, "private/records/\(operation)", user: user, body: body)
            #expect(response.records.map { $0["zoneID"] } == [zoneID], "\(response.text)")
        }
        let elsewhere = await client.call(
            .post, "private/records/lookup", user: user, body: #"{"records":[{"recordName":"a"}]}"#)
        #expect(elsewhere.records.first?["serverErrorCode"] == "NOT_FOUND")
        let publicly = await client.call(
            .post, "public/records/lookup", user: user, body: #"{"records":[],"zoneID":{"zoneName":"A"}}"#)
        #expect(publicly.status == 404 && publicly.code == "ZONE_NOT_FOUND", "\(publicly.text)")
    }

    @Test func `a batch in a custom zone is atomic, unless the client says no`() async throws {
        let (client, user) = try await Self.make()
        let stale = CloudKitModifyRouteTests.operation(
            "update", #""recordName":"none","recordChangeTag":"1","fields":{}"#)
        let failed = await Self.modify(client, user: user, zone: "A", Self.create("a"), stale, Self.create("b"))
        #expect(failed.status == 200)
        #expect(
            failed.records.map { $0["serverErrorCode"]?.string } == ["ATOMIC_ERROR", "NOT_FOUND", "ATOMIC_ERROR"],
            "\(failed.text)")
        #expect(
            failed.records.map { $0["reason"]?.string } == [
                "batch failed", "recordChangeTag specified, but record not found", "batch failed",
            ])
        #expect(failed.records.map { $0["recordName"]?.string } == ["a", "none", "b"])
        for (zone, rest) in [("A", #","atomic":false"#), ("_defaultZone", #","atomic":true"#)] {
            let single = await Self.modify(
                client, user: user, zone: zone, Self.create("a"), stale, Self.create("b"), rest: rest)
            #expect(single.records.map { $0["serverErrorCode"]?.string } == [nil, "NOT_FOUND", nil], "\(single.text)")
        }
    }

    @Test func `a query over all zones merges them in its order, page by page`() async throws {
        let (client, user) = try await Self.make()
        for (index, zone) in ["_defaultZone", "A", "B", "A", "B", "_defaultZone", "B", "A"].enumerated() {
            let made = await Self.modify(client, user: user, zone: zone, Self.create("r\(index)", index))
            try #require(made.records.first?["serverErrorCode"] == nil, "\(made.text)")
        }
        for sort in [#""ascending":true"#, #""ascending":false"#] {
            var marker = ""
            var found: [(name: String?, zone: String?)] = []
            repeat {
                let rest = marker.isEmpty ? "" : #","continuationMarker":"\#(marker)""#
                let response = await client.call(
                    .post, "private/records/query", user: user,
                    body:
                        #"{"query":{"recordType":"Post","filterBy":{"fieldName":"number","comparator":"GREATER_THAN","fieldValue":{"value":0}},"sortBy":[{"fieldName":"number",\#(sort)}]},"zoneWide":true,"resultsLimit":3\#(rest)}"#
                )
                try #require(response.status == 200, "\(response.text)")
                found += response.records.map { ($0["recordName"]?.string, $0["zoneID"]?["zoneName"]?.string) }
                marker = response.json?["continuationMarker"]?.string ?? ""
            } while !marker.isEmpty && found.count < 20
            let expected: [(String, String?)] = [
                ("r1", "A"), ("r2", "B"), ("r3", "A"), ("r4", "B"), ("r5", nil), ("r6", "B"), ("r7", "A"),
            ]
            let isAscending = sort.hasSuffix("true")
            #expect(found.map(\.name) == (isAscending ? expected : expected.reversed()).map(\.0))
            #expect(found.map(\.zone) == (isAscending ? expected : expected.reversed()).map(\.1))
        }
        let one = await client.call(
            .post, "private/records/query", user: user, body: #"{"query":{"recordType":"Post"}}"#)
        #expect(one.records.map { $0["recordName"]?.string } == ["r0", "r5"], "\(one.text)")
    }

    @Test func `references stay within their zone`() async throws {
        let (client, user) = try await Self.make()
        func link(_ zone: String) -> String {
            CloudKitModifyRouteTests.operation(
                "create",
                #""recordType":"Post","fields":{"link":{"value":{"recordName":"a","action":"NONE","zoneID":{"zoneName":"\#(zone)"}},"type":"REFERENCE"}}"#
            )
        }
        let response = await Self.modify(
            client, user: user, zone: "A", link("A"), link("B"), rest: #","atomic":false"#)
        #expect(response.records.map { $0["serverErrorCode"]?.string } == [nil, "BAD_REQUEST"], "\(response.text)")
    }

    @Test func `an upload is for a record in its zone`() async throws {
        let (client, user) = try await Self.make()
        let tokens = await client.call(
            .post, "private/assets/upload", user: user,
            body: #"{"tokens":[{"recordType":"Post","fieldName":"photo","recordName":"a"}],"zoneID":{"zoneName":"A"}}"#)
        let path = try CloudKitAssetTests.path(
            of: try #require(tokens.json?["tokens"]?.array?.first?["url"]?.string, "\(tokens.text)"))
        let uploaded = await client.test.call(.post, path, body: "x")
        let value = String(decoding: try #require(uploaded.json?["singleFile"]).bytes, as: UTF8.self)
        let create = CloudKitModifyRouteTests.operation(
            "create", #""recordName":"a","recordType":"Post","fields":{"photo":{"value":\#(value)}}"#)
        for (zone, code) in [("B", "BAD_REQUEST"), ("A", nil)] {
            let saved = await Self.modify(client, user: user, zone: zone, create)
            #expect(saved.records.first?["serverErrorCode"]?.string == code, "\(zone): \(saved.text)")
        }
    }
}
