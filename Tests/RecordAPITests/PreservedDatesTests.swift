import HTTP
import RecordModel
import RecordWire
import TestSupport
import Testing

/// Imports that preserve the creation date and creator of records.
@Suite struct PreservedDatesTests {
    private static func item(
        _ kind: String, _ name: String, type: String = "Post", created: String? = nil, modified: String? = nil,
        tag: String? = nil
    ) -> String {
        let parts = [
            created.map { #","created":\#($0)"# }, modified.map { #","modified":\#($0)"# },
            tag.map { #","recordChangeTag":"\#($0)""# },
        ]
        return
            #"{"operationType":"\#(kind)","record":{"recordType":"\#(type)","recordName":"\#(name)","fields":{}\#(parts.compactMap(\.self).joined())}}"#
    }

    private static func batch(_ items: [String], preserve: String? = nil, atomic: Bool = true) -> String {
        let preserve = preserve.map { #","preserve":\#($0)"# } ?? ""
        return #"{"operations":[\#(items.joined(separator: ","))],"atomic":\#(atomic)\#(preserve)}"#
    }

    private static let both = #"["created","modified"]"#

    @Test func `a misspelled or mistyped member of a date does not silently mean now`() async throws {
        let database = try await TestDatabase.make()
        for (created, says) in [
            (#"{"userRecordName":5}"#, "created.userRecordName"), (#"{"timeStamp":1}"#, "no 'timeStamp'"),
            (#"{"timestamp":true}"#, "created.timestamp"),
        ] {
            for body in [Self.batch([Self.item("create", "a", created: created)], preserve: Self.both)] {
                let response = await database.call(.post, "/records", as: .administrator, body: body)
                #expect(response.text.contains("BAD_REQUEST") && response.text.contains(says), "\(response.text)")
            }
            let single = await database.call(
                .post, "/records/Post?preserve=created", as: .administrator,
                body: #"{"fields":{},"created":\#(created)}"#)
            #expect(single.status == 400 && single.text.contains(says), "\(single.text)")
        }
    }

    @Test func `an administrator's import keeps dates and users`() async throws {
        let database = try await TestDatabase.make()
        let ann = try #require(database.userNames[.creator])
        let body = Self.batch(
            [
                Self.item(
                    "create", "a", created: #"{"timestamp":1000,"userRecordName":"\#(ann)","deviceID":"2"}"#,
                    modified: #"{"timestamp":"1970-01-01T00:00:02.5Z"}"#),
                Self.item("forceReplace", "b", created: #"{"timestamp":3000}"#),
            ], preserve: Self.both)
        let response = await database.call(.post, "/records", as: .administrator, body: body)
        let first = try #require(response.records.first)
        #expect(first["created"]?["timestamp"]?.integer == 1_000, "\(response.text)")
        #expect(first["created"]?["userRecordName"]?.string == ann)
        #expect(first["modified"]?["timestamp"]?.integer == 2_500)
        #expect(first["modified"]?["userRecordName"]?.string == "_administrator")
        #expect(response.records.last?["created"]?["timestamp"]?.integer == 3_000)
        #expect((response.records.last?["modified"]?["timestamp"]?.integer ?? 0) > 1_000_000_000_000)
        // She created it, and may change it.
        let own = await database.call(.patch, "/records/Post/a", as: .creator, body: #"{"fields":{"x":1}}"#)
        #expect(own.status == 200 && own.json?["created"]?["timestamp"]?.integer == 1_000, "\(own.text)")
        await database.play([
            Scenario(
                "one record", .administrator, .post, "/records/Post?preserve=created",
                #"{"recordName":"c","created":{"timestamp":5}}"#, 201, contains: [#""created":{"timestamp":5,"#]),
            Scenario(
                "by PUT", .administrator, .put, "/records/Post/d?preserve=created,modified",
                #"{"created":{"timestamp":6},"modified":{"timestamp":7}}"#, 201,
                contains: [#""created":{"timestamp":6,"#, #""modified":{"timestamp":7,"#]),
            Scenario(
                "nobody's", .administrator, .put, "/records/Post/e?preserve=created",
                #"{"created":{"userRecordName":"_00000000000000000000000000000000"}}"#, 400, contains: ["UNKNOWN_NAME"]),
            Scenario(
                "another word", .administrator, .put, "/records/Post/e?preserve=tags", "{}", 400,
                contains: ["'preserve' names 'created', 'modified' or both"]),
            Scenario(
                "no time", .administrator, .put, "/records/Post/e?preserve=created",
                #"{"created":{"timestamp":"2026-13-01T00:00:00Z"}}"#, 400, contains: ["time in month 13"]),
            Scenario(
                "not said", .administrator, .put, "/records/Post/e?preserve=created",
                #"{"modified":{"timestamp":7}}"#, 400, contains: ["READ_ONLY_KEY", "preserve"]),
            Scenario("there is none", .administrator, .get, "/records/Post/e", 404),
        ])
        let log = await database.call(.get, "/audit?action=records.preserve", as: .administrator)
        let entries = log.json?["entries"]?.array ?? []
        #expect(entries.map { $0["detail"]?["records"]?.integer } == [1, 1, 2], "\(log.text)")
        #expect(entries.allSatisfy { $0["target"]?.string == "Post" })
    }

    @Test func `an administrator's import keeps the date and the user of a change`() async throws {
        let database = try await TestDatabase.make()
        let ann = try #require(database.userNames[.creator])
        let first = #"{"timestamp":1000,"userRecordName":"\#(ann)"}"#
        let later = #"{"timestamp":5000,"userRecordName":"\#(ann)"}"#
        let item = Self.item("forceReplace", "a", created: first, modified: first)
        await database.call(.post, "/records", as: .administrator, body: Self.batch([item], preserve: Self.both))
        let response = await database.call(
            .post, "/records", as: .administrator,
            body: Self.batch(
                [
                    Self.item("forceReplace", "a", created: first, modified: later),
                    Self.item("forceUpdate", "a", modified: #"{"timestamp":6000}"#), Self.item("forceUpdate", "a"),
                    Self.item("forceUpdate", "a", created: later), Self.item("forceUpdate", "a", modified: first),
                ], preserve: Self.both, atomic: false))
        let records = response.records
        try #require(records.count == 5, "\(response.text)")
        #expect(records[0]["created"]?["timestamp"] == 1_000 && records[0]["modified"]?["timestamp"] == 5_000)
        #expect(records[0]["modified"]?["userRecordName"]?.string == ann)
        #expect(records[1]["modified"]?["timestamp"] == 6_000)
        #expect(records[1]["modified"]?["userRecordName"] == "_administrator")
        #expect((records[2]["modified"]?["timestamp"]?.integer ?? 0) > 1_000_000_000_000, "without a date, it is now")
        #expect(records[3]["details"]?["cause"] == "READ_ONLY_KEY", "the creation of a record does not change")
        // The change may be older than the one before.
        #expect(records[4]["modified"]?["timestamp"] == 1_000)
        let query = await database.call(
            .get, "/query/Post?where=modifiedTimestamp%20%3D%3D%201000", as: .administrator)
        #expect(query.json?["records"]?.array?.count == 1, "\(query.text)")
        let log = await database.call(.get, "/audit?action=records.preserve", as: .administrator)
        #expect((log.json?["entries"]?.array ?? []).map { $0["detail"]?["records"] } == [3, 1], "\(log.text)")
        let own = await database.call(
            .post, "/records", as: .creator,
            body: Self.batch([Self.item("forceUpdate", "a", modified: later)], preserve: #"["modified"]"#))
        #expect(own.status == 403, "\(own.text)")
    }

    @Test func `only administrators set the creator of a record`() async throws {
        let database = try await TestDatabase.make()
        let key = await database.call(
            .post, "/keys", as: .administrator,
            body: #"{"name":"import","scope":{"actions":["read","create","write"]}}"#)
        let token = try #require(key.json?["token"]?.string)
        let body = Self.batch([Self.item("create", "a", created: #"{"timestamp":1000}"#)], preserve: Self.both)
        for who in [TestDatabase.Who.anonymous, .creator, .member] {
            let response = await database.call(.post, "/records", as: who, body: body)
            #expect(response.status == (who == .anonymous ? 401 : 403), "\(response.text)")
            #expect(response.text.contains("changeRights"))
        }
        let byKey = await database.call(
            .post, "/records", body: body, headers: [("Authorization", "Bearer \(token)")])
        #expect(byKey.status == 403, "\(byKey.text)")
        #expect(await database.call(.get, "/records/Post/a").status == 404)
    }

    /// A date without the option must not be ignored silently.
    @Test func `without the option a changed date is rejected and an unchanged date is accepted`() async throws {
        let database = try await TestDatabase.make()
        let date = #"{"timestamp":1000}"#
        let codes = { (response: Response) in
            response.records.map { $0["details"]?["cause"]?.string ?? $0["serverErrorCode"]?.string ?? "" }
        }
        let creating = await database.call(
            .post, "/records", as: .creator,
            body: Self.batch(
                [
                    Self.item("create", "a", created: date), Self.item("forceReplace", "b", modified: date),
                    Self.item("create", "c", created: "null"), Self.item("create", "d"),
                ], atomic: false))
        #expect(codes(creating) == ["READ_ONLY_KEY", "READ_ONLY_KEY", "", ""], "\(creating.text)")
        let read = await database.call(.get, "/records/Post/d", as: .creator)
        let created = String(decoding: try #require(read.json?["created"]).bytes, as: UTF8.self)
        let modified = String(decoding: try #require(read.json?["modified"]).bytes, as: UTF8.self)
        let tag = try #require(read.json?["recordChangeTag"]?.string)
        let changing = await database.call(
            .post, "/records", as: .creator,
            body: Self.batch(
                [
                    Self.item("update", "d", created: date, tag: tag),
                    Self.item("update", "d", created: #"{"userRecordName":"_administrator"}"#, tag: tag),
                    Self.item("update", "d", modified: date, tag: tag), Self.item("forceUpdate", "d", created: "5"),
                    Self.item("update", "d", created: created, modified: modified, tag: tag),
                    // The dates of the previous version are accepted, sent back without a tag.
                    Self.item("forceUpdate", "d", created: created, modified: modified),
                    Self.item("forceDelete", "d", created: date),
                ], atomic: false))
        #expect(
            codes(changing) == ["READ_ONLY_KEY", "READ_ONLY_KEY", "READ_ONLY_KEY", "BAD_REQUEST", "", "", ""],
            "\(changing.text)")
    }

    /// A caller with WRITE but not READ cannot find the date by trying.
    @Test func `a date is not confirmed to a caller that may not read the record`() async throws {
        let database = try await TestDatabase.make()
        try await database.addForum()
        let record = await database.call(.get, "/records/Drop/d1", as: .administrator)
        let created = String(decoding: try #require(record.json?["created"]).bytes, as: UTF8.self)
        let responses = await database.call(
            .post, "/records", as: .member,
            body: Self.batch(
                [
                    Self.item("forceUpdate", "d1", type: "Drop", created: created),
                    Self.item("forceUpdate", "d1", type: "Drop", created: #"{"timestamp":1}"#),
                ], atomic: false))
        #expect(responses.records.map { $0["reason"]?.string }.count == 2)
        #expect(responses.records.first?["reason"] == responses.records.last?["reason"], "\(responses.text)")
    }

    /// Ids do not follow these dates, so queries must not treat them as the order of creation.
    @Test(arguments: [RecordEnvironment.development, .production])
    func `queries by date are right among preserved ones`(environment: RecordEnvironment) async throws {
        let database = try await TestDatabase.make(environment, withUsers: false)
        await database.call(
            .put, "/schema", as: .administrator, body: #"{"types":{"Old":{"fields":{}},"New":{"fields":{}}}}"#)
        var random = SeededGenerator(seed: 7)
        var dates: [(name: String, created: Int64)] = []
        var others: [(name: String, created: Int64)] = []
        for round in 0..<12 {
            let items = (0..<5).map { position in
                let (name, date) = ("o\(round)-\(position)", Int64.random(in: 1...40, using: &random) * 1_000)
                dates.append((name, date))
                return Self.item("create", name, type: "Old", created: #"{"timestamp":\#(date)}"#)
            }
            let response = await database.call(
                .post, "/records", as: .administrator, body: Self.batch(items, preserve: Self.both))
            try #require(response.records.allSatisfy { $0["serverErrorCode"] == nil }, "\(response.text)")
            for (type, name) in [("Old", "p\(round)"), ("New", "n\(round)")] {
                let made = await database.call(.put, "/records/\(type)/\(name)", as: .administrator, body: "{}")
                let created = try #require(made.json?["created"]?["timestamp"]?.integer)
                if type == "Old" { dates.append((name, created)) } else { others.append((name, created)) }
            }
        }
        func pages(_ type: String, _ sort: String, _ condition: String = "") async throws -> [String] {
            var names: [String] = []
            var cursor: String?
            repeat {
                var parameters = [("sort", sort), ("limit", "7")]
                if !condition.isEmpty { parameters.append(("where", condition)) }
                if let cursor { parameters.append(("cursor", cursor)) }
                let page = await database.call(.get, queryTarget(type, parameters), as: .administrator)
                try #require(page.status == 200, "\(page.text)")
                names += page.records.compactMap { $0["recordName"]?.string }
                cursor = page.json?["cursor"]?.string
            } while cursor != nil
            return names
        }
        // Ties keep the order of writing.
        let sorted = dates.enumerated().sorted { ($0.element.created, $0.offset) < ($1.element.created, $1.offset) }
            .map(\.element)
        #expect(try await pages("Old", "createdTimestamp") == sorted.map(\.name))
        #expect(try await pages("Old", "-createdTimestamp") == sorted.map(\.name).reversed())
        for _ in 0..<10 {
            let low = Int64.random(in: 0...42, using: &random) * 1_000
            let high = low + Int64.random(in: 0...20, using: &random) * 1_000
            let condition = "createdTimestamp >= \(low) AND createdTimestamp < \(high)"
            let expected = sorted.filter { low <= $0.created && $0.created < high }.map(\.name)
            #expect(try await pages("Old", "createdTimestamp", condition) == expected, "\(condition)")
        }
        // Another type still has its records found by their ids.
        for (name, created) in others {
            #expect(
                try await pages("New", "createdTimestamp", "createdTimestamp >= \(created)")
                    == others.filter { $0.created >= created }.map(\.name), "\(name)")
        }
        #expect(try await pages("New", "-createdTimestamp") == others.map(\.name).reversed())
    }
}
