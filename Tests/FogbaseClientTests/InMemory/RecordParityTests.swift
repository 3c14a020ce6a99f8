import Foundation
import RecordWire
import Testing

/// The double responds like the real server: records, conditions, operations, batches, references.
@Suite(.serialized) struct RecordParityTests {
    @Test func `records are created, read, changed and deleted alike`() async throws {
        try await Peer.compare { peer in
            try await peer.join("ada")
            try await peer.join("bob")
            let post = "/records/Post/hello"
            try await peer.call("GET", post)
            try await peer.call("GET", "/records/Post")
            try await peer.call("POST", "/records/Post", [:], #"{"recordName":"hello","fields":{"title":"sea"}}"#)
            let made = try await peer.call(
                "POST", "/records/Post", [:], #"{"recordName":"hello","fields":{"title":"sea","good":3}}"#, as: "ada")
            try await peer.call("POST", "/records/Other", [:], #"{"recordName":"hello"}"#, as: "ada")
            try await peer.call("GET", post)
            try await peer.call("GET", post, ["fields": "good,none"], as: "bob")
            try await peer.call("GET", post, fields: [("If-None-Match", made.fields["etag"] ?? "")])
            try await peer.call("GET", post, fields: [("If-Match", "\"no\"")])
            try await peer.call("PATCH", post, [:], #"{"fields":{"good":4}}"#, as: "bob")
            try await peer.call("PATCH", post, [:], #"{"fields":{"good":4}}"#)
            let changed = try await peer.call("PATCH", post, [:], #"{"fields":{"good":null,"more":2.5}}"#, as: "ada")
            for tag in ["\"\(made.tag)\"", "\"\(changed.tag)\"", "*"] {
                try await peer.call(
                    "PATCH", post, [:], #"{"fields":{"good":5}}"#, as: "ada", fields: [("If-Match", tag)])
            }
            try await peer.call("PUT", post, [:], #"{"fields":{"title":"fog"}}"#, as: "ada")
            try await peer.call("PUT", post, [:], "{}", as: "ada", fields: [("If-None-Match", "*")])
            for user in ["ada", "bob", nil] {
                try await peer.call("PUT", "/records/Post/new", [:], "{}", as: user, fields: [("If-Match", "*")])
                try await peer.call("PUT", "/records/Post/of-\(user ?? "none")", [:], #"{"fields":{"a":1}}"#, as: user)
                try await peer.call("PATCH", "/records/Post/none", [:], "{}", as: user)
                try await peer.call("DELETE", "/records/Post/none", as: user)
                try await peer.call("DELETE", "/records/Post/none", as: user, fields: [("If-Match", "\"a\"")])
            }
            try await peer.call("DELETE", post, as: "bob")
            try await peer.call("DELETE", post, as: "ada", fields: [("If-Match", "\"a\"")])
            try await peer.call("DELETE", post, as: "ada")
            try await peer.call("GET", post)
            try await peer.call("PUT", post, [:], "{}", as: "bob", fields: [("Prefer", "return=minimal")])
            try await peer.call("GET", "/records/Post", as: "none")
            try await peer.call("GET", "/records/Post")
            try await peer.call("DELETE", "/records/Post/of-ada", as: "admin")
        }
    }

    @Test func `values are accepted and rejected alike`() async throws {
        let values = [
            "3", "3.0", "3.5", "-0.0", "1e300", "true", #""sea""#, #""2026-03-01T12:00:00Z""#, #""AQID""#, "null", "[]",
            #"["a","b"]"#, "[1,2.5]", "[1,null]", "{}", #"{"value":3,"type":"DOUBLE"}"#,
            #"{"value":[],"type":"INT64_LIST"}"#,
            #"{"value":1767225600000,"type":"TIMESTAMP"}"#, #"{"value":"AQID","type":"BYTES"}"#,
            #"{"recordName":"x","action":"NONE"}"#, #"{"latitude":1,"longitude":2}"#, #"{"latitude":91,"longitude":2}"#,
            #"{"value":"x","type":"WHAT"}"#, #"{"increment":1}"#, #"{"fileChecksum":"x","size":1}"#,
            "99999999999999999999",
        ]
        try await Peer.compare { peer in
            try await peer.join("ada")
            for (index, value) in values.enumerated() {
                try await peer.call(
                    "PUT", "/records/T/v\(index)", [:], #"{"fields":{"f\#(index)":\#(value)}}"#, as: "ada")
            }
            // Into existing fields of every type.
            for (index, value) in values.enumerated() {
                for field in [0, 2, 6, 11, 16, 17, 18, 19] {
                    try await peer.call(
                        "PUT", "/records/T/w\(index)", [:], #"{"fields":{"f\#(field)":\#(value)}}"#, as: "ada")
                }
            }
            for body in [
                "{", "[]", "", #"{"fields":{"createdTimestamp":1}}"#, #"{"fields":{"1a":1}}"#, #"{"created":1}"#,
                #"{"recordName":"other"}"#, #"{"recordType":"Other"}"#, #"{"recordName":"a\u0000"}"#,
                #"{"fields":{"f0":1,"f0":2}}"#, #"{"fields":3}"#,
            ] {
                try await peer.call("PUT", "/records/T/body", [:], body, as: "ada")
            }
            try await peer.call("PUT", "/records/1T/a", [:], "{}", as: "ada")
            let long = String(repeating: "a", count: 256)
            try await peer.call("PUT", "/records/T/\(long)", [:], "{}", as: "ada")
            try await peer.call("PUT", "/records/T/caf%C3%A9%20%2F", [:], "{}", as: "ada")
            try await peer.call("GET", "/records/T/caf%C3%A9%20%2F")
            let bytes = Data(repeating: 7, count: 9_000).base64EncodedString()
            try await peer.call("PATCH", "/records/T/v18", [:], #"{"fields":{"f18":"\#(bytes)"}}"#, as: "ada")
            try await peer.call("PATCH", "/records/T/v18", [:], #"{"fields":{"f0":1}}"#, as: "ada")
            try await peer.call("GET", "/records/T/v18/f18")
            try await peer.call("GET", "/records/T/v18/f0")
            try await peer.call("GET", "/records/T/v18/none")
            let text = String(repeating: "a", count: 1_100_000)
            try await peer.call("PUT", "/records/T/large", [:], #"{"fields":{"f6":"\#(text)"}}"#, as: "ada")
        }
    }

    @Test func `field operations have the same result`() async throws {
        try await Peer.compare { peer in
            try await peer.join("ada")
            try await peer.join("bob")
            try await peer.call("PUT", "/records/T/a", [:], #"{"fields":{"n":{"increment":2},"s":"x"}}"#, as: "ada")
            for operation in [
                #""n":{"increment":5}"#, #""n":{"increment":0.5}"#, #""n":{"increment":9223372036854775807}"#,
                #""d":{"increment":0.5}"#, #""d":{"increment":1e308}"#, #""d":{"increment":1.7e308}"#,
                #""s":{"increment":1}"#,
                #""l":{"append":["a","b"]}"#, #""l":{"appendUnique":["b","c","c"]}"#, #""l":{"remove":["a"]}"#,
                #""m":{"remove":["a"]}"#, #""l":{"append":"a"}"#, #""n":{"append":[1]}"#, #""s":{"setIfAbsent":"y"}"#,
                #""u":{"setIfAbsent":"y"}"#, #""u":{"setIfAbsent":"z"}"#, #""t":{"serverTime":true}"#,
                #""t":{"serverTime":false}"#, #""n":{"increment":1,"append":[1]}"#, #""n":{"increment":1,"value":2}"#,
                #""e":{"append":[]}"#, #""l":{"append":[1]}"#,
            ] {
                try await peer.call("PATCH", "/records/T/a", [:], "{\"fields\":{\(operation)}}", as: "ada")
            }
            try await peer.call("PUT", "/records/T/a", [:], #"{"fields":{"n":{"increment":1}}}"#, as: "ada")
            // A list that bob may write by, and not read.
            try await peer.call(
                "PATCH", "/records/T/a", [:],
                #"{"acl":{"\#(peer.record(of: "bob"))":["write"],"_creator":["read","write"]}}"#,
                as: "ada")
            try await peer.call("PATCH", "/records/T/a", [:], #"{"fields":{"n":{"increment":1}}}"#, as: "bob")
            try await peer.call("PATCH", "/records/T/a", [:], #"{"fields":{"t":{"serverTime":true}}}"#, as: "bob")
        }
    }

    @Test(arguments: [true, false]) func `batches have the same result`(atomic: Bool) async throws {
        try await Peer.compare { peer in
            try await peer.join("ada")
            try await peer.join("bob")
            let kinds = ["create", "update", "forceUpdate", "replace", "forceReplace", "delete", "forceDelete"]
            func batch(_ items: [String], _ user: String?, more: String = "") async throws -> Peer.Reply {
                try await peer.call(
                    "POST", "/records", [:],
                    #"{"operations":[\#(items.joined(separator: ","))],"atomic":\#(atomic)\#(more)}"#, as: user)
            }
            func item(_ kind: String, _ name: String?, tag: String? = nil, _ fields: String = #""n":1"#) -> String {
                let name = name.map { #""recordName":"\#($0)","# } ?? ""
                let tag = tag.map { #""recordChangeTag":"\#($0)","# } ?? ""
                return #"{"operationType":"\#(kind)","record":{\#(name)\#(tag)"recordType":"T","fields":{\#(fields)}}}"#
            }
            for user in ["ada", "bob", nil] {
                for kind in kinds {
                    let name = "\(kind)-\(user ?? "none")"
                    _ = try await batch([item(kind, name)], user)
                    let there = try await batch([item("forceUpdate", name, #""m":2"#)], "ada")
                    let tag = there.tree["records"]?.array?.first?["recordChangeTag"]?.string ?? "none"
                    _ = try await batch([item(kind, name, tag: "none")], user)
                    _ = try await batch([item(kind, name, tag: tag, #""n":2"#)], user)
                    _ = try await batch([item(kind, nil, #""n":2"#)].filter { kind != "create" || $0.isEmpty }, user)
                }
            }
            let (one, two) = (item("create", "x"), item("forceUpdate", "x", #""n":{"increment":1}"#))
            _ = try await batch(
                [one, two, item("create", "x"), item("delete", "x"), item("update", "y", tag: "a")], "ada")
            _ = try await batch([one, two, two, item("delete", "x"), item("create", "x", #""s":"sea""#)], "ada")
            _ = try await batch([one, two], "ada", more: #","desiredKeys":["s"]"#)
            _ = try await batch([item("forceUpdate", "x", #""n":"no""#), two], "ada", more: #","desiredKeys":["s"]"#)
            _ = try await batch([], "ada")
            _ = try await batch([#"{"operationType":"what","record":{}}"#], "ada")
            _ = try await batch([#"{"operationType":"create"}"#], "ada")
            _ = try await batch(Array(repeating: two, count: 201), "ada")
            _ = try await batch(Array(repeating: two, count: 200), "ada", more: #","desiredKeys":["n"]"#)
            _ = try await batch([#"{"operationType":"create","record":{"recordName":"z"}}"#, two], "ada")
            try await peer.call("POST", "/records", [:], "{}", as: "ada")
            try await peer.call("GET", "/records/T")
        }
    }

    @Test func `references protect records and delete them alike`() async throws {
        try await Peer.compare { peer in
            try await peer.join("ada")
            try await peer.join("bob")
            func reference(_ name: String, _ action: String) -> String {
                #"{"recordName":"\#(name)","action":"\#(action)"}"#
            }
            func put(_ name: String, _ field: String, _ value: String, _ user: String = "ada") async throws {
                try await peer.call("PUT", "/records/T/\(name)", [:], #"{"fields":{"\#(field)":\#(value)}}"#, as: user)
            }
            try await put("root", "n", "1")
            try await put("late", "v", reference("nobody", "VALIDATE"))
            try await put("holder", "v", reference("root", "VALIDATE"))
            try await peer.call("DELETE", "/records/T/root", as: "ada")
            try await peer.call("DELETE", "/records/T/root", as: "admin")
            try await put("holder", "v", reference("root", "NONE"))
            try await put("child", "c", reference("root", "DELETE_SELF"))
            try await put("grandchild", "c", reference("child", "DELETE_SELF"), "bob")
            try await put("guard", "v", reference("grandchild", "VALIDATE"))
            try await peer.call("DELETE", "/records/T/root", as: "ada")
            try await peer.call("DELETE", "/records/T/guard", as: "ada")
            try await put("lists", "l", "[\(reference("root", "DELETE_SELF")),\(reference("root", "NONE"))]", "bob")
            try await peer.call("DELETE", "/records/T/root", as: "ada")
            try await peer.call("GET", "/records/T")
            func batch(_ items: String, _ atomic: Bool) async throws {
                try await peer.call(
                    "POST", "/records", [:], #"{"operations":[\#(items)],"atomic":\#(atomic)}"#, as: "ada")
            }
            let holder =
                #"{"operationType":"create","record":{"recordName":"h2","recordType":"T","fields":{"v":\#(reference("t2", "VALIDATE"))}}}"#
            let target = #"{"operationType":"create","record":{"recordName":"t2","recordType":"T","fields":{}}}"#
            let deletion = #"{"operationType":"delete","record":{"recordName":"t2"}}"#
            try await batch("\(holder),\(target)", false)
            try await batch("\(holder),\(target)", true)
            try await batch("\(holder),\(target)", true)
            try await batch("\(target),\(deletion)", true)
            try await batch("\(deletion)", false)
            try await batch(#"\#(deletion),{"operationType":"delete","record":{"recordName":"h2"}}"#, false)
            try await batch(#"\#(deletion),{"operationType":"forceDelete","record":{"recordName":"h2"}}"#, true)
            let cycle = [("a", "b"), ("b", "a")].map {
                #"{"operationType":"create","record":{"recordName":"\#($0)","recordType":"T","fields":{"c":\#(reference($1, "DELETE_SELF"))}}}"#
            }
            try await batch(cycle.joined(separator: ","), true)
            try await peer.call("DELETE", "/records/T/a", as: "ada")
            try await peer.call("GET", "/records/T")
            try await peer.call("GET", "/changes", as: "ada")
        }
    }

    @Test func `a write with an idempotency key is done once by both`() async throws {
        try await Peer.compare { peer in
            try await peer.join("ada")
            try await peer.join("bob")
            let key = [("Idempotency-Key", "k1")]
            let body = #"{"fields":{"n":{"increment":1}}}"#
            for user in ["ada", "ada", "bob"] {
                try await peer.call("PUT", "/records/T/of-\(user)", [:], body, as: user, fields: key)
            }
            try await peer.call("PUT", "/records/T/of-ada", [:], #"{"fields":{}}"#, as: "ada", fields: key)
            try await peer.call("PUT", "/records/T/other", [:], body, as: "ada", fields: key)
            try await peer.call("PATCH", "/records/T/of-bob", [:], body, as: "bob", fields: [("Idempotency-Key", "")])
            // A rejected write is executed again.
            for _ in 0..<2 {
                try await peer.call(
                    "PATCH", "/records/T/late", [:], body, as: "ada", fields: [("Idempotency-Key", "k2")])
                try await peer.call("PUT", "/records/T/late", [:], body, as: "ada")
            }
            for _ in 0..<2 {
                try await peer.call(
                    "POST", "/records", [:],
                    #"{"operations":[{"operationType":"create","record":{"recordName":"b","recordType":"T","fields":{}}}]}"#,
                    as: "ada", fields: [("Idempotency-Key", "k3")])
                try await peer.call("DELETE", "/records/T/of-ada", as: "ada", fields: [("Idempotency-Key", "k4")])
                try await peer.call(
                    "DELETE", "/query/T", ["where": "n > 0"], as: "ada", fields: [("Idempotency-Key", "k5")])
            }
            try await peer.call("GET", "/records/T")
        }
    }
}
