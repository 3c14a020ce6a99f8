import RecordWire
import Testing

@testable import ForeignImport

@Suite struct NCMBTests {
    private func export() throws -> Folder {
        let folder = try Folder()
        try folder.write(
            "user.json",
            #"""
            {"results":[{"objectId":"U1","userName":"taro","mailAddress":"taro@example.jp","mailAddressConfirm":true,
            "authData":null,"password":null,"createDate":"2020-01-02T03:04:05.678Z","updateDate":"2020-01-02T03:04:05.678Z",
            "acl":{"U1":{"read":true,"write":true}}}]}
            """#)
        try folder.write(
            "role.json",
            #"""
            [{"objectId":"R1","roleName":"editors","belongRole":{"__type":"Relation","className":"role"},
              "belongUser":{"__type":"Relation","className":"user"},"acl":{}},
             {"objectId":"R2","roleName":"all","belongRole":[{"__type":"Pointer","className":"role","objectId":"R1"}],
              "belongUser":["U1","U9"]}]
            """#)
        try folder.write("roles/editors.json", #"{"results":[{"objectId":"U1","userName":"taro"}]}"#)
        try folder.write("installation.json", "[]")
        try folder.write(
            "file.json",
            #"[{"fileName":"a.png","mimeType":"image/png","fileSize":3,"createDate":"2020-01-02T03:04:05.678Z","acl":{"*":{"read":true}}}]"#
        )
        try folder.write("files/a.png", [1, 2, 3])
        try folder.write(
            "Item.json",
            #"""
            [{"objectId":"I1","品名":"灯","price":120,"sold":{"__type":"Date","iso":"2021-05-06T07:08:09.100Z"},
              "owner":{"__type":"Pointer","className":"user","objectId":"U1"},
              "place":{"__type":"GeoPoint","latitude":35.6,"longitude":139.7},"code":"A1",
              "acl":{"*":{"read":true},"role:editors":{"read":true,"write":true},"U9":{"read":true}},
              "createDate":{"__type":"Date","iso":"2021-01-02T03:04:05.678Z"},"updateDate":"2021-02-02T03:04:05.678Z"},
             {"objectId":"I2","品名":"霧","price":120.5,"code":7,"createDate":"2021-01-02T03:04:05.678Z"}]
            """#)
        return folder
    }

    @Test func `an export is converted, and accounts without password are listed`() throws {
        let folder = try export()
        let result = try Converted(.ncmb, [folder.path])
        let user = try #require(result.accounts["taro"]?["userRecordName"]?.string)
        #expect(result.accounts["taro"]?["password"] == nil)
        #expect(result.report.namesWithoutPassword == ["taro"])
        #expect(result.roles.map(\.name) == ["editors", "all"])
        #expect(result.roles.map(\.members) == [[user], [user, "role:editors"]])
        #expect(result.value("Users/\(user)", "mailAddress") == "taro@example.jp")
        #expect(result.schema["Users"]?["fields"]?["mailAddressConfirm"]?["write"] == [])
        #expect(result.type("Item", "price") == "DOUBLE")
        #expect(result.value("Item/I1", "price") == .double(120))
        #expect(result.value("Item/I1", "品名") == "灯")
        #expect(result.value("Item/I1", "owner")?["recordName"]?.string == user)
        #expect(result.records["Item/I1"]?["created"] == ["timestamp": 1_609_556_645_678])
        #expect(result.records["Item/I1"]?["acl"] == ["*": ["read"], "role:editors": ["read", "write"]])
        // Text here, number there: nothing is lost.
        #expect(result.type("Item", "code") == "STRING")
        #expect(result.value("Item/I1", "code") == "A1")
        #expect(result.value("Item/I2", "code") == "7")
        #expect(result.notes("Item.code", "several types (integer, text)"))
        #expect(result.notes("Item", "users without an account"))
        #expect(result.notes("installation", "push service"))
        #expect(result.value("file/a.png", "content")?["size"] == 3)
        #expect(result.value("file/a.png", "mimeType") == "image/png")
        #expect(result.report.isComplete)
    }

    @Test func `objectIds that two classes have get the type before them`() throws {
        let folder = try export()
        try folder.write(
            "Other.json",
            #"[{"objectId":"I1","item":{"__type":"Pointer","className":"Item","objectId":"I1"}},{"objectId":"O1","other":{"__type":"Pointer","className":"Other","objectId":"I1"}}]"#
        )
        let result = try Converted(.ncmb, [folder.path])
        #expect(result.value("Other/Other.I1", "item")?["recordName"] == "I1")
        #expect(result.value("Other/Other.O1", "other")?["recordName"] == "Other.I1")
        #expect(result.notes("Other", "record names begin with 'Other.'"))
    }

    /// Objects that make no record, with a part of the reason.
    static let rejected: [(String, String)] = [
        (#"{"name":"x"}"#, "no objectId"), (#"{"objectId":7}"#, "no objectId"), (#"{"objectId":""}"#, "no record name"),
        (#"{"objectId":"a","acl":7}"#, "access list is no object"),
        (#"{"objectId":"a","objectId":"b"}"#, "a key stands twice"),
        (#"{"objectId":"a","x":01}"#, "no JSON"), (#"{"objectId":"a" "b":1}"#, "no JSON"),
        (#"{"objectId":"a","x":1e999}"#, "too large"),
        (#"{"objectId":"a","x":"\ud800"}"#, "no JSON"), ("{\"objectId\":\"a\u{1}\"}", "no JSON"),
        (#"{"objectId":"a\u0001"}"#, "no record name"),
        (
            #"{"objectId":"a","x":"# + String(repeating: "[", count: 40) + String(repeating: "]", count: 40) + "}",
            "nested deeper"
        ),
        (#"{"objectId":"_0123456789abcdef0123456789abcdef"}"#, "account's record name"),
        (#"{"objectId":"\#(String(repeating: "x", count: 300))"}"#, "no record name"),
        (#"{"objectId":"I1"}"#, "another object of the class"),
    ]

    @Test(arguments: rejected) func `an object that makes no record is reported with its line, and the others are kept`(
        object: String, words: String
    ) throws {
        let folder = try Folder()
        try folder.write("Item.json", "[{\"objectId\":\"I1\",\"n\":1},\n\(object),\n{\"objectId\":\"I2\",\"n\":2}]")
        let result = try Converted(.ncmb, [folder.path])
        #expect(result.records.keys.sorted() == ["Item/I1", "Item/I2"])
        let rejection = try #require(result.report.rejections.first)
        #expect(rejection.place == "Item.json:2")
        #expect(rejection.reason.contains(words), "\(rejection.reason)")
        #expect(result.report.rejected == 1)
        #expect(!result.report.isComplete)
    }

    @Test func `a class with too many fields is an error, and not an endless list`() throws {
        let folder = try Folder()
        let fields = (0...1_000).map { #""f\#($0)":1"# }.joined(separator: ",")
        try folder.write("Item.json", #"[{"objectId":"a"},{"objectId":"b",\#(fields)}]"#)
        let error = #expect(throws: ConversionError.self) { try Converted(.ncmb, [folder.path]) }
        #expect(error?.reason.contains("more than 1000 fields, as in Item.json:1") == true)
    }

    @Test func `users with one identifier or one name are one account, and the second is reported`() throws {
        let folder = try Folder()
        try folder.write(
            "user.json",
            #"""
            [{"objectId":"U1","userName":"Ann","n":1},
            {"objectId":"U1","userName":"bob","n":2},
            {"objectId":"U2","userName":"ann","mailAddress":"ann@example.jp","n":3},
            {"objectId":"U3","userName":"ANN","n":4},
            {"objectId":"U4","userName":" x","n":5}]
            """#)
        let result = try Converted(.ncmb, [folder.path])
        #expect(result.accounts.keys.sorted() == ["Ann", "ann@example.jp"])
        #expect(result.records.count == 2)
        #expect(result.report.rejections.map(\.place) == ["user.json:2", "user.json:4", "user.json:5"])
        #expect(result.notes("accounts", "user.json:3, who is ann@example.jp"))
    }

    @Test func `an access list with too many entries, and values without meaning, are reported`() throws {
        let folder = try Folder()
        let users = (0..<101).map { #"{"objectId":"U\#($0)","userName":"u\#($0)"}"# }.joined(separator: ",")
        try folder.write("user.json", "[\(users)]")
        let entries = (0..<101).map { #""U\#($0)":{"read":true}"# }.joined(separator: ",")
        try folder.write(
            "Item.json",
            #"""
            [{"objectId":"a","acl":{\#(entries)}},
            {"objectId":"b","d":{"__type":"Date","iso":"soon"},"p":{"__type":"GeoPoint","latitude":91,"longitude":0},"r":{"__type":"Pointer"},"n":9007199254740993,"m":9007199254740993},
            {"objectId":"c","d":{"__type":"Date","iso":"2021-01-01T00:00:00Z"},"m":1.5}]
            """#)
        let result = try Converted(.ncmb, [folder.path])
        #expect(result.report.rejections.map(\.place) == ["Item.json:1"])
        #expect(result.notes("Item.d", "dates"))
        #expect(result.value("Item/b", "n") == 9_007_199_254_740_993)
        // No DOUBLE equals the integer, so the field became text.
        #expect(result.value("Item/b", "m") == "9007199254740993")
        #expect(result.value("Item/c", "m") == "1.5")
        #expect(result.notes("Item.m", "several types"))
    }
}
