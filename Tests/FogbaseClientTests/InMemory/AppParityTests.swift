import FogbaseClient
import Foundation
import RecordWire
import Testing

/// The double responds like the real server: changes, files, accounts, access lists, private databases.
@Suite(.serialized) struct AppParityTests {
    @Test func `the feeds are the same`() async throws {
        try await Peer.compare { peer in
            try await peer.call("GET", "/changes")
            try await peer.signUp("ada")
            try await peer.signUp("bob")
            for index in 0..<9 {
                try await peer.call("PUT", "/records/T/r\(index)", [:], #"{"fields":{"n":\#(index),"m":1}}"#, as: "ada")
            }
            var token = ""
            func follow(_ user: String?, limit: String) async throws {
                var more = true
                while more {
                    let page = try await peer.call(
                        "GET", "/changes", ["since": token, "limit": limit, "fields": "n"], as: user)
                    token = page.tree["token"]?.string ?? ""
                    more = page.tree["moreComing"]?.bool ?? false
                }
            }
            try await follow("ada", limit: "4")
            try await peer.call("GET", "/changes", ["since": token], as: "bob")
            try await peer.call("GET", "/changes", ["since": "none"], as: "ada")
            try await peer.call("PATCH", "/records/T/r3", [:], #"{"fields":{"n":33}}"#, as: "ada")
            try await peer.call("DELETE", "/records/T/r4", as: "ada")
            try await peer.call("PATCH", "/records/T/r3", [:], #"{"fields":{"n":34}}"#, as: "ada")
            try await follow("ada", limit: "100")
            try await follow("ada", limit: "100")
            try await peer.call("PUT", "/records/T/r4", [:], #"{"fields":{"n":4}}"#, as: "bob")
            try await follow("ada", limit: "100")
            token = ""
            try await follow(nil, limit: "1000")
            // A caller that loses read access to a record gets a tombstone.
            try await peer.call("PATCH", "/records/T/r5", [:], #"{"acl":{"_creator":["read","write"]}}"#, as: "ada")
            try await follow(nil, limit: "1000")
            token = ""
            try await follow("bob", limit: "1000")
            try await peer.call("GET", "/changes", ["database": "private"], as: "bob")
            try await peer.call("PUT", "/records/T/own", ["database": "private"], #"{"fields":{"n":1}}"#, as: "bob")
            try await peer.call("GET", "/changes", ["database": "private"], as: "bob")
            try await peer.call("GET", "/changes", ["database": "private"], as: "ada")
        }
    }

    @Test func `the feeds of some types, and those that start now, are the same`() async throws {
        try await Peer.compare { peer in
            try await peer.signUp("ada")
            try await peer.call("GET", "/changes", ["since": "now", "database": "private"], as: "ada")
            for index in 0..<6 {
                let path = "/records/\(["T", "U", "V"][index % 3])/r\(index)"
                try await peer.call("PUT", path, [:], #"{"fields":{"n":\#(index)}}"#, as: "ada")
            }
            try await peer.call("DELETE", "/records/T/r3", as: "ada")
            let start = try await peer.call("GET", "/changes", ["since": "now"], as: "ada")
            for types in [["T"], ["U", "T"], ["T", "T"], ["W"], ["W", "V"], ["Users"], ["no name"], [""]] {
                let query = types.map { "type=" + $0.replacing(" ", with: "%20") }.joined(separator: "&")
                try await peer.call("GET", "/changes?\(query)", as: "ada")
                let page = try await peer.call("GET", "/changes?\(query)", ["limit": "1"], as: "ada")
                let token = page.tree["token"]?.string ?? "none"
                try await peer.call("GET", "/changes?\(query)", ["limit": "1", "since": token], as: "ada")
            }
            try await peer.call("PATCH", "/records/T/r0", [:], #"{"fields":{"n":7}}"#, as: "ada")
            try await peer.call("PATCH", "/records/U/r1", [:], #"{"fields":{"n":7}}"#, as: "ada")
            let token = start.tree["token"]?.string ?? "none"
            try await peer.call("GET", "/changes?type=U", ["since": token], as: "ada")
            try await peer.call("GET", "/changes", ["since": token], as: "ada")
            try await peer.call("GET", "/changes?type=T", ["where": "n == 7"], as: "ada")
            try await peer.call("GET", "/changes", ["arg": "7"], as: "ada")
        }
    }

    @Test func `only owners access their private databases in both`() async throws {
        try await Peer.compare { peer in
            try await peer.signUp("ada")
            try await peer.signUp("bob")
            let own = "/records/Note/n1"
            for user in ["ada", "bob", nil] {
                try await peer.call("GET", own, ["database": "private"], as: user)
                try await peer.call("PUT", own, ["database": "private"], #"{"fields":{"text":"mine"}}"#, as: user)
                try await peer.call("GET", "/query/Note", ["database": "private", "where": "text == 'mine'"], as: user)
                try await peer.call(
                    "GET", own, ["database": "private", "owner": peer.record(of: "ada")], as: user, hides: false)
            }
            try await peer.call("GET", own, ["database": "private", "owner": peer.record(of: "ada")], as: "admin")
            try await peer.call("GET", own, ["database": "private"], as: "admin")
            try await peer.call("GET", own, as: "ada")
            try await peer.call("GET", own, ["database": "shared"], as: "ada")
            try await peer.call("GET", own, ["zone": "other"], as: "ada")
            try await peer.call("GET", own, ["environment": "other"], as: "ada")
            try await peer.call(
                "PUT", "/records/Note/n2", ["database": "private"], #"{"acl":{"*":["read"]}}"#, as: "ada")
            try await peer.call(
                "PUT", "/records/Note/n3", ["database": "private"],
                #"{"fields":{"to":{"recordName":"n1","action":"VALIDATE"}}}"#, as: "ada")
            try await peer.call("DELETE", own, ["database": "private"], as: "ada")
            try await peer.call("DELETE", "/query/Note", ["database": "private", "all": "true"], as: "bob")
            try await peer.call("GET", "/records/Note", ["database": "private"], as: "ada")
        }
    }

    @Test func `access lists open and close records alike`() async throws {
        try await Peer.compare { peer in
            try await peer.signUp("ada")
            try await peer.signUp("bob")
            try await peer.signUp("eve")
            let bob = peer.record(of: "bob")
            let lists = [
                #"{"_creator":["read","write"]}"#, #"{"*":["read"]}"#, #"{"\#(bob)":["read","write"]}"#,
                #"{"\#(bob)":["write"],"_creator":["read"]}"#, "{}", "null", #"{"*":{"read":true,"write":true}}"#,
                #"{"role:editors":["read"]}"#, #"{"nobody":["read"]}"#, #"{"*":["fly"]}"#, "3",
                #"{"_00000000000000000000000000000000":["read"]}"#,
            ]
            for (index, list) in lists.enumerated() {
                let path = "/records/T/r\(index)"
                try await peer.call("PUT", path, [:], #"{"fields":{"n":\#(index)},"acl":\#(list)}"#, as: "ada")
                for user in ["ada", "bob", "eve", nil, "admin"] {
                    try await peer.call("GET", path, as: user)
                    try await peer.call("PATCH", path, [:], #"{"fields":{"m":1}}"#, as: user)
                    try await peer.call(
                        "PUT", path, [:], #"{"fields":{"m":2}}"#, as: user, fields: [("If-Match", "\"x\"")])
                    try await peer.call(
                        "PATCH", path, [:], #"{"acl":{"*":["read"]}}"#, as: user == "bob" ? user : "none")
                }
            }
            for user in ["ada", "bob", "eve", nil, "admin"] {
                try await peer.call("GET", "/records/T", as: user)
                try await peer.call("GET", "/changes", as: user)
                try await peer.call("GET", "/query/T", ["count": "true", "limit": "2"], as: user)
                try await peer.call("POST", "/records/T", [:], #"{"recordName":"r0"}"#, as: user)
                try await peer.call("DELETE", "/records/T/r2", as: user)
            }
        }
    }

    @Test func `files are uploaded, referred to and read alike`() async throws {
        try await Peer.compare { peer in
            try await peer.signUp("ada")
            try await peer.signUp("bob")
            let text = [("Content-Type", "text/plain")]
            try await peer.call("POST", "/assets", [:], "a stranger's", fields: text)
            let one = try await peer.call(
                "POST", "/assets", ["filename": "a b.txt"], "the sea", as: "ada", fields: text)
            let two = try await peer.call(
                "POST", "/assets", [:], "the fog", as: "ada", fields: [("Content-Type", "application/pdf")])
            let (first, second) = (try #require(one.tree["asset"]), try #require(two.tree["asset"]))
            func body(_ value: JSONValue, _ field: String = "file") -> String {
                #"{"fields":{"\#(field)":\#(String(decoding: value.bytes, as: UTF8.self))}}"#
            }
            let path = "/records/Doc/d1"
            try await peer.call("PUT", path, [:], body(first), as: "bob")
            let saved = try await peer.call("PUT", path, [:], body(first), as: "ada")
            let value = try #require(saved.tree["fields"]?["file"]?["value"])
            try await peer.call("PATCH", path, [:], body(value), as: "ada")
            try await peer.call("PATCH", path, [:], body(value, "other"), as: "ada")
            try await peer.call("PUT", "/records/Doc/d2", [:], body(value), as: "ada")
            try await peer.call("PUT", "/records/Doc/d2", [:], body(.array([second]), "files"), as: "ada")
            var wrong = try #require(second.object)
            wrong["size"] = 3
            try await peer.call("PUT", "/records/Doc/d3", [:], body(.object(wrong)), as: "ada")
            wrong["receipt"] = "none"
            try await peer.call("PUT", "/records/Doc/d3", [:], body(.object(wrong)), as: "ada")
            let url = try #require(value["downloadURL"]?.string)
            for range in ["bytes=1-3", "bytes=4-", "bytes=-2", "bytes=9-", "bytes=0-99", "lines=1-2"] {
                let reply = try await peer.call("GET", url, fields: [("Range", range)])
                try await peer.call("GET", path + "/file", fields: [("Range", range)])
                try await peer.call(
                    "GET", url, fields: [("Range", range), ("If-Range", reply.fields["etag"] ?? "")])
                try await peer.call("GET", url, fields: [("Range", range), ("If-Range", "\"other\"")])
            }
            let whole = try await peer.call("GET", url)
            #expect(whole.fields["content-type"] == "text/plain; charset=utf-8")
            try await peer.call("GET", url, fields: [("If-None-Match", whole.fields["etag"] ?? "")])
            try await peer.call("GET", "/assets/none")
            try await peer.call("GET", "/records/Doc/d2/files", ["index": "0"])
            try await peer.call("GET", "/records/Doc/d2/files", ["index": "1"])
            try await peer.call("GET", "/records/Doc/d2/file")
            try await peer.call("GET", path)
        }
    }

    @Test func `accounts and sessions work alike`() async throws {
        try await Peer.compare { peer in
            try await peer.signUp("ada")
            try await peer.signUp("ada")
            for body in [
                #"{"name":"x"}"#, #"{"name":"x","password":"short"}"#, #"{"name":" x","password":"correct horse"}"#,
                #"{"name":"_x","password":"correct horse"}"#, #"{"name":"x","password":"correct horse","what":1}"#, "{",
                #"{"name":"x","password":"correct horse","label":""}"#,
            ] {
                try await peer.call("POST", "/users", [:], body)
            }
            try await peer.call("POST", "/sessions", [:], #"{"name":"ada","password":"wrong horse"}"#)
            try await peer.call("POST", "/sessions", [:], #"{"name":"nobody","password":"wrong horse"}"#)
            let second = try await peer.call(
                "POST", "/sessions", [:], #"{"name":"ada","password":"correct horse","label":"phone"}"#)
            peer.keepToken(second, of: "phone")
            for user in ["ada", "phone", nil, "fbs_none", "admin"] {
                try await peer.call("GET", "/users/me", as: user, hides: user == "admin")
            }
            let sessions = try await peer.call("GET", "/sessions", as: "phone")
            let current = sessions.tree["sessions"]?.array?.first { $0["current"] == true }
            #expect(current?["label"]?.string == "phone")
            try await peer.call("DELETE", "/sessions/none", as: "phone")
            let rotated = try await peer.call("POST", "/sessions/current/rotate", as: "phone")
            try await peer.call("GET", "/users/me", as: "phone")
            peer.keepToken(rotated, of: "phone")
            try await peer.call("GET", "/users/me", as: "phone")
            try await peer.call("DELETE", "/sessions", ["others": "true"], as: "phone")
            try await peer.call("GET", "/users/me", as: "ada")
            try await peer.call(
                "PATCH", "/users/me", [:], #"{"name":"ida","currentPassword":"wrong horse"}"#, as: "phone")
            try await peer.call("PATCH", "/users/me", [:], #"{"name":"ida"}"#, as: "phone")
            try await peer.call("PATCH", "/users/me", [:], "{}", as: "phone")
            try await peer.call(
                "PATCH", "/users/me", [:], #"{"name":"ida","currentPassword":"correct horse"}"#, as: "phone")
            let changed = try await peer.call(
                "PATCH", "/users/me", [:], #"{"password":"another horse","currentPassword":"correct horse"}"#,
                as: "phone")
            try await peer.call("GET", "/users/me", as: "phone")
            peer.keepToken(changed, of: "phone")
            let record = peer.record(of: "phone")
            try await peer.call("GET", "/records/Users/\(record)", as: "phone", hides: true)
            try await peer.call("GET", "/records/Users/\(record)", hides: true)
            try await peer.call("PATCH", "/records/Users/\(record)", [:], #"{"fields":{"nick":"ida"}}"#, as: "phone")
            try await peer.call("PUT", "/records/Users/other", [:], "{}", as: "phone")
            try await peer.call("DELETE", "/records/Users/\(record)", as: "phone")
            try await peer.call(
                "PUT", "/records/T/of", [:], #"{"fields":{"user":{"recordName":"\#(record)","action":"DELETE_SELF"}}}"#,
                as: "phone")
            try await peer.call("PUT", "/records/T/stays", [:], #"{"fields":{"n":1}}"#, as: "phone")
            try await peer.call("PUT", "/records/T/\(record)", [:], "{}", as: "phone")
            try await peer.call("DELETE", "/users/me", [:], #"{"password":"wrong horse"}"#, as: "phone")
            try await peer.call("DELETE", "/users/me", as: "phone")
            try await peer.call("DELETE", "/users/me", [:], #"{"password":"another horse"}"#, as: "phone")
            try await peer.call("GET", "/users/me", as: "phone")
            try await peer.call("POST", "/sessions", [:], #"{"name":"ida","password":"another horse"}"#)
            try await peer.call("GET", "/records/T/stays")
            try await peer.signUp("bob")
            try await peer.call("DELETE", "/sessions/current", as: "bob")
            try await peer.call("GET", "/records/T/stays", as: "bob")
        }
    }

    @Test func `an anonymous account gets a name alike`() async throws {
        try await Peer.compare(settings: ["FOGBASE_ACCOUNTS_ANONYMOUS": "on"]) { peer in
            try await peer.signUp("ada")
            peer.keepToken(try await peer.call("POST", "/users/anonymous", [:], "{}"), of: "nobody")
            peer.keepToken(try await peer.call("POST", "/users/anonymous"), of: "other")
            try await peer.call("GET", "/users/me", as: "nobody")
            try await peer.call("PUT", "/records/T/own", [:], #"{"fields":{"n":1}}"#, as: "nobody")
            for body in [
                #"{"name":"bob"}"#, #"{"password":"correct horse"}"#,
                #"{"name":"bob","password":"correct horse","currentPassword":"x"}"#,
                #"{"name":"ada","password":"correct horse"}"#,
            ] {
                try await peer.call("PATCH", "/users/me", [:], body, as: "nobody")
            }
            let named = try await peer.call(
                "PATCH", "/users/me", [:], #"{"name":"bob","password":"correct horse"}"#, as: "nobody")
            peer.keepToken(named, of: "bob")
            try await peer.call("GET", "/users/me", as: "nobody")
            try await peer.call("GET", "/users/me", as: "bob")
            try await peer.call("PATCH", "/records/T/own", [:], #"{"fields":{"n":2}}"#, as: "bob")
            try await peer.call("DELETE", "/users/me", as: "other")
            try await peer.call("GET", "/users/me", as: "other")
        }
    }
}
