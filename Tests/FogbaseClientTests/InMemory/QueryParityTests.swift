import FogbaseClient
import Foundation
import RecordWire
import TestSupport
import Testing

/// The double responds like the real server: conditions, sorts, pages, counts, changes by condition.
@Suite(.serialized) struct QueryParityTests {
    /// Creates records with values for all conditions, some of them absent, and with ties.
    private func fill(_ peer: Peer, _ random: inout SeededGenerator, count: Int) async throws {
        try await peer.join("ada")
        try await peer.join("bob")
        for index in 0..<count {
            var fields: [String] = []
            func add(_ name: String, _ value: String) {
                if Int.random(in: 0..<5, using: &random) > 0 { fields.append("\"\(name)\":\(value)") }
            }
            add("n", "\(Int.random(in: 0...6, using: &random))")
            add("d", "\(Int.random(in: 0...4, using: &random)).5")
            add("s", "\"\(["", "a", "ab", "abc", "B", "é", "sea", "a b"].randomElement(using: &random) ?? "")\"")
            let time = 1_767_225_600_000 + Int.random(in: 0...4, using: &random) * 1_000
            add("t", #"{"value":\#(time),"type":"TIMESTAMP"}"#)
            let tags = ["x", "y", "z", "sea"].shuffled(using: &random).prefix(Int.random(in: 0...3, using: &random))
            add("l", #"{"value":[\#(tags.map { "\"\($0)\"" }.joined(separator: ","))],"type":"STRING_LIST"}"#)
            add("r", #"{"recordName":"r\#(Int.random(in: 0...3, using: &random))","action":"NONE"}"#)
            if index % 5 > 0 {
                let place = #"{"latitude":\#((index % 7 - 3) * 30),"longitude":\#(index % 3 + 178)}"#
                fields.append(#""p":{"value":\#(place),"type":"LOCATION"}"#)
            }
            add("b", #"{"value":"AQID","type":"BYTES"}"#)
            try await peer.call(
                "PUT", "/records/T/r\(index)", [:], "{\"fields\":{\(fields.joined(separator: ","))}}",
                as: index % 3 == 0 ? "bob" : "ada")
        }
    }

    /// A condition that a person could have written, as text.
    private func condition(_ random: inout SeededGenerator, depth: Int = 0) -> String {
        func pick(_ choices: [String]) -> String { choices.randomElement(using: &random) ?? "" }
        if depth < 3, Int.random(in: 0..<3, using: &random) == 0 {
            let (one, other) = (condition(&random, depth: depth + 1), condition(&random, depth: depth + 1))
            return pick(["(\(one)) AND (\(other))", "(\(one)) OR (\(other))", "NOT (\(one))", "\(one) && !(\(other))"])
        }
        let order = pick(["==", "!=", "<", "<=", ">", ">="])
        let number = pick(["0", "1", "2", "2.5", "3", "-1", "6", "99"])
        let text = pick(["''", "'a'", "'ab'", "'B'", "'é'", "'sea'", "'zz'"])
        let time = pick(["0", "1", "2", "3", "4", "5"])
        return pick([
            "n \(order) \(number)", "d \(order) \(number)", "s \(order) \(text)", "s BEGINSWITH \(text)",
            "n IN {1, 2, 9}", "s IN {'a', 'sea'}", "n BETWEEN {1, 3}", "d BETWEEN {0.5, 2}", "l CONTAINS 'x'",
            "ANY l == \(text)", "ANY l IN {'x', 'sea'}", "NONE l IN {'x', 'sea'}", "'y' IN l", "ANY l BEGINSWITH 's'",
            "ANY l != 'x'", "n == NULL", "s != NULL", "l == NULL", "b == NULL", "b != NULL",
            "t \(order) date('2026-01-01T00:00:0\(time)Z')", "r == ref('r1')", "r IN {'r1', 'r2'}", "r != 'r0'",
            "recordName \(order) 'r2'", "recordName IN {'r1', 'r11'}", "TRUEPREDICATE", "FALSEPREDICATE",
            "distance(p, loc(0, -180)) \(order) \(number)e6", "p IN box(-45, 179, 45, -179)", "p != NULL",
            "p IN circle(loc(90, 0), 5100 km)", "p IN polygon({loc(50, 170), loc(50, -170), loc(-50, 179)})",
            "\(number) < n", "n == d", "createdTimestamp < now()", "r.n \(order) \(number)", "r.s BEGINSWITH \(text)",
            "r.s != \(text)", "ANY r.l == 'x'", "r.createdTimestamp < now()", "r.n == NULL", "r.nothing == 1",
            "s.n == 1",
        ])
    }

    @Test(arguments: seeds(2)) func `random conditions and sorts find the same in the same order`(_ seed: Int)
        async throws
    {
        try await Peer.compare { peer in
            var random = SeededGenerator(UInt64(seed))
            try await fill(peer, &random, count: 60)
            let sorts = [
                "", "n", "-n", "s,-d", "-t,s", "d,n", "-s", "createdTimestamp", "-createdTimestamp", "recordName",
                "distance(p, 10, 179.5)", "-distance(p, 10, 179.5),n", "distance(p, 0, 0) nulls first",
            ]
            for _ in 0..<150 {
                try await peer.call(
                    "GET", "/query/T",
                    [
                        "where": condition(&random), "sort": sorts.randomElement(using: &random) ?? "", "fields": "n",
                        "count": "true",
                    ], as: "ada")
            }
        }
    }

    @Test func `aggregates have the same groups and errors`() async throws {
        try await Peer.compare { peer in
            var random = SeededGenerator(11)
            try await fill(peer, &random, count: 40)
            let keys = ["n", "s", "r", "d,s", "month(t)", "hour(t),n", "createdUserRecordName", "l", "day(n)", "nope"]
            let values = [
                "count", "sum(n),avg(n)", "sum(d),avg(d),max(d)", "min(s),max(t)", "countDistinct(s),count(n)",
                "countDistinct(r)", "sum(s)", "count,count", "median(n)", "x:max(n)", "count,x:sum(n)",
            ]
            let havings = ["TRUEPREDICATE", "count > 3", "sum(n) >= 10", "x == 6 OR x == NULL", "n > 2", "count >"]
            let sorts = ["-count", "n", "-sum(n),n", "x"]
            func pick(_ choices: [String]) -> String { choices.randomElement(using: &random) ?? "" }
            for _ in 0..<60 {
                try await peer.call("GET", "/query/T", ["groupBy": pick(keys), "aggregate": pick(values)], as: "ada")
                try await peer.call(
                    "GET", "/query/T", ["aggregate": pick(values), "where": condition(&random), "limit": "2"], as: "ada"
                )
                try await peer.call(
                    "GET", "/query/T",
                    [
                        "groupBy": pick(keys), "aggregate": pick(values), "having": pick(havings), "sort": pick(sorts),
                    ], as: "ada")
            }
            try await peer.call(
                "POST", "/query", [:],
                #"{"recordType":"T","where":"n > %@","args":[1],"aggregate":{"groupBy":["n"],"values":["count"]}}"#,
                as: "ada")
            try await peer.call("GET", "/query/T", ["distinct": "n,s"], as: "ada")
        }
    }

    @Test func `pages join to the whole, and cursors belong to their query`() async throws {
        try await Peer.compare { peer in
            var random = SeededGenerator(9)
            try await fill(peer, &random, count: 50)
            for sort in ["n", "-s,t", "", "-createdTimestamp"] {
                var cursor = ""
                var names: [String] = []
                repeat {
                    let page =
                        if cursor.isEmpty {
                            try await peer.call(
                                "GET", "/query/T", ["sort": sort, "where": "n != 3", "limit": "7", "count": "true"],
                                as: "bob")
                        } else {
                            try await peer.call(
                                "GET", "/query/T", ["sort": sort, "where": "n != 3", "limit": "7", "cursor": cursor],
                                as: "bob")
                        }
                    names += page.names
                    cursor = page.tree["cursor"]?.string ?? ""
                    if !cursor.isEmpty {
                        try await peer.call(
                            "GET", "/query/T", ["sort": sort, "where": "n != 4", "cursor": cursor], as: "bob")
                        try await peer.call(
                            "GET", "/query/T", ["sort": sort, "where": "n != 3", "cursor": cursor], as: "ada")
                        // Records that change meanwhile are seen at their position.
                        try await peer.call("PATCH", "/records/T/\(names[0])", [:], #"{"fields":{"d":9}}"#, as: "admin")
                    }
                } while !cursor.isEmpty
                #expect(Set(names).count == names.count)
            }
            var cursor: String?
            repeat {
                let page =
                    if let cursor {
                        try await peer.call("GET", "/records/T", ["limit": "20", "cursor": cursor])
                    } else {
                        try await peer.call("GET", "/records/T", ["limit": "20", "fields": "s"])
                    }
                cursor = page.tree["cursor"]?.string
            } while cursor != nil
            try await peer.call("GET", "/records/T", ["cursor": "none"])
            try await peer.call("GET", "/records/T", ["limit": "0"])
            try await peer.call("GET", "/query/T", ["limit": "1001"])
            try await peer.call("GET", "/query/None", ["where": "a == 1", "count": "true"])
        }
    }

    @Test func `pages lead back, and references lead on`() async throws {
        try await Peer.compare { peer in
            var random = SeededGenerator(11)
            try await fill(peer, &random, count: 30)
            for sort in ["n", "-n", "-s,t", "", "-createdTimestamp"] {
                for path in ["/query/T", "/records/T"] where path == "/query/T" || sort.isEmpty {
                    let start = path + (sort.isEmpty ? "?" : "?sort=\(sort)&") + "limit=9"
                    var reply = try await peer.call("GET", start, as: "ada")
                    for key in ["cursor", "cursor", "previousCursor", "cursor", "previousCursor", "previousCursor"] {
                        let cursor = try #require(reply.tree[key]?.string)
                        let name = key == "cursor" ? "cursor" : "before"
                        reply = try await peer.call("GET", start, [name: cursor], as: "ada")
                    }
                    #expect(reply.tree["previousCursor"] == nil)
                    if path == "/query/T" {
                        try await peer.call("GET", start, ["total": "estimate", "where": "n != 3"], as: "ada")
                        try await peer.call("GET", start, ["total": "exact"], as: "ada")
                    }
                    try await peer.call("GET", path, ["before": "none"])
                    try await peer.call("GET", path, ["before": "none", "cursor": "none"])
                }
            }
            for paths in [
                "r", "r.r", "T.r(limit=2,sort=-n)", "T.r(),r,T.r().r", "r.createdUserRecordName", "T.r().r,r.r",
                "T.createdUserRecordName()", "None.r()", "n", "none", "r.none", "r.n", "T.n()", "T.none()", "T", "r.",
                "T.r(limit=101)", "T.r(limit=1),T.r(limit=2)", "a,b,c,d,e,f,g,h,i,j,k",
            ] {
                for path in ["/query/T", "/records/T", "/records/T/r1", "/records/T/nothing", "/query/None"] {
                    try await peer.call("GET", path, ["expand": paths], as: "ada")
                }
            }
        }
    }

    @Test func `invalid queries are rejected alike`() async throws {
        try await Peer.compare { peer in
            var random = SeededGenerator(4)
            try await fill(peer, &random, count: 12)
            for text in [
                "n ==", "n == 'a'", "s == 3", "none == 1", "n LIKE 'a'", "s CONTAINS 'a'", "n == %@", "n IN 3",
                "(n == 1",
                "b == 'AQID'", "l == 'x'", "r < 'a'", "share == 1", "n == 1 n == 2", "t == 'yesterday'", "ANY n == 1",
            ] {
                try await peer.call("GET", "/query/T", ["where": text], as: "ada")
                try await peer.call("DELETE", "/query/T", ["where": text], as: "ada")
            }
            for sort in ["none", "l", "b", "r", "n,,s", "-", "n,n", "share"] {
                try await peer.call("GET", "/query/T", ["sort": sort], as: "ada")
            }
            for argument in ["3", "\"a\"", "a", "[1]", #"{"value":3,"type":"INT64"}"#, #"{"recordName":"r1"}"#, "null"]
            {
                try await peer.call("GET", "/query/T", ["where": "n == %@", "arg": argument], as: "ada")
                try await peer.call("GET", "/query/T", ["where": "r == %@", "arg": argument], as: "ada")
            }
            try await peer.call("GET", "/query/T", ["where": "n == 1", "arg": "1"], as: "ada")
            try await peer.call(
                "GET", "/query/T", ["where": "%K == %@ OR n IN %@", "arg": "\"n\"", "arg": "1", "arg": "[2,3]"],
                as: "ada")
            for body in [
                #"{"recordType":"T","where":"n > $n","vars":{"n":2},"sort":["-n","s"],"count":true,"limit":3}"#,
                #"{"recordType":"T","filterBy":{"fieldName":"n","comparator":"NOT_EQUALS","fieldValue":{"value":3,"type":"INT64"}}}"#,
                #"{"recordType":"T","filterBy":[{"fieldName":"l","comparator":"LIST_CONTAINS_ALL","fieldValue":{"value":["x","y"]}}],"fields":["n"]}"#,
                #"{"recordType":"T","sortBy":[{"fieldName":"n","ascending":false}],"fields":[]}"#,
                #"{"recordType":"T","where":"n > 2","args":[1]}"#, #"{"recordType":"T","what":1}"#,
                #"{"where":"n > 2"}"#, "{",
                #"{"recordType":"T","limit":0}"#, #"{"recordType":"T","sort":"n","sortBy":[]}"#,
            ] {
                try await peer.call("POST", "/query", [:], body, as: "ada")
            }
        }
    }

    @Test func `queries by user work alike, and deleted users are one`() async throws {
        try await Peer.compare { peer in
            var random = SeededGenerator(5)
            try await fill(peer, &random, count: 12)
            for name in [peer.record(of: "ada"), "_administrator", "_deleted", "nobody"] {
                try await peer.call(
                    "GET", "/query/T", ["where": "createdUserRecordName == %@", "arg": "\"\(name)\"", "fields": ""],
                    as: "bob", fields: [])
            }
            try await peer.call("DELETE", "/users/me", [:], #"{"password":"correct horse"}"#, as: "ada")
            try await peer.call("GET", "/query/T", ["where": "createdUserRecordName == '_deleted'"], as: "bob")
            try await peer.call("GET", "/query/T", ["where": "createdUserRecordName != '_deleted'"], as: "bob")
        }
    }

    @Test func `bulk updates and deletions work alike`() async throws {
        try await Peer.compare { peer in
            var random = SeededGenerator(6)
            try await fill(peer, &random, count: 40)
            try await peer.call("DELETE", "/query/T", as: "ada")
            try await peer.call("DELETE", "/query/T", ["where": "n == 1", "all": "true"], as: "ada")
            try await peer.call("DELETE", "/query/T", ["where": "n == 1"])
            try await peer.call("DELETE", "/query/T", ["where": "n == 1", "dryRun": "true"], as: "ada")
            try await peer.call("DELETE", "/query/T", ["where": "n > 1", "maxAffected": "2"], as: "ada")
            try await peer.call("DELETE", "/query/T", ["where": "n == 1"], "{}", as: "ada")
            try await peer.call("DELETE", "/query/T", ["where": "n == 1"], as: "ada", fields: [("If-Match", "*")])
            try await peer.call(
                "PATCH", "/query/T", ["where": "n == 2"], #"{"fields":{"n":{"increment":5},"k":"new"}}"#, as: "ada")
            try await peer.call("PATCH", "/query/T", ["where": "n == 3"], #"{"fields":{"n":"no"}}"#, as: "ada")
            try await peer.call("PATCH", "/query/T", ["where": "n == 3"], "{}", as: "ada")
            try await peer.call(
                "PATCH", "/query/T", ["where": "n == 3"], #"{"recordName":"a","fields":{"n":1}}"#, as: "ada")
            try await peer.call(
                "PATCH", "/query/T", ["where": "n == 3"],
                #"{"fields":{"v":{"recordName":"r0","action":"VALIDATE"}}}"#, as: "ada")
            try await peer.call("DELETE", "/query/T", ["where": "recordName IN {'r0', 'r3'}"], as: "bob")
            try await peer.call("DELETE", "/query/T", ["where": "n == 1"], as: "ada")
            try await peer.call("GET", "/records/T")
            try await peer.call("DELETE", "/query/T", ["all": "true"], as: "admin")
            try await peer.call("DELETE", "/query/Users", ["all": "true"], as: "admin")
            try await peer.call("DELETE", "/query/None", ["all": "true"], as: "ada")
            try await peer.call("GET", "/records/T")
        }
    }
}
