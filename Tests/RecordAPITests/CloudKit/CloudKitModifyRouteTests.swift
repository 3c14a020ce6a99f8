import HTTP
import RecordModel
import RecordWire
import TestSupport
import Testing

@testable import RecordAPI

/// `records/modify` as exchanges of requests and responses.
@Suite struct CloudKitModifyRouteTests {
    static func operation(_ type: String, _ record: String) -> String {
        #"{"operationType":"\#(type)","record":{\#(record)}}"#
    }

    static func body(_ operations: String..., rest: String = "") -> String {
        #"{"operations":[\#(operations.joined(separator: ","))]\#(rest)}"#
    }

    /// Saves a `Post` in the public database and returns its change tag.
    @discardableResult
    static func save(_ client: CloudKitClient, _ name: String, _ fields: String, user: String) async throws -> String {
        let record = #""recordName":"\#(name)","recordType":"Post","fields":{\#(fields)}"#
        let response = await client.call(
            .post, "public/records/modify", user: user, body: body(operation("forceReplace", record)))
        return try #require(response.records.first?["recordChangeTag"]?.string, "\(response.text)")
    }

    @Test func `a created record has CloudKit's form`() async throws {
        let client = try await CloudKitClient.make()
        let user = try await client.signIn()
        let response = await client.call(
            .post, "public/records/modify", user: user,
            body: Self.body(
                Self.operation(
                    "create",
                    #""recordType":"Post","recordName":"tree-7","fields":{"variety":{"value":"Bramley"},"planted":{"value":1709251200000,"type":"TIMESTAMP"},"rows":{"value":14},"nicknames":{"value":[],"type":"STRING_LIST"},"none":{"value":null}}"#
                )))
        #expect(response.status == 200, "\(response.text)")
        #expect(response.json?.object?.keys == ["records"])
        let record = try #require(response.records.first)
        #expect(
            record.object?.keys == [
                "recordName", "recordType", "fields", "pluginFields", "recordChangeTag", "created", "modified",
                "deleted",
            ])
        #expect(record["recordName"] == "tree-7" && record["recordType"] == "Post" && record["deleted"] == false)
        #expect(record["pluginFields"] == [:])
        #expect(
            record["fields"] == [
                "variety": ["value": "Bramley", "type": "STRING"],
                "planted": ["value": 1_709_251_200_000, "type": "TIMESTAMP"],
                "rows": ["value": 14, "type": "INT64"], "nicknames": ["value": [], "type": "STRING_LIST"],
            ], "\(response.text)")
        let ann = try #require(client.test.userNames[.creator])
        for key in ["created", "modified"] {
            #expect(record[key]?.object?.keys == ["timestamp", "userRecordName", "deviceID"])
            #expect(record[key]?["userRecordName"]?.string == ann)
            #expect(record[key]?["timestamp"]?.integer != nil)
        }
    }

    @Test func `the seven operation types do what CloudKit says`() async throws {
        let client = try await CloudKitClient.make()
        let user = try await client.signIn()
        var tags: [String: String] = [:]
        for name in ["b", "c", "d", "e", "f", "g"] {
            tags[name] = try await Self.save(
                client, name, #""one":{"value":1},"two":{"value":2}"#, user: user)
        }
        func record(_ name: String, tag: Bool = false, type: Bool = false) -> String {
            #""recordName":"\#(name)","fields":{"one":{"value":9}}"# + (type ? #","recordType":"Post""# : "")
                + (tag ? #","recordChangeTag":"\#(tags[name] ?? "")""# : "")
        }
        let response = await client.call(
            .post, "public/records/modify", user: user,
            body: Self.body(
                Self.operation("create", record("a", type: true)), Self.operation("update", record("b", tag: true)),
                Self.operation("forceUpdate", record("c")), Self.operation("replace", record("d", tag: true)),
                Self.operation("forceReplace", record("e")), Self.operation("delete", record("f", tag: true)),
                Self.operation("forceDelete", #""recordName":"g""#),
                Self.operation("forceUpdate", record("h", type: true)), Self.operation("forceDelete", record("none"))))
        #expect(
            response.records.map { $0["recordName"]?.string } == ["a", "b", "c", "d", "e", "f", "g", "h", "none"],
            "\(response.text)")
        let fields = response.records.map { $0["fields"]?.object?.keys }
        #expect(fields == [["one"], ["one", "two"], ["one", "two"], ["one"], ["one"], nil, nil, ["one"], nil])
        for index in [5, 6, 8] {
            #expect(response.records[index].object?.keys == ["recordName", "deleted"], "\(response.text)")
            #expect(response.records[index]["deleted"] == true)
        }
        #expect(response.records.allSatisfy { $0["serverErrorCode"] == nil })
    }

    @Test func `each operation fails alone, at its place, with CloudKit's words`() async throws {
        let client = try await CloudKitClient.make()
        let user = try await client.signIn()
        try await Self.save(client, "a", #""one":{"value":1}"#, user: user)
        let cases: [(operation: String, code: String, reason: String)] = [
            (
                Self.operation("create", #""recordName":"a","recordType":"Post""#), "CONFLICT",
                "record to insert already exists"
            ),
            (
                Self.operation("update", #""recordName":"a","recordChangeTag":"0","fields":{}"#), "CONFLICT",
                "record to update already exists with a different change tag"
            ),
            (
                Self.operation("delete", #""recordName":"a","recordChangeTag":"0""#), "CONFLICT",
                "record to update already exists with a different change tag"
            ),
            (
                Self.operation("replace", #""recordName":"none","recordChangeTag":"0""#), "NOT_FOUND",
                "recordChangeTag specified, but record not found"
            ),
            (Self.operation("delete", #""recordName":"none""#), "NOT_FOUND", "Record not found"),
            (
                Self.operation(
                    "forceUpdate", #""recordName":"a","fields":{"one":{"value":"x"}}"#), "BAD_REQUEST",
                "Invalid value, expected type INT64."
            ),
            (
                Self.operation(
                    "forceUpdate", #""recordName":"a","fields":{"one":{"value":"x","type":"STRING"}}"#), "BAD_REQUEST",
                "invalid attempt to set value type STRING for field 'one' for type 'Post', defined to be: INT64"
            ),
            (
                Self.operation(
                    "forceUpdate", #""recordName":"a","fields":{"one":{"value":1,"isEncrypted":true}}"#), "BAD_REQUEST",
                "encrypted fields are not supported in the public database"
            ),
            (
                Self.operation(
                    "create",
                    #""recordName":"b","recordType":"Post","fields":{"link":{"value":{"recordName":"none","action":"VALIDATE"},"type":"REFERENCE"}}"#
                ), "VALIDATING_REFERENCE_ERROR",
                "Field=link, recordID=none, title=Reference target does not exist, rejecting update"
            ),
        ]
        for (operation, code, reason) in cases {
            let good = Self.operation("create", #""recordType":"Post","fields":{}"#)
            let response = await client.call(
                .post, "public/records/modify", user: user,
                body: Self.body(good, operation, good, rest: #","atomic":true"#))
            #expect(response.status == 200, "\(response.text)")
            #expect(response.records.count == 3)
            #expect(response.records.map { $0["serverErrorCode"] == nil } == [true, false, true], "\(response.text)")
            guard response.records.count == 3 else { continue }
            let error = response.records[1]
            #expect(error["serverErrorCode"]?.string == code, "\(operation): \(response.text)")
            #expect(error["reason"]?.string == reason, "\(operation): \(response.text)")
            #expect(error.object?.keys == ["recordName", "reason", "serverErrorCode", "uuid"])
            #expect(error["uuid"] == CloudKitClient.uuid)
        }
    }

    @Test func `a tag or a name that is missing fails its operation`() async throws {
        let client = try await CloudKitClient.make()
        let user = try await client.signIn()
        try await Self.save(client, "a", #""one":{"value":1}"#, user: user)
        try await Self.save(client, "d", #""one":{"value":1}"#, user: user)
        let response = await client.call(
            .post, "public/records/modify", user: user,
            body: Self.body(
                Self.operation("update", #""recordName":"a","fields":{}"#), Self.operation("delete", ""),
                Self.operation("create", #""recordName":"b""#), Self.operation("delete", #""recordName":"d""#)))
        #expect(
            response.records.map { $0["serverErrorCode"]?.string } == [
                "BAD_REQUEST", "BAD_REQUEST", "BAD_REQUEST", nil,
            ],
            "\(response.text)")
        #expect(response.records.last?["deleted"] == true)
    }

    @Test func `permissions are told per record`() async throws {
        let client = try await CloudKitClient.make()
        let user = try await client.signIn()
        let schema = await client.test.call(
            .put, "/schema", as: .administrator,
            body: #"{"types":{"Locked":{"fields":{"title":{"type":"STRING"}},"grants":{"_world":["READ"]}}}}"#)
        try #require(schema.status == 200, "\(schema.text)")
        let made = await client.test.call(
            .put, "/records/Locked/l", as: .administrator, body: #"{"fields":{"title":"x"}}"#)
        try #require(made.status == 201)
        let body = Self.body(
            Self.operation("create", #""recordName":"new","recordType":"Locked""#),
            Self.operation("forceUpdate", #""recordName":"l","fields":{"title":{"value":"y"}}"#))
        let response = await client.call(.post, "public/records/modify", user: user, body: body)
        #expect(response.status == 200)
        #expect(
            response.records.map { $0["reason"]?.string } == [
                "CREATE operation not permitted", "WRITE operation not permitted",
            ], "\(response.text)")
        #expect(response.records.allSatisfy { $0["serverErrorCode"] == "ACCESS_DENIED" })
        // Without a user, signing in may help.
        let anonymous = await client.call(.post, "public/records/modify", body: body)
        #expect(anonymous.status == 200)
        for record in anonymous.records {
            #expect(record["serverErrorCode"] == "AUTHENTICATION_REQUIRED", "\(anonymous.text)")
            #expect(record["reason"] == "request needs authorization")
            #expect(record["redirectURL"]?.string?.contains("signin.html") == true)
        }
    }

    @Test func `desiredKeys select fields at three places`() async throws {
        let client = try await CloudKitClient.make()
        let user = try await client.signIn()
        let fields = #""recordType":"Post","fields":{"one":{"value":1},"two":{"value":2},"three":{"value":3}}"#
        let response = await client.call(
            .post, "public/records/modify", user: user,
            body: #"""
                {"operations":[
                {"operationType":"create","record":{"recordName":"a",\#(fields)}},
                {"operationType":"create","record":{"recordName":"b",\#(fields)},"desiredKeys":["two"]},
                {"operationType":"create","record":{"recordName":"c",\#(fields),"desiredKeys":["three","none"]}},
                {"operationType":"create","record":{"recordName":"d",\#(fields),"desiredKeys":[]}}],
                "desiredKeys":["one"]}
                """#)
        #expect(
            response.records.map { $0["fields"]?.object?.keys } == [["one"], ["two"], ["three"], []], "\(response.text)"
        )
        #expect(response.records.allSatisfy { $0["recordChangeTag"] != nil && $0["created"] != nil })
    }

    @Test func `numbers may be strings in the response`() async throws {
        let client = try await CloudKitClient.make()
        let user = try await client.signIn()
        let response = await client.call(
            .post, "public/records/modify", user: user,
            body: Self.body(
                Self.operation(
                    "create",
                    #""recordType":"Post","fields":{"big":{"value":9007199254740993},"part":{"value":1.5},"at":{"value":5,"type":"TIMESTAMP"}}"#
                ), rest: #","numbersAsStrings":true"#))
        let fields = response.records.first?["fields"]
        #expect(fields?["big"]?["value"] == "9007199254740993")
        #expect(fields?["part"]?["value"] == "1.5")
        #expect(fields?["at"]?["value"] == 5)
    }

    @Test func `the whole request fails for what concerns it as a whole`() async throws {
        let client = try await CloudKitClient.make()
        let user = try await client.signIn()
        let delete = Self.operation("delete", #""recordName":"a""#)
        let many = (0...200).map { Self.operation("forceDelete", #""recordName":"\#($0)""#) }.joined(separator: ",")
        let cases: [(body: String, status: Int, code: String, reason: String)] = [
            ("{", 400, "BAD_REQUEST", "BadRequestException: Unexpected input"),
            ("{}", 400, "BAD_REQUEST", "BadRequestException: Unexpected input"),
            (Self.body(delete, delete), 400, "BAD_REQUEST", "'a'"),
            (#"{"operations":[\#(many)]}"#, 400, "BAD_REQUEST", "200"),
            (Self.body(delete, rest: #","zoneID":{"zoneName":"Other"}"#), 404, "ZONE_NOT_FOUND", "Zone not found"),
            (
                Self.body(Self.operation("delete", #""recordName":"a","zoneID":{"zoneName":"Other"}"#)), 404,
                "ZONE_NOT_FOUND", "Zone not found"
            ),
        ]
        for database in ["public", "private"] {
            for (body, status, code, reason) in cases {
                let response = await client.call(.post, "\(database)/records/modify", user: user, body: body)
                #expect(response.status == status && response.code == code, "\(body.prefix(90)): \(response.text)")
                #expect(response.json?["reason"]?.string?.contains(reason) == true, "\(response.text)")
                #expect(response.json?["uuid"] == CloudKitClient.uuid)
            }
        }
    }

    @Test func `the private database belongs to its user`() async throws {
        let client = try await CloudKitClient.make()
        let user = try await client.signIn()
        let body = Self.body(Self.operation("create", #""recordName":"mine","recordType":"Post","fields":{}"#))
        let response = await client.call(.post, "private/records/modify", user: user, body: body)
        #expect(response.records.first?["recordName"] == "mine", "\(response.text)")
        let native = await client.test.call(.get, "/records/Post/mine?database=private", as: .creator)
        #expect(native.status == 200)
        let publicly = await client.call(
            .post, "public/records/lookup", user: user, body: #"{"records":[{"recordName":"mine"}]}"#)
        #expect(publicly.records.first?["serverErrorCode"] == "NOT_FOUND")
        #expect(await client.call(.post, "private/records/modify", body: body).status == 421)
        #expect(try await client.signed(.post, "private/records/modify", body: body).status == 401)
        let ann = try #require(client.test.userNames[.creator])
        for (owner, status) in [(ann, 200), ("_defaultOwner", 200), ("__defaultOwner__", 200), ("_other", 404)] {
            let lookup = await client.call(
                .post, "private/records/lookup", user: user,
                body:
                    #"{"records":[{"recordName":"mine"}],"zoneID":{"zoneName":"_defaultZone","ownerRecordName":"\#(owner)"}}"#
            )
            #expect(lookup.status == status, "\(owner): \(lookup.text)")
        }
    }

    @Test func `a server-to-server key writes as itself`() async throws {
        let client = try await CloudKitClient.make()
        let body = Self.body(
            Self.operation("create", #""recordName":"k","recordType":"Post","fields":{"n":{"value":1}}"#))
        let response = try await client.signed(.post, "public/records/modify", body: body)
        let creator = response.records.first?["created"]?["userRecordName"]?.string
        #expect(creator?.hasPrefix("_") == true && creator != client.test.userNames[.creator], "\(response.text)")
    }

    @Test func `the native interface sees what CloudKit's has written, and the other way round`() async throws {
        let client = try await CloudKitClient.make()
        let user = try await client.signIn()
        let tag = try await Self.save(client, "a", #""one":{"value":1}"#, user: user)
        let native = await client.test.call(.get, "/records/Post/a")
        #expect(native.json?["recordChangeTag"]?.string == tag)
        let written = await client.test.call(
            .patch, "/records/Post/a", as: .creator, body: #"{"fields":{"one":2},"acl":{"*":["read"]}}"#)
        #expect(written.status == 200, "\(written.text)")
        let lookup = await client.call(
            .post, "public/records/lookup", user: user, body: #"{"records":{"recordName":"a"}}"#)
        #expect(lookup.records.first?["fields"]?["one"]?["value"] == 2)
        #expect(lookup.records.first?["acl"] == nil, "\(lookup.text)")
    }
}
