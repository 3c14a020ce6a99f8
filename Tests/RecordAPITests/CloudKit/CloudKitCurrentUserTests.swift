import HTTP
import RecordModel
import RecordWire
import TestSupport
import Testing

@testable import RecordAPI

/// `__defaultOwner__`, CloudKit's name for the calling user.
@Suite struct CloudKitCurrentUserTests {
    @Test(
        arguments: [
            (#"{"recordName":"__defaultOwner__"}"#, #"{"recordName":"_a"}"#),
            ("{\"recordName\"\n: \t\"__defaultOwner__\",\"x\":1}", "{\"recordName\"\n: \t\"_a\",\"x\":1}"),
            (
                #"[{"userRecordName":"__defaultOwner__"},{"recordName":"__defaultOwner__"},"x"]"#,
                #"[{"userRecordName":"_a"},{"recordName":"_a"},"x"]"#
            ),
        ])
    func `it is the caller's name as the value of a record name`(body: String, expected: String) throws {
        let replaced = try CloudKitCurrentUser.replaced(in: Array(body.utf8)) { "_a" }
        #expect(String(decoding: replaced, as: UTF8.self) == expected)
    }

    @Test(
        arguments: [
            "", "{}", #"{"value":"__defaultOwner__"}"#, #"{"recordName":"__defaultOwner__x"}"#, #""__defaultOwner__""#,
            #"["recordName","__defaultOwner__"]"#, #"{"xrecordName":"__defaultOwner__"}"#,
            // In texts, quotation marks have backslashes.
            #"{"title":"\"recordName\":\"__defaultOwner__\""}"#, #"{"title":"\"recordName\":","x":"__defaultOwner__"}"#,
            #"{"title":"recordName:\"__defaultOwner__"}"#, #"{"__defaultOwner__":"recordName"}"#,
        ])
    func `anywhere else it is a text`(body: String) throws {
        let replaced = try CloudKitCurrentUser.replaced(in: Array(body.utf8)) {
            Issue.record("The name was needed")
            return "_a"
        }
        #expect(String(decoding: replaced, as: UTF8.self) == body)
    }

    @Test func `every operation that takes a user's record name takes it`() async throws {
        let client = try await CloudKitClient.make()
        let (ann, bob) = (try await client.signIn(), try await client.signIn(as: "bob"))
        let name = JSONValue.string(client.test.userNames[.creator] ?? "")
        let me = #"{"userRecordName":"__defaultOwner__"}"#
        let discovered = await client.call(
            .post, "public/users/discover", user: ann, body: #"{"lookupInfos":[\#(me)]}"#)
        #expect(discovered.json?["users"]?.array?.first?["userRecordName"] == name, "\(discovered.text)")
        let found = await client.call(.post, "public/users/lookup/id", user: ann, body: #"{"users":[\#(me)]}"#)
        #expect(found.json?["users"]?.array?.first?["userRecordName"] == name, "\(found.text)")
        let record = await client.call(
            .post, "public/records/lookup", user: ann, body: #"{"records":[{"recordName":"__defaultOwner__"}]}"#)
        #expect(record.records.first?["recordName"] == name && record.records.first?["recordType"] == "Users")
        let changed = await client.call(
            .post, "public/records/modify", user: ann,
            body: """
                {"operations":[{"operationType":"forceUpdate","record":{"recordType":"Users","recordName":"__defaultOwner__",
                "fields":{"firstName":{"value":"Ann"}}}},
                {"operationType":"create","record":{"recordType":"Post","recordName":"own","fields":{
                "author":{"value":{"recordName":"__defaultOwner__","action":"NONE"},"type":"REFERENCE"},
                "title":{"value":"__defaultOwner__"}}}}]}
                """)
        #expect(changed.records.map { $0["serverErrorCode"] } == [nil, nil], "\(changed.text)")
        #expect(changed.records.first?["recordName"] == name)
        let author = changed.records.last?["fields"]?["author"]?["value"]?["recordName"]
        #expect(author == name && changed.records.last?["fields"]?["title"]?["value"] == "__defaultOwner__")
        for value in [
            #"{"value":{"recordName":"__defaultOwner__"},"type":"REFERENCE"}"#, #"{"value":"__defaultOwner__"}"#,
            #"{"value":["__defaultOwner__"],"type":"STRING_LIST"}"#,
        ] {
            for (user, count) in [(ann, 1), (bob, 0)] {
                let query = await client.call(
                    .post, "public/records/query", user: user,
                    body: """
                        {"query":{"recordType":"Post","filterBy":{"systemFieldName":"createdUserRecordName",
                        "comparator":"\(value.contains("[") ? "IN" : "EQUALS")","fieldValue":\(value)}}}
                        """)
                #expect(query.status == 200 && query.records.count == count, "\(value): \(query.text)")
            }
        }
    }

    @Test(arguments: [
        (#"{"fieldName":"___createdBy","comparator":"EQUALS","fieldValue":{"value":"__defaultOwner__"}}"#, true),
        (
            #"[{"systemFieldName":"createdUserRecordName","comparator":"IN","fieldValue":{"value":["__defaultOwner__"]}}]"#,
            true
        ),
        (#"[{"fieldName":"title","comparator":"EQUALS","fieldValue":{"value":"__defaultOwner__"}}]"#, false),
    ])
    func `a subscription to one's own records names its user`(filter: String, isReplaced: Bool) async throws {
        let client = try await CloudKitClient.make()
        let ann = try await client.signIn()
        let name = try #require(client.test.userNames[.creator])
        let made = await client.call(
            .post, "public/subscriptions/modify", user: ann,
            body: """
                {"operations":[{"operationType":"create","subscription":{"subscriptionID":"own","subscriptionType":"query",
                "firesOn":["create"],"query":{"recordType":"Post","filterBy":\(filter)}}}]}
                """)
        #expect(made.status == 200 && !made.text.contains("serverErrorCode"), "\(made.text)")
        let found = await client.call(
            .post, "public/subscriptions/lookup", user: ann, body: #"{"subscriptions":[{"subscriptionID":"own"}]}"#)
        #expect(found.text.contains("\"\(name)\"") == isReplaced, "\(found.text)")
        #expect(found.text.contains("__defaultOwner__") != isReplaced, "\(found.text)")
    }

    @Test func `a share that OpenCloudKit makes has the caller as its owner`() async throws {
        let client = try await CloudKitClient.make()
        let ann = try await client.signIn()
        let zone = await client.call(
            .post, "private/zones/modify", user: ann,
            body:
                #"{"operations":[{"operationType":"create","zone":{"zoneID":{"zoneName":"Z","ownerRecordName":"__defaultOwner__"}}}]}"#
        )
        #expect(zone.status == 200 && zone.json?["zones"]?.array?.first?["serverErrorCode"] == nil, "\(zone.text)")
        let made = await client.call(
            .post, "private/records/modify", user: ann,
            body: """
                {"zoneID":{"zoneName":"Z","ownerRecordName":"__defaultOwner__"},"operations":[
                {"operationType":"create","record":{"recordType":"Post","recordName":"root","fields":{}}},
                {"operationType":"create","record":{"recordType":"cloudkit.share","recordName":"share","fields":{},
                "forRecord":{"recordName":"root"},"publicPermission":"READ_ONLY","participants":[{"type":"OWNER",
                "permission":"READ_WRITE","acceptanceStatus":"ACCEPTED",
                "userIdentity":{"userRecordName":"__defaultOwner__"}}]}}]}
                """)
        #expect(made.records.map { $0["serverErrorCode"] } == [nil, nil], "\(made.text)")
        let owner = made.records.last?["owner"]?["userIdentity"]?["userRecordName"]
        #expect(owner == .string(client.test.userNames[.creator] ?? ""), "\(made.text)")
    }

    @Test func `a request without a user names none`() async throws {
        let client = try await CloudKitClient.make(withUsers: false)
        let body = #"{"records":[{"recordName":"__defaultOwner__"}]}"#
        let response = await client.call(.post, "public/records/lookup", body: body)
        #expect(response.status == 421 && response.json?["redirectURL"] != nil, "\(response.text)")
        // A key has an account of its own, and its signature is of the body as it was sent.
        let signed = try await client.signed(.post, "public/records/lookup", body: body)
        #expect(signed.status == 200 && signed.records.first?["recordName"] != "__defaultOwner__", "\(signed.text)")
    }
}
