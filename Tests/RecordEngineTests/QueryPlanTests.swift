import RecordEngine
import RecordModel
import RecordWire
import TestSupport
import Testing

/// How the queries of applications are answered, as their plans say.
@Suite struct QueryPlanTests {
    @Test func `the posts of a thread are scanned, newest or most liked first`() async throws {
        let test = try TestDatabase(.production)
        try await test.putType(
            fields: #""threadname":{"type":"STRING"},"timestamp":{"type":"TIMESTAMP"},"good":{"type":"INT64"}"#,
            indexes:
                #"[{"fields":["threadname","timestamp"]},{"fields":["threadname","-good"]},{"fields":["timestamp"]}]"#)
        try await test.createAll(
            (0..<400).map { ("p\($0)", #""threadname":"t\#($0 % 4)","timestamp":\#($0),"good":\#($0 % 9)"#) })
        let newest = try await test.query("threadname == %@", [.string("t1")], sort: "-timestamp", limit: 3)
        #expect(newest.plan == #"scan index (threadname, timestamp) backward: threadname == "t1""#)
        #expect(newest.names == ["p397", "p393", "p389"])
        #expect(newest.json["plan"]?["sort"]?.string == "index")
        let liked = try await test.query("threadname == %@", [.string("t1")], sort: "-good", limit: 3)
        #expect(liked.plan == #"scan index (threadname, -good): threadname == "t1""#)
        #expect(liked.names == ["p17", "p53", "p89"])
        let old = try test.queryRequest("timestamp < %@", [.timestamp(100)])
        #expect(
            try await test.query("timestamp < %@", [.timestamp(100)]).plan
                == "scan index (timestamp): timestamp < 100\nsort: id")
        let response = try await test.reader.bulkChanges.perform(
            BulkRequest(
                query: old, change: .delete, isForAll: false, isDryRun: false, maxAffected: nil, idempotency: nil))
        #expect(String(decoding: response.document, as: UTF8.self) == #"{"matched":100,"deleted":100,"skipped":0}"#)
    }

    @Test func `scans of one creator and merged scans go backward too`() async throws {
        let test = try TestDatabase(.production)
        try await test.putType(
            fields: #""g":{"type":"INT64"},"n":{"type":"INT64"}"#, indexes: #"[{"fields":["g","n"]}]"#)
        try await test.createAll((0..<300).map { ("p\($0)", #""g":\#($0 % 3),"n":\#($0 / 6)"#) })
        let mine = try await test.query(
            "createdUserRecordName == '_administrator'", sort: "-createdTimestamp", limit: 3)
        #expect(mine.plan.hasPrefix("scan records of Post by creator backward"), "\(mine.plan)")
        #expect(mine.names == ["p299", "p298", "p297"])
        let merged = try await test.query("g IN {0, 1}", sort: "-n", limit: 5)
        #expect(merged.plan.hasPrefix("merge of 2\nscan index (g, n) backward"), "\(merged.plan)")
        #expect(merged.names == ["p294", "p295", "p297", "p298", "p288"])
        let union = try await test.query("g == 0 OR (g == 1 AND n > 40)", sort: "-createdTimestamp", limit: 2)
        #expect(union.names == ["p298", "p297"])
    }

    @Test func `goods between two prices are scanned by price`() async throws {
        let test = try TestDatabase(.production)
        try await test.putType(
            "Goods", fields: #""salesPrice":{"type":"INT64"},"costRate":{"type":"DOUBLE"}"#,
            indexes: #"[{"fields":["-salesPrice","costRate"]}]"#)
        try await test.createAll(
            (0..<100).map { ("g\($0)", #""salesPrice":\#($0 / 2),"costRate":\#(99 - $0)"#) }, type: "Goods")
        let page = try await test.query(
            "salesPrice >= %d and salesPrice <= %d", [.integer(10), .integer(11)], sort: "-salesPrice,costRate",
            type: "Goods")
        #expect(page.plan == "scan index (-salesPrice, costRate): salesPrice BETWEEN {10, 11}")
        #expect(page.names == ["g23", "g22", "g21", "g20"])
    }

    @Test func `the month of one user is found in a private database and among everybody's`() async throws {
        let test = try TestDatabase(.development)
        try await test.putType(
            "Event", fields: #""startDate":{"type":"TIMESTAMP"},"endDate":{"type":"TIMESTAMP"}"#,
            indexes:
                #"[{"fields":["startDate"]},{"fields":["endDate"]},{"fields":["createdUserRecordName","startDate"]}]"#,
            grants: #"{"_icloud":["CREATE"],"_creator":["READ","WRITE"]}"#)
        let ann = try await test.signUp("ann").caller
        let (bob, session) = try await test.signUp("bob")
        let mine = DatabaseAddress(scope: .privateDatabase(owner: try #require(ann.userID)))
        for (caller, address) in [(ann, mine), (ann, .publicDefault), (bob, .publicDefault)] {
            try await test.createAll(
                (0..<300).map { ("\(caller.userID ?? 0)-\($0)", #""startDate":\#($0),"endDate":\#($0 + 2)"#) },
                type: "Event", as: caller, in: address)
        }
        let (condition, values) = ("startDate >= %@ AND endDate < %@", [QueryArgument.timestamp(250), .timestamp(280)])
        for address in [mine, .publicDefault] {
            let page = try await test.query(condition, values, limit: 1_000, type: "Event", as: ann, in: address)
            #expect(page.names == (250..<278).map { "\(ann.userID ?? 0)-\($0)" })
            // In the public database Ann may read only her own records, and the plan is not shown to her.
            #expect(page.plan.contains("scan index") == (address == mine))
            #expect(page.examined == nil)
        }
        let own = try await test.query(
            "createdUserRecordName == %@ AND \(condition)", [.string(session.user.recordName)] + values, limit: 1_000,
            type: "Event")
        #expect(own.names == (250..<278).map { "\(bob.userID ?? 0)-\($0)" })
        #expect(own.plan.contains("scan index (createdUserRecordName, startDate)"), "\(own.plan)")
    }

    @Test func `ten visible records out of many are found by their creator`() async throws {
        let test = try TestDatabase(.production)
        try await test.putType(
            fields: #""n":{"type":"INT64","indexes":["QUERYABLE","SORTABLE"]}"#,
            grants: #"{"_icloud":["CREATE"],"_creator":["READ","WRITE"]}"#)
        let (ann, session) = try await test.signUp("ann")
        try await test.createAll((0..<1_000).map { ("a\($0)", #""n":\#($0 % 5)"#) })
        try await test.createAll((0..<10).map { ("mine\($0)", #""n":\#($0 % 5)"#) }, as: ann)
        try await test.createAll((1_000..<2_000).map { ("a\($0)", #""n":\#($0 % 5)"#) })
        let page = try await test.query("n < 3", sort: "-n", as: ann)
        #expect(page.names == ["mine2", "mine7", "mine1", "mine6", "mine0", "mine5"])
        #expect(page.count == 6)
        let seen = try await test.query(
            "createdUserRecordName == %@ AND n < 3", [.string(session.user.recordName)], sort: "-n")
        #expect(seen.names == page.names)
        #expect(seen.plan.hasPrefix("scan records of Post by creator: "))
        #expect(try #require(seen.examined) < 100)
        #expect(try await test.query(as: ann).names.count == 10)
    }

    @Test func `an IN is a merge in order, an OR a union`() async throws {
        let test = try TestDatabase(.production)
        try await test.putType(
            fields: #""a":{"type":"INT64"},"b":{"type":"INT64"},"n":{"type":"INT64"}"#,
            indexes: #"[{"fields":["a","-n"]},{"fields":["b","-n"]}]"#)
        try await test.createAll((0..<900).map { ("r\($0)", #""a":\#($0 % 100),"b":\#($0 % 90),"n":\#($0)"#) })
        let merged = try await test.query("a IN {3, 5}", sort: "-n", limit: 4)
        #expect(
            merged.plan == "merge of 2\nscan index (a, -n): a IN {3, 5}\nscan index (a, -n): a IN {3, 5}")
        #expect(merged.names == ["r805", "r803", "r705", "r703"])
        let union = try await test.query("a == 3 OR b == 3", sort: "-n", limit: 4)
        #expect(union.plan == "merge of 2\nscan index (a, -n): a == 3\nscan index (b, -n): b == 3")
        #expect(union.names == ["r813", "r803", "r723", "r703"])
        // r3 is in both.
        #expect(union.count == 18)
    }

    @Test func `production rejects a query without an index and names the missing mark`() async throws {
        let test = try TestDatabase(.production)
        try await test.putType(
            fields: #""f":{"type":"INT64"},"q":{"type":"INT64","indexes":["QUERYABLE"]},"tags":{"type":"STRING_LIST"}"#)
        for (condition, sort, sentence) in [
            ("f == 1", "", "Field 'f' is not marked queryable"), ("", "f", "Field 'f' is not marked sortable"),
            ("q == 1 AND f == 1", "", "Field 'f' is not marked queryable"),
            ("", "-q", "Field 'q' is not marked sortable"),
            ("tags CONTAINS 'x'", "", "Field 'tags' is not marked queryable"),
            ("", "modifiedTimestamp", "Field 'modifiedTimestamp' is not marked sortable"),
        ] {
            let error = await rejection { _ = try await test.query(condition, sort: sort) }
            #expect(error?.cause == .notIndexed)
            #expect(
                error?.reason.hasPrefix(sentence + ".") == true, "\(condition) \(sort): \(String(describing: error))")
        }
        #expect(try await test.query("q == 1 AND q > 0").names.isEmpty)
        #expect(try await test.query("recordName == 'x' AND f == 1").names.isEmpty)
    }

    @Test func `the advice for a missing index suggests no failed index and none above the limit`() async throws {
        let fields = (0..<66).map { #""f\#($0)":{"type":"INT64"}"# }.joined(separator: ",")
        let test = try await TestDatabase.withFailedIndex { test in
            try await test.putType(fields: fields)
            for name in ["a", "b"] { try await test.create(name, #""f0":1"#) }
            try await test.putType(fields: fields, indexes: #"[{"fields":["f0"],"unique":true}]"#)
        }
        let failed = await rejection { _ = try await test.query("f0 == 1", as: .anonymous) }
        #expect(failed?.cause == .notIndexed && failed?.reason.contains("Its index has failed") == true)
        let indexes = (1...64).map { #"{"fields":["f\#($0)"]}"# }.joined(separator: ",")
        try await test.putType(fields: fields, indexes: "[\(indexes)]")
        let full = await rejection { _ = try await test.query("f65 == 1") }
        #expect(full?.cause == .notIndexed && full?.reason.contains("64 indexes, as many as it may") == true)
    }
}
