import HTTP
import RecordModel
import RecordWire
import TestSupport
import Testing

@testable import RecordAPI

/// `records/query` as exchanges of requests and responses.
@Suite struct CloudKitQueryRouteTests {
    static func query(_ rest: String = "", type: String = "Post", body: String = "") -> String {
        #"{"query":{"recordType":"\#(type)"\#(rest)}\#(body)}"#
    }

    /// A database with posts 0 to 9, whose `number` is their name and whose `title` is even or odd.
    static func make() async throws -> (client: CloudKitClient, user: String) {
        let client = try await CloudKitClient.make()
        let user = try await client.signIn()
        let operations = (0..<10).map { index in
            CloudKitModifyRouteTests.operation(
                "create",
                #""recordName":"\#(index)","recordType":"Post","fields":{"number":{"value":\#(index)},"title":{"value":"\#(index % 2 == 0 ? "even" : "odd")"},"at":{"value":\#(1_775_034_000_000 + index),"type":"TIMESTAMP"}}"#
            )
        }
        let made = await client.call(
            .post, "public/records/modify", user: user,
            body: #"{"operations":[\#(operations.joined(separator: ","))]}"#)
        try #require(made.records.count == 10 && !made.text.contains("serverErrorCode"), "\(made.text)")
        return (client, user)
    }

    static func names(_ response: Response) -> [String] { response.records.compactMap { $0["recordName"]?.string } }

    @Test func `a query finds, sorts and selects`() async throws {
        let (client, user) = try await Self.make()
        let response = await client.call(
            .post, "public/records/query", user: user,
            body: Self.query(
                #","filterBy":[{"fieldName":"number","comparator":"GREATER_THAN","fieldValue":{"value":4}},{"fieldName":"title","comparator":"EQUALS","fieldValue":{"value":"odd","type":"STRING"}}],"sortBy":[{"fieldName":"number","ascending":false}]"#,
                body: #","desiredKeys":["title"],"zoneID":{"zoneName":"_defaultZone"}"#))
        #expect(response.status == 200, "\(response.text)")
        #expect(response.json?.object?.keys == ["records"], "\(response.text)")
        #expect(Self.names(response) == ["9", "7", "5"])
        #expect(response.records.first?["fields"] == ["title": ["value": "odd", "type": "STRING"]])
        #expect(response.records.first?["pluginFields"] == [:] && response.records.first?["deleted"] == false)
    }

    @Test func `the marker leads through all pages, and is absent at the end`() async throws {
        let (client, user) = try await Self.make()
        var marker = ""
        var pages: [[String]] = []
        repeat {
            let response = await client.call(
                .post, "public/records/query", user: user,
                body: Self.query(
                    #","sortBy":[{"fieldName":"number"}]"#,
                    body: #","resultsLimit":4"# + (marker.isEmpty ? "" : #","continuationMarker":"\#(marker)""#)))
            try #require(response.status == 200, "\(response.text)")
            pages.append(Self.names(response))
            marker = response.json?["continuationMarker"]?.string ?? ""
            // OpenCloudKit stops without a word if the marker is no standard base64.
            #expect(marker.count % 4 == 0 && !marker.contains("-") && !marker.contains("_"))
        } while !marker.isEmpty && pages.count < 5
        #expect(pages == [["0", "1", "2", "3"], ["4", "5", "6", "7"], ["8", "9"]])
    }

    @Test func `a marker of another query is rejected`() async throws {
        let (client, user) = try await Self.make()
        let first = await client.call(
            .post, "public/records/query", user: user, body: Self.query(body: #","resultsLimit":4"#))
        let marker = try #require(first.json?["continuationMarker"]?.string)
        for body in [
            Self.query(#","sortBy":{"fieldName":"number"}"#, body: #","continuationMarker":"\#(marker)""#),
            Self.query(body: #","continuationMarker":"nonsense""#),
        ] {
            let response = await client.call(.post, "public/records/query", user: user, body: body)
            #expect(response.status == 400 && response.code == "BAD_REQUEST", "\(response.text)")
        }
    }

    @Test func `a date may come as a bare number`() async throws {
        let (client, user) = try await Self.make()
        let response = await client.call(
            .post, "public/records/query", user: user,
            body: Self.query(
                #","filterBy":{"fieldName":"at","comparator":"LESS_THAN_OR_EQUALS","fieldValue":{"value":1775034000002}},"sortBy":[{"fieldName":"at"}]"#
            ))
        #expect(Self.names(response) == ["0", "1", "2"], "\(response.text)")
    }

    @Test func `a query by its creator, and one over all zones`() async throws {
        let (client, user) = try await Self.make()
        let ann = try #require(client.test.userNames[.creator])
        let response = await client.call(
            .post, "public/records/query", user: user,
            body: Self.query(
                #","filterBy":[{"systemFieldName":"createdUserRecordName","comparator":"EQUALS","fieldValue":{"value":{"recordName":"\#(ann)"},"type":"REFERENCE"}}],"sortBy":[{"systemFieldName":"modifiedTimestamp","ascending":false},{"fieldName":"number","ascending":false}]"#,
                body: #","zoneWide":true,"numbersAsStrings":false,"resultsLimit":2"#))
        #expect(Self.names(response) == ["9", "8"], "\(response.text)")
    }

    @Test func `getCurrentSyncToken adds the token of the zone`() async throws {
        let client = try await CloudKitClient.make()
        let user = try await client.signIn()
        let record = CloudKitModifyRouteTests.operation("create", #""recordName":"a","recordType":"Post","fields":{}"#)
        _ = await client.call(
            .post, "private/records/modify", user: user, body: CloudKitModifyRouteTests.body(record))
        let path =
            "\(CloudKitClient.root)/private/records/query?ckAPIToken=\(client.token)&ckWebAuthToken=\(user)"
        let without = await client.test.call(.post, path, body: Self.query())
        #expect(without.json?["syncToken"] == nil && Self.names(without) == ["a"], "\(without.text)")
        let with = await client.test.call(
            .post, path + "&getCurrentSyncToken=true&remapEnums=true&clientId=x", body: Self.query())
        let token = try #require(with.json?["syncToken"]?.string, "\(with.text)")
        let since = token.replacing("+", with: "%2B").replacing("/", with: "%2F").replacing("=", with: "%3D")
        let changes = await client.test.call(.get, "/changes?database=private&since=\(since)", as: .creator)
        #expect(changes.status == 200 && changes.changes.isEmpty, "\(changes.text)")
    }

    @Test func `development adds indexes, production names the field without one`() async throws {
        let test = try await TestDatabase.make(.production)
        let schema = await test.call(
            .put, "/schema", as: .administrator,
            body:
                #"{"types":{"Post":{"fields":{"title":{"type":"STRING"},"number":{"type":"INT64"},"place":{"type":"LOCATION"}}}}}"#
        )
        try #require(schema.status == 200, "\(schema.text)")
        let made = await test.call(.post, "/cloudkit/tokens", as: .administrator, body: #"{"name":"App"}"#)
        let token = try #require(made.json?["token"]?.string, "\(made.text)")
        let path = "/database/1/Forum/production/public/records/query?ckAPIToken=\(token)"
        let cases: [(query: String, reason: String)] = [
            (
                #","filterBy":{"fieldName":"title","comparator":"EQUALS","fieldValue":{"value":"a"}}"#,
                "Field 'title' is not marked queryable"
            ),
            (#","sortBy":{"fieldName":"number"}"#, "Field 'number' is not marked sortable"),
            (
                #","filterBy":{"fieldName":"title","comparator":"CONTAINS_ANY_TOKENS","fieldValue":{"value":"a"}}"#,
                "Field 'title' is not marked searchable"
            ),
        ]
        for (query, reason) in cases {
            let response = await test.call(.post, path, body: Self.query(query))
            #expect(response.status == 400 && response.code == "BAD_REQUEST", "\(response.text)")
            #expect(response.json?["reason"]?.string == reason, "\(response.text)")
            #expect(response.json?.object?.keys == ["uuid", "serverErrorCode", "reason"])
        }
        let unknown = await test.call(.post, path, body: Self.query(type: "Other"))
        #expect(unknown.status == 404 && unknown.code == "NOT_FOUND", "\(unknown.text)")
        #expect(unknown.json?["reason"]?.string?.contains("Other") == true)
    }

    @Test func `a wrong query fails as a whole`() async throws {
        let (client, user) = try await Self.make()
        let cases: [(body: String, status: Int, code: String, reason: String)] = [
            ("{}", 400, "BAD_REQUEST", "BadRequestException: Unexpected input"),
            (
                Self.query(#","filterBy":{"fieldName":"number","comparator":"IN","fieldValue":{"value":1}}"#), 400,
                "BAD_REQUEST", "BadRequestException: Unexpected input"
            ),
            (
                Self.query(#","filterBy":{"fieldName":"number","comparator":"EQUALS","fieldValue":{"value":"x"}}"#),
                400,
                "BAD_REQUEST", "Invalid value, expected type INT64."
            ),
            (
                Self.query(#","filterBy":{"fieldName":"none","comparator":"EQUALS","fieldValue":{"value":1}}"#), 400,
                "BAD_REQUEST", "Field none not found in Post"
            ),
            (
                Self.query(#","filterBy":{"fieldName":"number","comparator":"LIKE","fieldValue":{"value":1}}"#), 400,
                "BAD_REQUEST", "Unknown comparator"
            ),
            (Self.query(body: #","zoneID":{"zoneName":"Other"}"#), 404, "ZONE_NOT_FOUND", "Zone not found"),
        ]
        for (body, status, code, reason) in cases {
            let response = await client.call(.post, "public/records/query", user: user, body: body)
            #expect(response.status == status && response.code == code, "\(body): \(response.text)")
            #expect(response.json?["reason"]?.string?.hasPrefix(reason) == true, "\(body): \(response.text)")
        }
    }

    @Test func `a type without READ is denied, and asks callers without a user to sign in`() async throws {
        let client = try await CloudKitClient.make(scope: #"{"types":["Post"],"actions":["read"]}"#)
        try await client.test.addForum()
        let denied = try await client.signed(.post, "public/records/query", body: Self.query(type: "Secret"))
        #expect(denied.status == 403 && denied.code == "ACCESS_DENIED", "\(denied.text)")
        #expect(denied.json?["reason"] == "READ operation not permitted")
        let anonymous = await client.call(.post, "public/records/query", body: Self.query(type: "Secret"))
        #expect(anonymous.status == 421 && anonymous.json?["redirectURL"] != nil, "\(anonymous.text)")
    }

    // MARK: Comparison with the native interface

    /// A random query in both protocols: CloudKit's filters, and the text of a condition.
    private static func condition(_ random: inout some RandomNumberGenerator) -> (filter: String, text: String) {
        let number = Int.random(in: 0..<12, using: &random)
        let title = ["even", "odd", "e", "none"].randomElement(using: &random) ?? "e"
        let filters: [(String, String, String, String)] = [
            ("number", "EQUALS", "\(number)", "number == \(number)"),
            ("number", "NOT_EQUALS", "\(number)", "number != \(number)"),
            ("number", "LESS_THAN", "\(number)", "number < \(number)"),
            ("number", "LESS_THAN_OR_EQUALS", "\(number)", "number <= \(number)"),
            ("number", "GREATER_THAN", "\(number)", "number > \(number)"),
            ("number", "GREATER_THAN_OR_EQUALS", "\(number)", "number >= \(number)"),
            ("number", "IN", "[\(number),3,5]", "number IN {\(number), 3, 5}"),
            ("number", "NOT_IN", "[\(number),3]", "NOT number IN {\(number), 3}"),
            ("title", "EQUALS", "\"\(title)\"", "title == '\(title)'"),
            ("title", "BEGINS_WITH", "\"\(title)\"", "title BEGINSWITH '\(title)'"),
            ("title", "NOT_BEGINS_WITH", "\"\(title)\"", "NOT title BEGINSWITH '\(title)'"),
            ("title", "CONTAINS_ANY_TOKENS", "\"\(title) odd\"", "title CONTAINS_ANY_TOKENS '\(title) odd'"),
        ]
        let (field, comparator, value, text) = filters[Int.random(in: 0..<filters.count, using: &random)]
        return (
            #"{"fieldName":"\#(field)","comparator":"\#(comparator)","fieldValue":{"value":\#(value)}}"#, text
        )
    }

    @Test func `both interfaces give the same records in the same order`() async throws {
        let (client, user) = try await Self.make()
        var random = SeededGenerator(seed: 7)
        for _ in 0..<60 {
            let conditions = (0..<Int.random(in: 0...2, using: &random)).map { _ in Self.condition(&random) }
            let field = ["number", "title", "createdTimestamp"].randomElement(using: &random) ?? "number"
            let isAscending = Bool.random(using: &random)
            let filters = conditions.map(\.filter).joined(separator: ",")
            let key = field == "createdTimestamp" ? "systemFieldName" : "fieldName"
            let cloudKit = await client.call(
                .post, "public/records/query", user: user,
                body: Self.query(
                    #","filterBy":[\#(filters)],"sortBy":[{"\#(key)":"\#(field)","ascending":\#(isAscending)}]"#))
            let text = conditions.map(\.text).joined(separator: " AND ")
            let native = await client.test.call(
                .post, "/query", as: .creator,
                body: #"{"recordType":"Post","where":"\#(text)","sort":"\#(isAscending ? "" : "-")\#(field)"}"#)
            #expect(cloudKit.status == 200 && native.status == 200, "\(cloudKit.text) \(native.text)")
            #expect(Self.names(cloudKit) == Self.names(native), "\(text) \(field)")
        }
    }
}
