import FogbaseClient
import Foundation
import RecordWire
import Testing

/// The double has zones like the real server.
@Suite(.serialized) struct ZoneParityTests {
    private func operation(_ kind: String, _ name: String?, _ zone: String?, _ rest: String = "") -> String {
        let name = name.map { #","recordName":"\#($0)""# } ?? ""
        let zone = zone.map { #","zoneID":{"zoneName":"\#($0)"}"# } ?? ""
        return #"{"operationType":"\#(kind)","record":{"recordType":"Note"\#(name)\#(zone)\#(rest)}}"#
    }

    @Test func `zones are created, listed, shown and deleted alike`() async throws {
        try await Peer.compare { peer in
            try await peer.join("ada")
            try await peer.join("bob")
            let own: KeyValuePairs = ["database": "private"]
            for user in ["ada", nil, "admin"] {
                try await peer.call("GET", "/zones", as: user)
                try await peer.call("GET", "/zones", own, as: user)
                try await peer.call("GET", "/zones/_defaultZone", as: user)
                try await peer.call("GET", "/zones/_defaultZone", own, as: user)
                try await peer.call("GET", "/zones/A", as: user)
                try await peer.call("PUT", "/zones/A", as: user)
                try await peer.call("PUT", "/zones/A", own, as: user)
                try await peer.call("DELETE", "/zones/A", as: user)
                try await peer.call("GET", "/changes/zones", as: user)
            }
            for name in [
                "b", "a%2Fb", "A", "_mine", "a%07b", String(repeating: "n", count: 256), "é", "Z", "_defaultZone",
            ] {
                try await peer.call("PUT", "/zones/\(name)", own, as: "ada")
                try await peer.call("GET", "/zones/\(name)", own, as: "ada")
                try await peer.call("GET", "/zones/\(name)", own, as: "bob")
                try await peer.call(
                    "GET", "/zones/\(name)", ["database": "private", "owner": peer.record(of: "ada")], as: "admin")
            }
            try await peer.call("PUT", "/zones/b", ["database": "private", "zone": "A"], as: "ada")
            var cursor: String? = ""
            while let last = cursor {
                let query: KeyValuePairs =
                    last.isEmpty
                    ? ["database": "private", "limit": "2"] : ["database": "private", "limit": "2", "cursor": last]
                cursor = try await peer.call("GET", "/zones", query, as: "ada").tree["cursor"]?.string
            }
            try await peer.call("GET", "/zones", ["database": "private", "limit": "1"], as: "ada")
            try await peer.call("GET", "/zones", ["database": "private", "cursor": "\u{7}"], as: "ada")
            for name in ["b", "b", "_defaultZone", "a%07b", "none"] {
                try await peer.call("DELETE", "/zones/\(name)", own, as: "ada")
                try await peer.call("DELETE", "/zones/\(name)", own, as: "bob")
            }
            try await peer.call("GET", "/zones", own, as: "ada")
            try await peer.call("DELETE", "/users/me", [:], #"{"password":"correct horse"}"#, as: "ada")
            try await peer.join("ada")
            try await peer.call("GET", "/zones", own, as: "ada")
        }
    }

    @Test func `records, references and queries stay in their zones alike`() async throws {
        try await Peer.compare { peer in
            try await peer.join("ada")
            for zone in ["A", "B"] { try await peer.call("PUT", "/zones/\(zone)", ["database": "private"], as: "ada") }
            for zone in ["_defaultZone", "A", "B", "C"] {
                let place: KeyValuePairs = ["database": "private", "zone": zone]
                try await peer.call("PUT", "/records/Note/n", place, #"{"fields":{"title":"in \#(zone)"}}"#, as: "ada")
                try await peer.call("POST", "/records/Note", place, #"{"recordName":"n"}"#, as: "ada")
                try await peer.call("PATCH", "/records/Note/n", place, #"{"fields":{"m":1}}"#, as: "ada")
                for target in ["A", "B", "_defaultZone"] {
                    let reference = #"{"recordName":"n","action":"DELETE_SELF","zoneID":{"zoneName":"\#(target)"}}"#
                    try await peer.call(
                        "PUT", "/records/Note/to-\(target)", place, #"{"fields":{"of":{"value":\#(reference)}}}"#,
                        as: "ada")
                    try await peer.call(
                        "PUT", "/records/Note/all-\(target)", place,
                        #"{"fields":{"all":{"value":[{"recordName":"x"},\#(reference)]}}}"#, as: "ada")
                }
                try await peer.call(
                    "PUT", "/records/Note/valid", place,
                    #"{"fields":{"to":{"recordName":"n","action":"VALIDATE"}}}"#, as: "ada")
                try await peer.call("GET", "/records/Note", place, as: "ada")
                try await peer.call("GET", "/records/Note/n", place, as: nil)
                try await peer.call("GET", "/changes", place, as: "ada")
            }
            for zone in ["A", "B", "C", "_defaultZone"] {
                try await peer.call(
                    "GET", "/query/Note", ["database": "private", "zone": zone, "where": "title == 'in A'"], as: "ada")
                try await peer.call(
                    "PATCH", "/query/Note", ["database": "private", "zone": zone, "where": "title == 'in A'"],
                    #"{"fields":{"m":{"op":"increment","by":1}}}"#, as: "ada")
            }
            try await peer.call("DELETE", "/records/Note/n", ["database": "private", "zone": "A"], as: "ada")
            try await peer.call("DELETE", "/records/Note/valid", ["database": "private", "zone": "A"], as: "ada")
            try await peer.call("DELETE", "/records/Note/n", ["database": "private", "zone": "A"], as: "ada")
            for zone in ["A", "B", "_defaultZone", ""] {
                try await peer.call("GET", "/records/Note", ["database": "private", "zone": zone], as: "ada")
            }
            try await peer.call("GET", "/records/Note", ["zone": "A"], as: "ada")
        }
    }

    @Test func `batches over zones are performed and rejected alike`() async throws {
        try await Peer.compare { peer in
            try await peer.join("ada")
            for zone in ["A", "B"] { try await peer.call("PUT", "/zones/\(zone)", ["database": "private"], as: "ada") }
            func batch(_ operations: [String], _ rest: String = "", zone: String? = nil, key: String? = nil)
                async throws
            {
                let body = #"{"operations":[\#(operations.joined(separator: ","))]\#(rest)}"#
                try await peer.call(
                    "POST", "/records", zone.map { ["database": "private", "zone": $0] } ?? ["database": "private"],
                    body,
                    as: "ada", fields: key.map { [("Idempotency-Key", $0)] } ?? [])
            }
            let fields = #","fields":{"n":1}"#
            try await batch([
                operation("create", "a1", "A", fields), operation("create", "a2", "A", fields),
                operation("create", "b1", "B", fields), operation("create", "d", nil, fields),
            ])
            for (index, atomic) in ["", #","atomic":false"#].enumerated() {
                try await batch(
                    [
                        operation("create", "a3\(index)", "A"), operation("create", "a1", "A"),
                        operation("create", "b2\(index)", "B"),
                    ], atomic, key: "k\(index)")
                try await batch(
                    [
                        operation("create", "a4\(index)", "A"), operation("create", "b4\(index)", "B"),
                        operation("create", "a5\(index)", "A"),
                    ], atomic)
                try await batch(
                    [
                        operation("create", "x", "Z"), operation("create", "y", "Z"),
                        operation("create", "a6\(index)", "A"),
                    ],
                    atomic)
                try await batch([operation("create", "b5\(index)", nil)], #","zoneID":{"zoneName":"B"}"# + atomic)
                try await batch(
                    [operation("create", "b6\(index)", nil), operation("create", "d\(index)", "_defaultZone")], atomic,
                    zone: "B")
                // The record of a conflict is shown, except in a zone that is not the request's, with a key.
                let stale = [
                    operation("update", "a1", "A", #","recordChangeTag":"0","fields":{"n":2}"#),
                    operation("update", "b1", "B", #","recordChangeTag":"0","fields":{"n":2}"#),
                ]
                try await batch(stale, atomic)
                try await batch(stale, atomic, key: "s\(index)")
                try await batch(stale, atomic, zone: "A", key: "t\(index)")
                let reference = #","fields":{"of":{"value":{"recordName":"a1","zoneID":{"zoneName":"A"}}}}"#
                try await batch(
                    [
                        operation("create", "r\(index)", "B", reference),
                        operation("create", "r\(index)", "A", reference),
                    ], atomic)
            }
            try await batch([#"{"operationType":"create","record":{"recordType":"Note","zoneID":"A"}}"#])
            // Names that look the same are different names.
            let (short, long) = ("\u{E9}", "e\u{301}")
            for zone in [short, long] {
                let path = "/zones/" + (zone.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? "")
                try await peer.call("PUT", path, ["database": "private"], as: "ada")
            }
            let pair = try await peer.call(
                "POST", "/records", ["database": "private"],
                #"{"operations":[\#(operation("create", "same", short)),\#(operation("create", "same", long))]}"#,
                as: "ada")
            #expect(
                pair.names == ["same", "same"]
                    && !String(decoding: pair.body, as: UTF8.self).contains("serverErrorCode"))
            try await batch([])
            for zone in ["A", "B", "_defaultZone"] {
                try await peer.call("GET", "/records/Note", ["database": "private", "zone": zone], as: "ada")
            }
        }
    }

    @Test func `the changes of zones are the same`() async throws {
        try await Peer.compare { peer in
            try await peer.join("ada")
            try await peer.join("bob")
            var tokens = ["": ""]
            func follow(limit: String = "100", since: String? = nil, as user: String = "ada") async throws {
                var token = since ?? tokens[""] ?? ""
                var more = true
                while more {
                    let page = try await peer.call(
                        "GET", "/changes/zones", ["database": "private", "since": token, "limit": limit], as: user)
                    token = page.tree["token"]?.string ?? ""
                    more = page.tree["moreComing"]?.bool ?? false
                }
                if since == nil { tokens[""] = token }
            }
            func read(_ zone: String, as user: String = "ada") async throws {
                let page = try await peer.call(
                    "GET", "/changes", ["database": "private", "zone": zone, "since": tokens[zone] ?? ""], as: user)
                tokens[zone] = page.tree["token"]?.string ?? tokens[zone]
            }
            func put(_ name: String, _ zone: String) async throws {
                try await peer.call(
                    "PUT", "/records/Note/\(name)", ["database": "private", "zone": zone], #"{"fields":{"n":1}}"#,
                    as: "ada")
            }
            try await follow()
            for zone in ["C", "A", "B"] {
                try await peer.call("PUT", "/zones/\(zone)", ["database": "private"], as: "ada")
            }
            for zone in ["_defaultZone", "A", "B", "C"] { try await read(zone) }
            try await follow(limit: "1")
            try await put("n", "A")
            try await put("n", "_defaultZone")
            try await put("n", "C")
            try await put("n", "A")
            try await follow(limit: "2")
            for zone in ["_defaultZone", "A", "B", "C"] { try await read(zone) }
            try await peer.call("DELETE", "/records/Note/n", ["database": "private", "zone": "C"], as: "ada")
            try await peer.call("DELETE", "/zones/A", ["database": "private"], as: "ada")
            try await read("A")
            try await peer.call("PUT", "/zones/A", ["database": "private"], as: "ada")
            try await read("A")
            try await peer.call("DELETE", "/zones/A", ["database": "private"], as: "ada")
            try await peer.call("PUT", "/zones/A", ["database": "private"], as: "ada")
            try await peer.call("GET", "/records/Note/n", ["database": "private", "zone": "A"], as: "ada")
            try await follow(since: tokens[""], as: "bob")
            try await follow(limit: "2")
            try await follow(since: "")
            try await follow(since: "now")
            try await follow(since: "none")
            try await follow()
            tokens["A"] = ""
            for zone in ["_defaultZone", "A", "B", "C"] { try await read(zone) }
            try await peer.call("GET", "/changes/zones", ["database": "private"])
            try await peer.call("GET", "/changes/zones", ["database": "private", "limit": "0"], as: "ada")
        }
    }
}
