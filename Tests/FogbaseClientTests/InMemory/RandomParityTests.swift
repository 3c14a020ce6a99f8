import FogbaseClient
import Foundation
import RecordWire
import TestSupport
import Testing

/// Random writes of several users to a few names, with the same responses from the double and the real server.
@Suite(.serialized) struct RandomParityTests {
    private struct Script {
        var random: SeededGenerator
        let peer: Peer
        var tags: [String: String] = [:]

        init(_ seed: UInt64, _ peer: Peer) {
            random = SeededGenerator(seed)
            self.peer = peer
        }

        mutating func pick<Value>(_ choices: [Value]) -> Value {
            choices[Int.random(in: 0..<choices.count, using: &random)]
        }
        mutating func happens(_ one: Int, of count: Int) -> Bool { Int.random(in: 0..<count, using: &random) < one }
        mutating func name() -> String { pick(["a", "b", "c", "d", "e", "f"]) }

        mutating func fields() -> String {
            let choices = [
                #""n":\#(pick([1, 2, 3]))"#, #""n":{"increment":1}"#, #""n":null"#, #""s":"x""#, #""s":3"#,
                #""l":{"append":["\#(name())"]}"#, #""l":{"appendUnique":["\#(name())"]}"#,
                #""l":{"remove":["\#(name())"]}"#,
                #""r":{"recordName":"\#(name())","action":"DELETE_SELF"}"#,
                #""v":{"recordName":"\#(name())","action":"VALIDATE"}"#,
                #""r":null,"v":null"#, #""s":{"setIfAbsent":"y"}"#,
                #""rs":[{"recordName":"\#(name())","action":"DELETE_SELF"}]"#,
            ]
            let first = pick(choices)
            let second = pick(choices)
            let isOne = first.prefix(4) == second.prefix(4) || first.contains(",\"v\"") || second.contains(",\"v\"")
            return isOne ? first : "\(first),\(second)"
        }

        mutating func access() -> String {
            guard happens(1, of: 6) else { return "" }
            return pick([
                #","acl":{"*":["read"],"_creator":["read","write"]}"#, #","acl":null"#,
                #","acl":{"\#(peer.record(of: "bob"))":["read","write"]}"#,
                #","acl":{"\#(peer.record(of: "ada"))":["write"]}"#,
            ])
        }

        mutating func item() -> String {
            let kind = pick(["create", "update", "forceUpdate", "replace", "forceReplace", "delete", "forceDelete"])
            let name = name()
            let tag = happens(1, of: 2) ? #","recordChangeTag":"\#(tags[name] ?? "none")""# : ""
            let body = kind.hasSuffix("elete") ? "" : #","fields":{\#(fields())}\#(access())"#
            return
                #"{"operationType":"\#(kind)","record":{"recordName":"\#(name)","recordType":"\#(pick(["T", "T", "T", "U"]))"\#(tag)\#(body)}}"#
        }

        mutating func step() async throws {
            let user: String? = pick(["ada", "bob", "ada", "bob", nil, "admin"])
            let name = name()
            let path = "/records/T/\(name)"
            let scope: KeyValuePairs<String, String> =
                user != "admin" && happens(1, of: 5) ? ["database": "private"] : ["database": "public"]
            var guards: [(String, String)] = []
            if happens(1, of: 4) { guards = [("If-Match", happens(1, of: 2) ? "\"\(tags[name] ?? "none")\"" : "*")] }
            switch Int.random(in: 0..<10, using: &random) {
            case 0...1: note(try await peer.call("GET", path, scope, as: user), name)
            case 2:
                let body = #"{"fields":{\#(fields())}\#(access())}"#
                note(try await peer.call("PUT", path, scope, body, as: user, fields: guards), name)
            case 3:
                let body = #"{"fields":{\#(fields())}\#(access())}"#
                note(try await peer.call("PATCH", path, scope, body, as: user, fields: guards), name)
            case 4: try await peer.call("DELETE", path, scope, as: user, fields: guards)
            case 5: try await peer.call("GET", "/changes", scope, as: user)
            case 6: try await peer.call("GET", "/query/T", scope, as: user)
            default:
                var items: [String] = []
                for _ in 0..<Int.random(in: 1...5, using: &random) { items.append(item()) }
                let body = #"{"operations":[\#(items.joined(separator: ","))],"atomic":\#(happens(1, of: 2))}"#
                let reply = try await peer.call("POST", "/records", scope, body, as: user)
                for record in reply.tree["records"]?.array ?? [] {
                    if let name = record["recordName"]?.string {
                        tags[name] = record["recordChangeTag"]?.string ?? tags[name]
                    }
                }
            }
        }

        private mutating func note(_ reply: Peer.Reply, _ name: String) {
            if !reply.tag.isEmpty { tags[name] = reply.tag }
        }
    }

    @Test(arguments: seeds(3)) func `random writes of several users have the same result`(_ seed: Int) async throws {
        try await Peer.compare { peer in
            try await peer.join("ada")
            try await peer.join("bob")
            var script = Script(UInt64(10 + seed), peer)
            for _ in 0..<200 { try await script.step() }
            try await peer.call("GET", "/changes", as: "admin")
            try await peer.call("GET", "/records/T", as: "admin")
        }
    }
}
