import HTTP
import RecordEngine
import RecordWire
import TestSupport
import Testing

/// A random history of a container with everything that its file has: records of all field types by several users, access
/// lists, references in both directions, parents, files, roles, accounts, zones and changes of the schema.
struct ContainerHistory {
    let database: TestDatabase
    private var random: SeededGenerator
    private var names: [String] = []
    private var items: [String] = []
    private var made = 0
    private var isRenamed = false

    static let schema = #"""
        {"types":{"Thing":{"fields":{"text":{"type":"STRING","indexes":["QUERYABLE","SEARCHABLE"]},
        "count":{"type":"INT64","indexes":["SORTABLE"]},"size":{"type":"DOUBLE"},"when":{"type":"TIMESTAMP"},
        "bytes":{"type":"BYTES"},"next":{"type":"REFERENCE"},"file":{"type":"ASSET"},
        "place":{"type":"LOCATION","indexes":["QUERYABLE"]},"words":{"type":"STRING_LIST"},"counts":{"type":"INT64_LIST"},
        "sizes":{"type":"DOUBLE_LIST"},"times":{"type":"TIMESTAMP_LIST"},"blobs":{"type":"BYTES_LIST"},
        "links":{"type":"REFERENCE_LIST"},"files":{"type":"ASSET_LIST"},"places":{"type":"LOCATION_LIST"},
        "secret":{"type":"STRING","read":["editors"]}},
        "indexes":[{"fields":["count","-text"]}],"grants":{"_world":["READ"],"_icloud":["CREATE"],"_creator":["WRITE"],
        "editors":["READ","WRITE"]},"acl":{"_creator":["read","write"],"role:editors":["read"]}},
        "Item":{"fields":{"title":{"type":"STRING"}}},"Users":{"fields":{"motto":{"type":"STRING"}}}}}
        """#

    static func make(seed: UInt64) async throws -> ContainerHistory {
        let history = ContainerHistory(database: try await TestDatabase.make(), random: SeededGenerator(seed: seed))
        let schema = await history.database.call(.put, "/schema", as: .administrator, body: schema)
        try #require(schema.status == 200, "\(schema.text)")
        return history
    }

    private init(database: TestDatabase, random: SeededGenerator) {
        (self.database, self.random) = (database, random)
    }

    private mutating func pick(_ count: Int) -> Int { Int.random(in: 0..<count, using: &random) }

    /// Does one random thing.
    mutating func step() async throws {
        switch pick(20) {
        case 0..<9: try await writeThing()
        case 9..<12: await changeThing()
        case 12: await deleteThing()
        case 13: await changeAccount()
        case 14: await changeRole()
        case 15: if !isRenamed { isRenamed = await rename() }
        default: await writeItem()
        }
    }

    /// Adds what the file of every history must have.
    mutating func addCertain() async throws {
        await database.call(.put, "/zones/z0?database=private", as: .creator)
        let item = await database.call(
            .put, "/records/Item/certain?database=private&zone=z0", as: .creator, body: #"{"fields":{"title":"x"}}"#)
        let file = try await TransferRoutesTests.upload(database, "certain")
        let thing = await database.call(
            .put, "/records/Thing/certain", as: .administrator,
            body: #"{"fields":{"file":{"value":\#(file),"type":"ASSET"}},"acl":{"role:editors":["read"]}}"#)
        try #require(item.status == 201 && thing.status == 201, "\(item.text) \(thing.text)")
    }

    // MARK: Things, in the public database

    private mutating func writeThing() async throws {
        made += 1
        let name = "t\(made)"
        var body = #"{"fields":\#(try await fields())"#
        if pick(3) == 0 { body += #","acl":\#(accessList())"# }
        let who: TestDatabase.Who = [.creator, .stranger, .member, .administrator][pick(4)]
        let response = await database.call(.put, "/records/Thing/\(name)", as: who, body: body + "}")
        // The default access list names the creator, which an administrator is not.
        guard response.status == 201 else { return }
        names.append(name)
    }

    private mutating func accessList() -> String {
        let entries = [
            #""*":["read"]"#, #""role:editors":["read","write"]"#, #""{stranger}":["read"]"#, #""_creator":["write"]"#,
        ]
        return "{" + entries.filter { _ in Bool.random(using: &random) }.joined(separator: ",") + "}"
    }

    private mutating func fields() async throws -> String {
        var fields: [String] = []
        func add(_ name: String, _ value: String, _ type: String) {
            fields.append(#""\#(name)":{"value":\#(value),"type":"\#(type)"}"#)
        }
        let target = names.isEmpty ? "none" : names[pick(names.count)]
        let action = ["NONE", "VALIDATE", "DELETE_SELF"][pick(3)]
        let reference = #"{"recordName":"\#(action == "NONE" ? "t\(pick(50))" : target)","action":"\#(action)"}"#
        if pick(2) == 0 { add("text", #""fog \#(pick(9)) \"é\u0001海\n""#, "STRING") }
        if pick(2) == 0 { add("count", "\(Int64.random(in: .min ... .max, using: &random))", "INT64") }
        if pick(2) == 0 { add("size", "\(Double.random(in: -1...1, using: &random))", "DOUBLE") }
        if pick(2) == 0 { add("when", "\(pick(1_000_000))", "TIMESTAMP") }
        if pick(3) == 0 { add("bytes", #""\#(String(repeating: "QUJD", count: [1, 40_000][pick(2)]))""#, "BYTES") }
        if pick(3) == 0, action == "NONE" || !names.isEmpty { add("next", reference, "REFERENCE") }
        if pick(3) == 0 {
            add("place", #"{"latitude":35.5,"longitude":\#(pick(180)),"horizontalAccuracy":2.5}"#, "LOCATION")
        }
        if pick(4) == 0 { add("words", #"["a","","b c"]"#, "STRING_LIST") }
        if pick(4) == 0 { add("counts", "[1,-2,3]", "INT64_LIST") }
        if pick(4) == 0 { add("sizes", "[0.1,2]", "DOUBLE_LIST") }
        if pick(4) == 0 { add("times", "[5,6]", "TIMESTAMP_LIST") }
        if pick(4) == 0 { add("blobs", #"["QUJD",""]"#, "BYTES_LIST") }
        if pick(4) == 0 { add("links", #"[{"recordName":"t1","action":"NONE"}]"#, "REFERENCE_LIST") }
        if pick(4) == 0 { add("places", #"[{"latitude":1,"longitude":2}]"#, "LOCATION_LIST") }
        if pick(4) == 0 { add("secret", #""s\#(pick(9))""#, "STRING") }
        if pick(4) == 0 { add("file", try await upload(), "ASSET") }
        if pick(6) == 0 { add("files", "[\(try await upload()),\(try await upload())]", "ASSET_LIST") }
        return "{" + fields.joined(separator: ",") + "}"
    }

    /// Uploads one of a few files as an administrator, whose receipts only an administrator may use.
    private mutating func upload() async throws -> String {
        let kind = pick(4)
        let bytes = [UInt8](repeating: UInt8(kind), count: [0, 1, 196_608, 400_001][kind])
        let response = await database.call(
            .post, "/assets", as: .administrator, bytes: bytes,
            headers: [("Content-Type", ["text/plain", "application/pdf"][pick(2)])])
        try #require(response.status == 201, "\(response.text)")
        return String(decoding: try #require(response.json?["asset"]).bytes, as: UTF8.self)
    }

    private mutating func changeThing() async {
        guard !names.isEmpty, let fields = try? await fields() else { return }
        let body = #"{"fields":\#(fields)\#(pick(4) == 0 ? #","acl":null"# : "")}"#
        await database.call(.patch, "/records/Thing/\(names[pick(names.count)])", as: .administrator, body: body)
    }

    private mutating func deleteThing() async {
        guard !names.isEmpty else { return }
        let position = pick(names.count)
        let response = await database.call(.delete, "/records/Thing/\(names[position])", as: .administrator)
        if response.status < 300 { names.remove(at: position) }
    }

    private func rename() async -> Bool {
        await database.call(
            .post, "/schema/types/Thing/fields/words/rename", as: .administrator, body: #"{"name":"terms"}"#
        ).status == 200
    }

    // MARK: Accounts and roles

    private mutating func changeAccount() async {
        made += 1
        let account = await database.call(
            .post, "/users", body: #"{"name":"user \#(made)","password":"correct horse"}"#)
        guard let name = account.json?["user"]?["userRecordName"]?.string,
            let token = account.json?["token"]?.string
        else { return }
        await database.call(
            .patch, "/records/Users/\(name)", token: token, body: #"{"fields":{"motto":"fog \#(made)"}}"#)
        await database.call(
            .put, "/records/Thing/t\(made)", token: token, body: #"{"fields":{"text":{"value":"x"}}}"#)
        switch pick(4) {
        case 0: await database.call(.delete, "/users/\(name)", as: .administrator)
        case 1: await database.call(.patch, "/users/\(name)", as: .administrator, body: #"{"disabled":true}"#)
        case 2:
            await database.call(
                .put, "/records/Item/i?database=private", token: token, body: #"{"fields":{"title":"own"}}"#)
        default: break
        }
    }

    private mutating func changeRole() async {
        made += 1
        let members = [#""{creator}""#, #""{stranger}""#, #""role:editors""#].filter { _ in
            Bool.random(using: &random)
        }
        await database.call(
            .put, "/roles/role\(pick(4))", as: .administrator,
            body: #"{"members":[\#(members.joined(separator: ","))]}"#)
        // A role that includes a later one.
        if pick(3) == 0 {
            await database.call(.put, "/roles/aaa", as: .administrator, body: #"{"members":["role:role0"]}"#)
        }
    }

    // MARK: Items, in Ann's private database

    private mutating func writeItem() async {
        let zone = ["", "&zone=z\(pick(2))"][pick(2)]
        if !zone.isEmpty {
            await database.call(.put, "/zones/\(zone.dropFirst(6))?database=private", as: .creator)
        }
        made += 1
        let name = "i\(made)"
        var parent = ""
        if !zone.isEmpty, let other = items.filter({ $0.hasSuffix(zone) }).randomElement(using: &random) {
            parent = #","parent":{"recordName":"\#(other.prefix { $0 != "&" })"}"#
        }
        await database.call(
            .put, "/records/Item/\(name)?database=private\(zone)", as: .creator,
            body: #"{"fields":{"title":"\#(name)"}\#(parent)}"#)
        // Older records move below newer ones too.
        if !zone.isEmpty, pick(2) == 0, let other = items.filter({ $0.hasSuffix(zone) }).randomElement(using: &random) {
            await database.call(
                .patch, "/records/Item/\(other.prefix { $0 != "&" })?database=private\(zone)", as: .creator,
                body: #"{"fields":{},"parent":{"recordName":"\#(name)"}}"#)
        }
        if !zone.isEmpty, pick(4) == 0 {
            await database.call(
                .put, "/records/cloudkit.share/s\(made)?database=private\(zone)", as: .creator,
                body:
                    #"{"fields":{},"forRecord":{"recordName":"\#(name)"},"publicPermission":"READ_ONLY","participants":[{"userRecordName":"{stranger}","permission":"READ_WRITE"},{"label":"grandma"}]}"#
            )
        }
        items.append(name + zone)
    }
}
