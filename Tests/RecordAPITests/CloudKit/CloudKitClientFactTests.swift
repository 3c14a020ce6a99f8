import HTTP
import RecordModel
import RecordWire
import TestSupport
import Testing

@testable import RecordAPI

/// What CloudKit JS, MistKit and OpenCloudKit send to the records operations, as seen on the wire.
@Suite struct CloudKitClientFactTests {
    /// The query parameters that CloudKit JS adds to those of the credential.
    static let scriptParameters = "ckjsBuildVersion=1902ProjectDev33&ckjsVersion=2.6.1&clientId=4f"

    private static func post(
        _ client: CloudKitClient, _ operation: String, user: String, _ body: String, type: String = "text/plain"
    ) async -> Response {
        await client.test.call(
            .post,
            "\(CloudKitClient.root)/\(operation)?\(scriptParameters)&ckWebAuthToken=\(user)&ckAPIToken=\(client.token)",
            body: body, headers: [("Content-Type", type)])
    }

    @Test func `CloudKit JS saves, updates, fetches, queries and deletes`() async throws {
        let client = try await CloudKitClient.make()
        let user = try await client.signIn()
        let made = await Self.post(
            client, "private/records/modify", user: user,
            #"{"operations":[{"operationType":"create","record":{"recordType":"Shift","fields":{"title":{"value":"Night"},"at":{"value":1775034000000,"type":"TIMESTAMP"}}}}],"zoneID":{"zoneName":"_defaultZone"}}"#
        )
        let name = try #require(made.records.first?["recordName"]?.string, "\(made.text)")
        let tag = try #require(made.records.first?["recordChangeTag"]?.string)
        let updated = await Self.post(
            client, "private/records/modify", user: user,
            #"{"operations":[{"operationType":"update","record":{"recordName":"\#(name)","recordType":"Shift","recordChangeTag":"\#(tag)","fields":{"title":{"value":"Day"}},"pluginFields":{},"created":{"timestamp":1,"userRecordName":"_x","deviceID":"2"},"modified":{"timestamp":1,"userRecordName":"_x","deviceID":"2"},"deleted":false}}]}"#
        )
        #expect(updated.records.first?["fields"]?["title"]?["value"] == "Day", "\(updated.text)")
        #expect(updated.records.first?["fields"]?["at"]?["value"] == 1_775_034_000_000)
        let found = await Self.post(
            client, "private/records/query", user: user,
            #"{"query":{"recordType":"Shift","filterBy":[{"comparator":"EQUALS","fieldName":"at","fieldValue":{"value":1775034000000}}],"sortBy":[{"fieldName":"title"}]},"numbersAsStrings":false,"zoneWide":false,"resultsLimit":10}"#
        )
        #expect(found.records.map { $0["recordName"]?.string } == [name], "\(found.text)")
        let fetched = await Self.post(
            client, "private/records/lookup", user: user,
            #"{"records":[{"recordName":"\#(name)"},{"recordName":"none"}]}"#)
        #expect(fetched.records.count == 2 && fetched.records[1]["serverErrorCode"] == "NOT_FOUND")
        let deleted = await Self.post(
            client, "private/records/modify", user: user,
            #"{"operations":[{"operationType":"forceDelete","record":{"recordName":"\#(name)"}}]}"#)
        #expect(deleted.records == [["recordName": .string(name), "deleted": true]], "\(deleted.text)")
    }

    @Test func `CloudKit JS sees errors as entries, and the rest in order`() async throws {
        let client = try await CloudKitClient.make()
        let user = try await client.signIn()
        let response = await Self.post(
            client, "public/records/modify", user: user,
            #"{"operations":[{"operationType":"create","record":{"recordType":"Post","recordName":"a","fields":{}}},{"operationType":"update","record":{"recordName":"b","recordChangeTag":"1","fields":{}}},{"operationType":"create","record":{"recordType":"Post","recordName":"c","fields":{}}}],"atomic":false}"#
        )
        #expect(response.status == 200)
        #expect(response.records.map { $0["recordName"]?.string } == ["a", "b", "c"], "\(response.text)")
        #expect(response.records[1]["recordType"] == nil && response.records[1]["serverErrorCode"] == "NOT_FOUND")
    }

    @Test func `MistKit sends no types, and its deletions have fields`() async throws {
        let client = try await CloudKitClient.make()
        let user = try await client.signIn()
        let schema = await client.test.call(
            .put, "/schema", as: .administrator,
            body:
                #"{"types":{"Post":{"fields":{"weight":{"type":"DOUBLE"},"at":{"type":"TIMESTAMP"},"names":{"type":"STRING_LIST"}}}}}"#
        )
        try #require(schema.status == 200, "\(schema.text)")
        let json = "application/json; charset=utf-8"
        let made = await Self.post(
            client, "public/records/modify", user: user,
            """
            {
              "atomic" : false,
              "operations" : [ { "operationType" : "create", "record" : { "recordName" : "m", "recordType" : "Post",
                "fields" : { "weight" : { "value" : 1 }, "at" : { "value" : 1775034000000 }, "names" : { "value" : [ "a" ] },
                  "count" : { "value" : 3 } } } } ]
            }
            """, type: json)
        let record = try #require(made.records.first, "\(made.text)")
        #expect(record["fields"]?["weight"] == ["value": 1.0, "type": "DOUBLE"])
        // A DOUBLE that is written as 1 would be read as an integer.
        #expect(made.text.contains(#""weight":{"value":1.0,"#))
        #expect(record["fields"]?["at"]?["type"] == "TIMESTAMP")
        #expect(record["fields"]?["count"]?["type"] == "INT64")
        #expect(record["deleted"] == false && record["modified"]?["timestamp"]?.integer != nil)
        let found = await Self.post(
            client, "public/records/query", user: user,
            #"{"query":{"recordType":"Post","filterBy":[{"comparator":"IN","fieldName":"count","fieldValue":{"value":[3,4]}},{"comparator":"GREATER_THAN","fieldName":"weight","fieldValue":{"value":0}}],"sortBy":[{"fieldName":"at","ascending":true}]},"resultsLimit":200,"zoneID":{"zoneName":"_defaultZone"}}"#,
            type: json)
        #expect(found.records.count == 1, "\(found.text)")
        let looked = await Self.post(
            client, "public/records/lookup", user: user, #"{"records":[{"recordName":"m","desiredKeys":["at"]}]}"#,
            type: json)
        #expect(looked.records.first?["fields"]?.object?.keys == ["at"], "\(looked.text)")
        let tag = record["recordChangeTag"]?.string ?? ""
        let deleted = await Self.post(
            client, "public/records/modify", user: user,
            #"{"atomic":false,"operations":[{"operationType":"delete","record":{"recordName":"m","recordType":"Post","recordChangeTag":"\#(tag)","fields":{}}}]}"#,
            type: json)
        #expect(deleted.records.first?["deleted"] == true, "\(deleted.text)")
    }

    @Test func `OpenCloudKit names zones twice, and queries with empty filters`() async throws {
        let client = try await CloudKitClient.make()
        let user = try await client.signIn()
        let zone = #""zoneID":{"zoneName":"_defaultZone"}"#
        let made = await Self.post(
            client, "private/records/modify", user: user,
            #"{"operations":[{"operationType":"create","record":{"recordName":"o","recordType":"Post",\#(zone),"fields":{"title":{"value":"x","type":"STRING"},"gone":{}}}}],\#(zone),"atomic":false}"#
        )
        #expect(made.records.first?["fields"] == ["title": ["value": "x", "type": "STRING"]], "\(made.text)")
        let cleared = await Self.post(
            client, "private/records/modify", user: user,
            #"{"operations":[{"operationType":"forceUpdate","record":{"recordName":"o",\#(zone),"fields":{"title":{}}}}],\#(zone),"atomic":true}"#
        )
        #expect(cleared.records.first?["fields"] == [:], "\(cleared.text)")
        let found = await Self.post(
            client, "private/records/query", user: user,
            #"{"query":{"recordType":"Post","filterBy":[],"sortBy":[]},"zoneWide":true,"resultsLimit":100}"#)
        #expect(found.records.count == 1, "\(found.text)")
    }

    @Test func `CloudKit JS continues a query with more keys than it began with`() async throws {
        let (client, user) = try await CloudKitQueryRouteTests.make()
        let query = #""query":{"recordType":"Post","sortBy":[{"fieldName":"number"}]},"resultsLimit":6"#
        let first = await Self.post(client, "public/records/query", user: user, "{\(query)}")
        let marker = try #require(first.json?["continuationMarker"]?.string, "\(first.text)")
        let second = await Self.post(
            client, "public/records/query", user: user,
            #"{\#(query),"numbersAsStrings":false,"zoneWide":false,"continuationMarker":"\#(marker)"}"#)
        #expect(CloudKitQueryRouteTests.names(second) == ["6", "7", "8", "9"], "\(second.text)")
        #expect(second.json?["continuationMarker"] == nil)
    }

    @Test func `the lists that CloudKit JS reads are arrays, also when they are empty`() async throws {
        let (client, user) = try await CloudKitZoneTests.make()
        for (operation, body, key) in [
            ("records/modify", #"{"operations":[]}"#, "records"), ("records/lookup", #"{"records":[]}"#, "records"),
            ("zones/modify", #"{"operations":[]}"#, "zones"), ("zones/lookup", #"{"zones":[]}"#, "zones"),
            ("changes/zone", #"{"zones":[]}"#, "zones"), ("changes/database", "{}", "zones"),
            ("assets/upload", #"{"tokens":[]}"#, "tokens"), ("assets/rereference", #"{"assets":[]}"#, "assets"),
            ("subscriptions/modify", #"{"operations":[]}"#, "subscriptions"),
            ("subscriptions/lookup", #"{"subscriptions":[]}"#, "subscriptions"),
            ("subscriptions/list", "", "subscriptions"),
        ] {
            let response = await Self.post(client, "private/\(operation)", user: user, body)
            #expect(response.status == 200 && response.json?[key]?.array != nil, "\(operation): \(response.text)")
        }
    }

    @Test func `MistKit follows the changes of zones and records by the older operations`() async throws {
        let (client, user) = try await CloudKitZoneTests.make()
        let made = await CloudKitZoneTests.modify(client, user: user, zone: "A", CloudKitZoneTests.create("m"))
        try #require(made.records.first?["recordName"] == "m", "\(made.text)")
        let zones = await Self.post(client, "private/zones/changes", user: user, "{ }")
        let token = try #require(zones.json?["syncToken"]?.string, "\(zones.text)")
        let none = await Self.post(client, "private/zones/changes", user: user, #"{ "syncToken" : "\#(token)" }"#)
        #expect(none.json?["zones"] == .array([]), "\(none.text)")
        let zone = #""resultsLimit" : 200, "zoneID" : { "zoneName" : "A" }"#
        let first = await Self.post(client, "private/records/changes", user: user, "{ \(zone) }")
        #expect(CloudKitQueryRouteTests.names(first) == ["m"] && first.json?["moreComing"] == .bool(false))
        let end = try #require(first.json?["syncToken"]?.string, "\(first.text)")
        let rest = await Self.post(
            client, "private/records/changes", user: user, #"{ \#(zone), "syncToken" : "\#(end)" }"#)
        #expect(rest.json?["records"] == .array([]) && rest.json?["syncToken"]?.string != nil, "\(rest.text)")
        let caller = await client.call(.get, "private/users/current", user: user)
        #expect(caller.json?["userRecordName"]?.string == client.test.userNames[.creator], "\(caller.text)")
    }

    @Test func `OpenCloudKit saves and deletes in a custom zone`() async throws {
        let (client, user) = try await CloudKitZoneTests.make()
        let zone = #""zoneID":{"zoneName":"A"}"#
        func modify(_ kind: String, _ record: String) async -> Response {
            await Self.post(
                client, "private/records/modify", user: user,
                #"{"operations":[{"operationType":"\#(kind)","record":{"recordName":"o",\#(zone)\#(record)}}],\#(zone),"atomic":true}"#
            )
        }
        let made = await modify(
            "create",
            #","recordType":"Post","fields":{"title":{"value":"x","type":"STRING"},"n":{"value":1,"type":"INT64"}}"#)
        let tag = try #require(made.records.first?["recordChangeTag"]?.string, "\(made.text)")
        // It sends the changed fields only.
        let saved = await modify(
            "update", #","recordType":"Post","recordChangeTag":"\#(tag)","fields":{"n":{"value":2,"type":"INT64"}}"#)
        #expect(
            saved.records.first?["fields"] == [
                "title": ["value": "x", "type": "STRING"], "n": ["value": 2, "type": "INT64"],
            ], "\(saved.text)")
        let stale = await modify("update", #","recordChangeTag":"\#(tag)","fields":{}"#)
        #expect(stale.records.first?["serverErrorCode"] == "CONFLICT", "\(stale.text)")
        let deleted = await modify("forceDelete", "")
        #expect(deleted.records == [["recordName": "o", "deleted": true]], "\(deleted.text)")
    }

    @Test func `bodies may be pretty-printed, and keys unknown`() async throws {
        let client = try await CloudKitClient.make()
        let user = try await client.signIn()
        let response = await Self.post(
            client, "public/records/lookup", user: user,
            "{ \"records\" : { \"recordName\" : \"a\" }, \"more\" : [ { } ] }\n")
        #expect(response.status == 200 && response.records.count == 1, "\(response.text)")
    }
}
