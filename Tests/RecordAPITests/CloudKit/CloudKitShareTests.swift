import HTTP
import RecordWire
import TestSupport
import Testing

@testable import RecordAPI

/// Shares in CloudKit's protocol: Ann shares a record of her zone `A`, and Bob joins.
@Suite struct CloudKitShareTests {
    private struct World {
        let client: CloudKitClient
        let ann: String
        let bob: String
        let annName: String
        let bobName: String
        var guid = ""

        func call(_ operation: String, as user: String, _ body: String) async -> Response {
            await client.call(.post, operation, user: user, body: body)
        }

        /// The zone as Bob names it.
        var zone: String { #"{"zoneName":"A","ownerRecordName":"\#(annName)"}"# }
    }

    private static func make(participants: String? = nil, publicPermission: String = "NONE") async throws -> World {
        let (client, ann) = try await CloudKitZoneTests.make()
        let bob = try await client.signIn(as: "bob")
        var world = World(
            client: client, ann: ann, bob: bob, annName: try #require(client.test.userNames[.creator]),
            bobName: try #require(client.test.userNames[.stranger]))
        let root = await world.call(
            "private/records/modify", as: ann,
            #"""
            {"zoneID":{"zoneName":"A"},"operations":[
            {"operationType":"create","record":{"recordName":"root","recordType":"Post","createShortGUID":true,
            "fields":{"number":{"value":1}}}},
            {"operationType":"create","record":{"recordName":"child","recordType":"Post",
            "parent":{"recordName":"root"},"fields":{"number":{"value":2}}}},
            {"operationType":"create","record":{"recordName":"other","recordType":"Post","fields":{"number":{"value":3}}}}]}
            """#)
        let record = try #require(root.records.first)
        let tag = try #require(record["recordChangeTag"]?.string, "\(root.text)")
        let guid = try #require(record["shortGUID"]?.string, "\(root.text)")
        #expect(root.records.dropFirst().first?["parent"]?["recordName"] == "root", "\(root.text)")
        let entry =
            participants
            ?? #"{"type":"USER","permission":"READ_WRITE","acceptanceStatus":"INVITED","userIdentity":{"lookupInfo":{"userRecordName":"\#(world.bobName)"}}}"#
        let share = await world.call(
            "private/records/modify", as: ann,
            #"""
            {"zoneID":{"zoneName":"A"},"operations":[{"operationType":"create","record":{"recordName":"the share",
            "recordType":"cloudkit.share","fields":{},"forRecord":{"recordName":"root","recordChangeTag":"\#(tag)"},
            "publicPermission":"\#(publicPermission)","participants":[\#(entry)]}}]}
            """#)
        #expect(share.records.first?["shortGUID"]?.string == guid, "\(share.text)")
        world.guid = guid
        return world
    }

    @Test func `the link for one person leads this person to the share again, and nobody else`() async throws {
        let world = try await Self.make(
            participants:
                #"{"type":"USER","permission":"READ_ONLY","userIdentity":{"lookupInfo":{"emailAddress":"b@example.org"}}}"#
        )
        let share = await world.call(
            "private/records/lookup", as: world.ann,
            #"{"records":[{"recordName":"the share"}],"zoneID":{"zoneName":"A"}}"#)
        let participants = share.records.first?["participants"]?.array ?? []
        let guids = participants.compactMap { $0["shortGUID"]?.string }
        let guid = try #require(guids.first, "\(share.text)")
        let eve = try await world.client.signIn(as: "eve")
        func result(_ operation: String, _ user: String) async -> JSONValue? {
            let body = #"{"shortGUIDs":[{"value":"\#(guid)","shouldFetchRootRecord":true}]}"#
            return await world.call("public/records/\(operation)", as: user, body).json?["results"]?.array?.first
        }
        let joined = await result("accept", world.bob)
        #expect(joined?["participantStatus"] == "ACCEPTED", "\(String(describing: joined))")
        for operation in ["accept", "resolve", "accept"] {
            let again = await result(operation, world.bob)
            #expect(again == joined, "\(operation): \(String(describing: again))")
            for user in [eve, world.ann] {
                #expect(await result(operation, user)?["serverErrorCode"] == "NOT_FOUND")
            }
        }
    }

    @Test func `a user resolves and accepts a link, and uses the shared database`() async throws {
        let world = try await Self.make()
        let link = #"{"shortGUIDs":[{"value":"\#(world.guid)","shouldFetchRootRecord":true},{"value":"none"}]}"#
        let resolved = await world.call("public/records/resolve", as: world.bob, link)
        let results = try #require(resolved.json?["results"]?.array, "\(resolved.text)")
        #expect(results.first?["participantStatus"] == "INVITED" && results.first?["rootRecord"] == nil)
        #expect(results.first?["ownerIdentity"]?["userRecordName"]?.string == world.annName)
        #expect(results.last?["serverErrorCode"] == "NOT_FOUND" && results.last?["shortGUID"] == "none")
        #expect(
            await world.call("shared/zones/list", as: world.bob, "{}").json?["zones"]?.array?.isEmpty == true)
        let accepted = await world.call("public/records/accept", as: world.bob, link)
        let joined = try #require(accepted.json?["results"]?.array?.first, "\(accepted.text)")
        #expect(joined["participantStatus"] == "ACCEPTED" && joined["databaseScope"] == "SHARED")
        #expect(joined["rootRecordName"] == "root" && joined["rootRecord"]?["recordName"] == "root", "\(accepted.text)")
        #expect(joined["share"]?["recordType"] == "cloudkit.share")
        #expect(joined["zoneID"]?["ownerRecordName"]?.string == world.annName)
        let zones = await world.call("shared/zones/list", as: world.bob, "{}")
        let zone = try #require(zones.json?["zones"]?.array?.first, "\(zones.text)")
        #expect(zone["zoneID"]?["ownerRecordName"]?.string == world.annName)
        for (operation, body, names) in [
            (
                "lookup", #"{"records":[{"recordName":"root"},{"recordName":"other"}],"zoneID":\#(world.zone)}"#,
                ["root", "other"]
            ),
            ("query", #"{"query":{"recordType":"Post"},"zoneID":\#(world.zone)}"#, ["root", "child"]),
        ] {
            let response = await world.call("shared/records/\(operation)", as: world.bob, body)
            #expect(response.records.map { $0["recordName"]?.string } == names, "\(response.text)")
            #expect(response.records.first?["zoneID"]?["ownerRecordName"]?.string == world.annName)
            #expect(!response.text.contains(#""value":3"#), "\(response.text)")
        }
        let written = await world.call(
            "shared/records/modify", as: world.bob,
            #"""
            {"zoneID":\#(world.zone),"operations":[{"operationType":"create","record":{"recordName":"bobs",
            "recordType":"Post","parent":{"recordName":"child"},"fields":{"number":{"value":4}}}}]}
            """#)
        #expect(written.records.first?["created"]?["userRecordName"]?.string == world.bobName, "\(written.text)")
        let refused = await world.call(
            "shared/records/modify", as: world.bob,
            #"""
            {"zoneID":\#(world.zone),"atomic":false,"operations":[{"operationType":"create","record":{
            "recordType":"Post","fields":{}}},
            {"operationType":"forceUpdate","record":{"recordName":"other","recordType":"Post","fields":{}}}]}
            """#)
        #expect(refused.records.first?["serverErrorCode"] == "ACCESS_DENIED", "\(refused.text)")
        let left = await world.call(
            "private/records/lookup", as: world.ann,
            #"{"records":[{"recordName":"other"},{"recordName":"bobs"}],"zoneID":{"zoneName":"A"}}"#)
        #expect(left.records.allSatisfy { $0["serverErrorCode"] == nil }, "\(left.text)")
    }

    @Test func `a follower of the shared database sees zones and records come and go`() async throws {
        let world = try await Self.make(participants: "", publicPermission: "READ_ONLY")
        func zones(_ token: String?) async -> (names: [String], token: String?) {
            let body = token.map { #"{"syncToken":"\#($0)"}"# } ?? "{}"
            let response = await world.call("shared/changes/database", as: world.bob, body)
            let names = (response.json?["zones"]?.array ?? []).map {
                ($0["zoneID"]?["zoneName"]?.string ?? response.text) + ($0["deleted"] == .bool(true) ? " gone" : "")
            }
            return (names, response.json?["syncToken"]?.string)
        }
        func records(_ token: String?) async -> (names: Set<String>, token: String?) {
            let token = token.map { #","syncToken":"\#($0)""# } ?? ""
            let response = await world.call(
                "shared/changes/zone", as: world.bob, #"{"zones":[{"zoneID":\#(world.zone)\#(token)}]}"#)
            let zone = response.json?["zones"]?.array?.first
            let names = (zone?["records"]?.array ?? []).map {
                ($0["recordName"]?.string ?? "?") + ($0["deleted"] == .bool(true) ? " gone" : "")
            }
            return (Set(names), zone?["syncToken"]?.string)
        }
        let before = await zones(nil)
        #expect(before.names.isEmpty)
        let link = #"{"shortGUIDs":[{"value":"\#(world.guid)"}]}"#
        _ = await world.call("public/records/accept", as: world.bob, link)
        let joined = await zones(before.token)
        #expect(joined.names == ["A"])
        let first = await records(nil)
        #expect(first.names == ["root", "child", "the share"])
        _ = await world.call(
            "private/records/modify", as: world.ann,
            #"""
            {"zoneID":{"zoneName":"A"},"operations":[{"operationType":"forceUpdate","record":{"recordName":"other",
            "recordType":"Post","parent":{"recordName":"child"},"fields":{}}},
            {"operationType":"forceUpdate","record":{"recordName":"child","recordType":"Post","parent":null,"fields":{}}}]}
            """#)
        let changed = await zones(joined.token)
        #expect(changed.names == ["A"])
        let second = await records(first.token)
        // The feed reports a record that came and went in one commit as deleted.
        #expect(second.names == ["other gone", "child gone"])
        let deleted = await world.call(
            "private/records/modify", as: world.ann,
            #"{"zoneID":{"zoneName":"A"},"operations":[{"operationType":"forceDelete","record":{"recordName":"the share"}}]}"#
        )
        #expect(deleted.records.first?["deleted"] == .bool(true), "\(deleted.text)")
        #expect(await zones(changed.token).names == ["A gone"])
        let gone = await world.call(
            "shared/records/lookup", as: world.bob, #"{"records":[{"recordName":"root"}],"zoneID":\#(world.zone)}"#)
        #expect(gone.code == "ZONE_NOT_FOUND", "\(gone.text)")
    }

    @Test func `links and shares of the wrong form are refused`() async throws {
        let world = try await Self.make()
        func modify(_ record: String) async -> Response {
            await world.call(
                "private/records/modify", as: world.ann,
                #"{"zoneID":{"zoneName":"A"},"atomic":false,"operations":[{"operationType":"create","record":{\#(record)}}]}"#
            )
        }
        let rows: [(String, String, String)] = [
            (#""recordType":"cloudKit.share","fields":{}"#, "BAD_REQUEST", "name"),
            (
                #""recordType":"cloudkit.share","fields":{},"forRecord":{"recordName":"none"}"#, "BAD_REQUEST",
                "Cannot share - no such record exists to share"
            ),
            (
                #""recordType":"cloudkit.share","fields":{},"forRecord":{"recordName":"other","recordChangeTag":"1"}"#,
                "CONFLICT", ""
            ),
            (#""recordType":"Post","fields":{},"parent":{"recordName":"none"}"#, "VALIDATING_REFERENCE_ERROR", ""),
        ]
        for (record, code, reason) in rows {
            let response = await modify(record)
            #expect(response.records.first?["serverErrorCode"]?.string == code, "\(response.text)")
            #expect(response.text.contains(reason), "\(response.text)")
        }
        #expect(await world.call("public/records/resolve", as: world.bob, "{}").code == "BAD_REQUEST")
        #expect(
            await world.call("shared/records/lookup", as: world.bob, #"{"records":[],"zoneID":\#(world.zone)}"#).code
                == "ZONE_NOT_FOUND")
        let anonymous = await world.client.call(
            .post, "public/records/accept", body: #"{"shortGUIDs":[{"value":"\#(world.guid)"}]}"#)
        #expect(anonymous.status == 421, "\(anonymous.text)")
    }
}
