import HTTP
import RecordEngine
import RecordModel
import RecordWire
import TestSupport
import Testing

@testable import RecordAPI

/// Zones and changes as clients of CloudKit Web Services use them.
@Suite struct CloudKitChangesTests {
    private static func zones(_ response: Response) -> [JSONValue] { response.json?["zones"]?.array ?? [] }

    private static func names(_ response: Response) -> [String] {
        zones(response).map {
            ($0["zoneID"]?["zoneName"]?.string ?? "?") + ($0["deleted"] == .bool(true) ? " gone" : "")
        }
    }

    @Test func `zones are created, listed, looked up and deleted`() async throws {
        let client = try await CloudKitClient.make()
        let user = try await client.signIn()
        let ann = try #require(client.test.userNames[.creator])
        func call(_ operation: String, _ body: String?) async -> Response {
            await client.call(.post, "private/\(operation)", user: user, body: body)
        }
        let made = await call(
            "zones/modify",
            #"{"operations":[{"operationType":"create","zone":{"zoneID":{"zoneName":"A"}}},{"operationType":"create","zone":{"zoneID":{"zoneName":"B"}}},{"operationType":"create","zone":{"zoneID":{"zoneName":"A"}}},{"operationType":"create","zone":{"zoneID":{"zoneName":"_defaultZone"}}},{"operationType":"delete","zone":{"zoneID":{"zoneName":"Z"}}},{"operationType":"update","zone":{"zoneID":{"zoneName":"A"}}}]}"#
        )
        #expect(made.status == 200, "\(made.text)")
        #expect(
            Self.zones(made).map { $0["serverErrorCode"]?.string } == [
                nil, nil, nil, "BAD_REQUEST", "ZONE_NOT_FOUND", "BAD_REQUEST",
            ], "\(made.text)")
        #expect(Self.names(made) == ["A", "B", "A", "_defaultZone", "Z", "A"])
        let zoneID: JSONValue = [
            "zoneName": "A", "ownerRecordName": .string(ann), "zoneType": "REGULAR_CUSTOM_ZONE",
        ]
        #expect(Self.zones(made).first?["zoneID"] == zoneID)
        #expect(Self.zones(made).first?["atomic"] == .bool(true))
        #expect(Self.zones(made).first?["syncToken"]?.string?.isEmpty == false)
        for list in [
            await call("zones/list", nil), await client.call(.get, "private/zones/list", user: user),
        ] {
            #expect(Self.names(list) == ["_defaultZone", "A", "B"], "\(list.text)")
            #expect(Self.zones(list).map { $0["atomic"]?.bool } == [false, true, true])
            #expect(Self.zones(list).first?["zoneID"]?["zoneType"] == "DEFAULT_ZONE")
        }
        // Both spellings of a zone, and an object in place of a list.
        let found = await call(
            "zones/lookup",
            #"{"zones":[{"zoneName":"B"},{"zoneID":{"zoneName":"A","ownerRecordName":"\#(ann)"}},{"zoneName":"Z"}]}"#)
        #expect(Self.names(found) == ["B", "A", "Z"], "\(found.text)")
        #expect(Self.zones(found).last?["serverErrorCode"] == "ZONE_NOT_FOUND")
        #expect(Self.zones(found).last?["reason"] == "Zone not found")
        #expect(Self.names(await call("zones/lookup", #"{"zones":{"zoneName":"B"}}"#)) == ["B"])
        let gone = await call(
            "zones/modify", #"{"operations":{"operationType":"delete","zone":{"zoneID":{"zoneName":"B"}}}}"#)
        #expect(Self.names(gone) == ["B gone"], "\(gone.text)")
        #expect(Self.names(await call("zones/list", "{}")) == ["_defaultZone", "A"])
        let publicly = await client.call(.get, "public/zones/list")
        #expect(Self.names(publicly) == ["_defaultZone"], "\(publicly.text)")
    }

    @Test func `zones need a user, and a private database`() async throws {
        let client = try await CloudKitClient.make()
        let user = try await client.signIn()
        let create = #"{"operations":[{"operationType":"create","zone":{"zoneID":{"zoneName":"A"}}}]}"#
        #expect(await client.call(.get, "private/zones/list").status == 421)
        #expect(await client.call(.post, "private/zones/modify", body: create).status == 421)
        #expect(try await client.signed(.get, "private/zones/list").status == 401)
        for (path, body, reason) in [
            ("public/zones/modify", create, "not applicable"), ("public/changes/database", "{}", "not applicable"),
            ("public/changes/zone", #"{"zones":[]}"#, "not applicable"),
            ("private/zones/modify", "{}", "'operations' is missing"),
            ("private/zones/lookup", "[]", "Unexpected input"),
            ("private/changes/zone", "{}", "'zones' is missing"),
            ("private/changes/zone", #"{"zones":[{"zoneID":7}]}"#, "Unexpected input"),
            ("private/changes/zone", #"{"zones":[],"resultsLimit":0}"#, "greater than 0"),
        ] {
            let response = await client.call(.post, path, user: user, body: body)
            #expect(response.status == 400 && response.code == "BAD_REQUEST", "\(path): \(response.text)")
            #expect(response.json?["reason"]?.string?.contains(reason) == true, "\(path): \(response.text)")
        }
    }

    @Test func `changes of a zone come in pages, with tombstones`() async throws {
        let (client, user) = try await CloudKitZoneTests.make()
        func changes(_ zone: String, _ rest: String = "", request: String = "") async -> JSONValue? {
            let response = await client.call(
                .post, "private/changes/zone", user: user,
                body: #"{"zones":[{"zoneID":{"zoneName":"\#(zone)"}\#(rest)}]\#(request)}"#)
            #expect(response.status == 200, "\(response.text)")
            return Self.zones(response).first
        }
        for index in 0..<5 {
            _ = await CloudKitZoneTests.modify(
                client, user: user, zone: "A", CloudKitZoneTests.create("r\(index)", index))
        }
        let delete = CloudKitModifyRouteTests.operation("forceDelete", #""recordName":"r1""#)
        _ = await CloudKitZoneTests.modify(client, user: user, zone: "A", delete)
        let first = try #require(await changes("A", #","resultsLimit":3"#))
        #expect(first["records"]?.array?.map { $0["recordName"]?.string } == ["r0", "r2", "r3"], "\(first)")
        #expect(first["moreComing"] == .bool(true))
        #expect(first["records"]?.array?.first?["deleted"] == .bool(false))
        #expect(first["records"]?.array?.first?["zoneID"]?["zoneName"] == "A")
        let token = try #require(first["syncToken"]?.string)
        let second = try #require(await changes("A", #","syncToken":"\#(token)""#, request: #","resultsLimit":3"#))
        #expect(second["records"]?.array?.map { $0["recordName"]?.string } == ["r4", "r1"], "\(second)")
        let tombstone = try #require(second["records"]?.array?.last?.object)
        #expect(tombstone["deleted"] == .bool(true) && tombstone["recordType"] == .null && tombstone["fields"] == nil)
        #expect(tombstone["recordChangeTag"]?.string?.isEmpty == false)
        #expect(second["moreComing"] == .bool(false))
        let end = try #require(second["syncToken"]?.string)
        let nothing = try #require(await changes("A", #","syncToken":"\#(end)""#))
        #expect(nothing["records"] == .array([]) && nothing["moreComing"] == .bool(false))
        // An empty token is no token.
        let reversed = try #require(await changes("A", #","syncToken":"","reverse":true"#))
        #expect(reversed["records"]?.array?.map { $0["recordName"]?.string } == ["r1", "r4", "r3", "r2", "r0"])
        let few = try #require(
            await changes("A", #","desiredKeys":[],"desiredRecordTypes":["Post"],"numbersAsStrings":true"#))
        #expect(few["records"]?.array?.first?["fields"] == .object(JSONObject()))
        #expect(few["records"]?.array?.count == 5)
        let text = try #require(await changes("A", #","numberAsStrings":true"#))
        #expect(text["records"]?.array?.first?["fields"]?["number"]?["value"] == "0")
        let others = try #require(await changes("A", #","desiredRecordTypes":["Other","no type"]"#))
        #expect(others["records"] == .array([]))
        for (zone, rest, code, reason) in [
            ("_defaultZone", "", "BAD_REQUEST", "cannot get changes in default zone"),
            ("Z", "", "ZONE_NOT_FOUND", "Zone not found"),
            ("A", #","syncToken":"AAAA""#, "BAD_REQUEST", "Unknown sync continuation type"),
            ("B", #","syncToken":"\#(end)""#, "BAD_REQUEST", "Unknown sync continuation type"),
        ] {
            let failed = try #require(await changes(zone, rest))
            #expect(failed["serverErrorCode"]?.string == code, "\(failed)")
            #expect(failed["reason"]?.string == reason, "\(failed)")
            #expect(failed["zoneID"]?["zoneName"]?.string == zone)
        }
        // The older operation for one zone fails as a whole.
        let older = await client.call(
            .post, "private/records/changes", user: user, body: #"{"zoneID":{"zoneName":"A"},"syncToken":"\#(token)"}"#)
        #expect(older.records.map { $0["recordName"]?.string } == ["r4", "r1"], "\(older.text)")
        let standard = await client.call(.post, "private/records/changes", user: user, body: #"{"resultsLimit":10}"#)
        #expect(standard.status == 400 && standard.text.contains("default zone"))
    }

    @Test func `changes of a database tell which zones changed`() async throws {
        let (client, user) = try await CloudKitZoneTests.make()
        func changes(_ body: String, _ operation: String = "changes/database") async -> Response {
            await client.call(.post, "private/\(operation)", user: user, body: body)
        }
        let first = await client.call(.post, "private/changes/database", user: user)
        #expect(Self.names(first) == ["A", "B"], "\(first.text)")
        #expect(first.json?["moreComing"] == .bool(false))
        let token = try #require(first.json?["syncToken"]?.string)
        #expect(Self.names(await changes(#"{"syncToken":"\#(token)"}"#)) == [])
        // The default zone has no changes.
        _ = await CloudKitZoneTests.modify(client, user: user, zone: nil, CloudKitZoneTests.create("d"))
        _ = await CloudKitZoneTests.modify(client, user: user, zone: "A", CloudKitZoneTests.create("a"))
        let second = await changes(#"{"syncToken":"\#(token)"}"#)
        #expect(Self.names(second) == ["A"], "\(second.text)")
        // Its token is that of the zone's end.
        let end = try #require(Self.zones(second).first?["syncToken"]?.string)
        let zone = await client.call(
            .post, "private/changes/zone", user: user,
            body: #"{"zones":[{"zoneID":{"zoneName":"A"},"syncToken":"\#(end)"}]}"#)
        #expect(Self.zones(zone).first?["records"] == .array([]), "\(zone.text)")
        await client.test.call(.delete, "/zones/B?database=private", as: .creator)
        let third = await changes(#"{"metaSyncToken":"\#(token)"}"#, "zones/changes")
        #expect(Self.names(third) == ["A", "B gone"], "\(third.text)")
        #expect(third.json?["metaSyncToken"] == third.json?["syncToken"])
        let page = await changes(#"{"resultsLimit":1}"#)
        #expect(page.json?["moreComing"] == .bool(true))
        // The tokens of zones and of databases are different kinds.
        let mixed = await changes(#"{"syncToken":"\#(end)"}"#)
        #expect(mixed.status == 400 && mixed.text.contains("Unknown sync continuation type"))
        let other = await client.call(
            .post, "private/changes/zone", user: user,
            body: #"{"zones":[{"zoneID":{"zoneName":"A"},"syncToken":"\#(token)"}]}"#)
        #expect(Self.zones(other).first?["serverErrorCode"] == "BAD_REQUEST", "\(other.text)")
    }
}
