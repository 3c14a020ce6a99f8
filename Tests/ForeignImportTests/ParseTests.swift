import Cryptography
import RecordWire
import Testing

@testable import ForeignImport

/// Exports of Parse Server, in the form of its dashboard and in that of `mongoexport`.
@Suite struct ParseTests {
    private func dashboard() throws -> Folder {
        let folder = try Folder()
        try folder.write(
            "_User.json",
            #"""
            { "results": [
              {"objectId":"u1aaaaaaaa","username":"ada","email":"ada@example.org","emailVerified":true,"color":"red",
               "bcryptPassword":"$2a$10$XajjQvNhvvRt5GSeFk1xFeyqRrsxkhBkUiQeg0dt.wU1qD4aFDcga",
               "createdAt":"2020-01-02T03:04:05.678Z","updatedAt":"2020-02-02T03:04:05.678Z",
               "ACL":{"u1aaaaaaaa":{"read":true,"write":true}}},
              {"objectId":"u2aaaaaaaa","username":"bob","authData":{"apple":{"id":"x"}},"sessionToken":"r:secret",
               "createdAt":"2020-01-02T03:04:05.678Z","updatedAt":"2020-01-02T03:04:05.678Z"}
            ] }
            """#)
        try folder.write(
            "_Role.json",
            #"""
            {"results":[{"objectId":"r1","name":"Editors of news","ACL":{},"users":{"__type":"Relation","className":"_User"}},
            {"objectId":"r2","name":"Authors","ACL":{}}]}
            """#)
        try folder.write("_Join:users:_Role.json", #"{"results":[{"owningId":"r2","relatedId":"u2aaaaaaaa"}]}"#)
        try folder.write("_Join:roles:_Role.json", #"{"results":[{"owningId":"r1","relatedId":"r2"}]}"#)
        try folder.write("_Session.json", #"{"results":[{"objectId":"s1","sessionToken":"r:secret"}]}"#)
        try folder.write(
            "Post.json",
            #"""
            {"results":[
            {"objectId":"p1aaaaaaaa","title":"Sea","likes":3,"rating":4.5,"isDraft":false,
             "when":{"__type":"Date","iso":"2021-05-06T07:08:09.100Z"},
             "author":{"__type":"Pointer","className":"_User","objectId":"u1aaaaaaaa"},
             "place":{"__type":"GeoPoint","latitude":35.6,"longitude":139.7},"data":{"__type":"Bytes","base64":"AQID"},
             "photo":{"__type":"File","name":"abc_sea.png","url":"https://files.example.org/abc_sea.png"},
             "tags":["a","b"],"numbers":[1,2.5],"mixed":["a",1],"info":{"k":[1,null]},
             "readers":{"__type":"Relation","className":"_User"},
             "createdAt":"2021-01-02T03:04:05.678Z","updatedAt":"2021-02-02T03:04:05.678Z",
             "ACL":{"*":{"read":true},"u1aaaaaaaa":{"read":true,"write":true},"role:Authors":{"write":true}}},
            {"objectId":"p2aaaaaaaa","title":"Fog","likes":null,"rating":4,"tags":[],
             "createdAt":"2021-01-02T03:04:05.678Z","updatedAt":"2021-02-02T03:04:05.678Z"}
            ]}
            """#)
        try folder.write(
            "_Join:readers:Post.json", #"{"results":[{"owningId":"p1aaaaaaaa","relatedId":"u2aaaaaaaa"}]}"#)
        try folder.write("files/abc_sea.png", [1, 2, 3])
        return folder
    }

    @Test func `an export of the dashboard is converted with accounts, roles, access lists and files`() throws {
        let folder = try dashboard()
        let result = try Converted(.parse, [folder.path])
        let ada = try #require(result.accounts["ada"])
        #expect(ada["password"]?.string?.hasPrefix("$2a$10$") == true)
        #expect(ada["created"] == 1_577_934_245_678)
        let bob = try #require(result.accounts["bob"])
        #expect(bob["password"] == nil)
        #expect(result.report.namesWithoutPassword == ["bob"])
        let (adaName, bobName) = (ada["userRecordName"]?.string ?? "", bob["userRecordName"]?.string ?? "")
        #expect(result.roles.map(\.name) == ["Authors", "Editors_of_news"])
        #expect(result.roles.map(\.members) == [[bobName], ["role:Authors"]])

        let user = try #require(result.records["Users/\(adaName)"])
        #expect(result.value("Users/\(adaName)", "email") == "ada@example.org")
        #expect(result.value("Users/\(adaName)", "color") == "red")
        #expect(user["created"]?["userRecordName"]?.string == adaName)
        #expect(result.schema["Users"]?["fields"]?["emailVerified"]?["write"] == [])
        #expect(result.schema["Users"]?["grants"] == nil)

        let post = try #require(result.records["Post/p1aaaaaaaa"])
        #expect(post["created"] == ["timestamp": 1_609_556_645_678])
        let access: JSONValue = ["*": ["read"], "role:Authors": ["write"]]
        #expect(post["acl"] == access.merged(adaName, ["read", "write"]))
        let types = [
            "title": "STRING", "likes": "INT64", "rating": "DOUBLE", "isDraft": "INT64", "when": "TIMESTAMP",
            "author": "REFERENCE", "place": "LOCATION", "data": "BYTES", "photo": "ASSET", "tags": "STRING_LIST",
            "numbers": "DOUBLE_LIST", "mixed": "STRING", "info": "STRING", "readers": "REFERENCE_LIST",
        ]
        for (field, type) in types { #expect(result.type("Post", field) == type, "\(field)") }
        #expect(result.value("Post/p1aaaaaaaa", "when") == 1_620_284_889_100)
        #expect(result.value("Post/p1aaaaaaaa", "author")?["recordName"]?.string == adaName)
        #expect(result.value("Post/p1aaaaaaaa", "place") == ["latitude": 35.6, "longitude": 139.7])
        #expect(result.value("Post/p1aaaaaaaa", "photo")?["filename"] == "abc_sea.png")
        #expect(result.value("Post/p1aaaaaaaa", "photo")?["contentType"] == "image/png")
        #expect(result.value("Post/p1aaaaaaaa", "mixed") == #"["a",1]"#)
        #expect(result.value("Post/p1aaaaaaaa", "info") == #"{"k":[1,null]}"#)
        #expect(result.value("Post/p1aaaaaaaa", "readers") == [["recordName": .string(bobName), "action": "NONE"]])
        // Absent, not null; and an integer in a field of fractions.
        #expect(result.value("Post/p2aaaaaaaa", "likes") == nil)
        #expect(result.value("Post/p2aaaaaaaa", "rating") == .double(4))
        #expect(result.value("Post/p2aaaaaaaa", "tags") == [])
        #expect(result.records["Post/p2aaaaaaaa"]?["acl"] == ["*": ["read", "write"]])

        #expect(result.report.isComplete)
        #expect(result.notes("_Session", "sign in again"))
        #expect(result.notes("accounts", "other services"))
        #expect(result.notes("role Editors of news", "Editors_of_news"))
        #expect(result.notes("Post.info", "JSON text"))
        // No secret of the source is in the result.
        #expect(!result.lines.contains { String(decoding: $0.bytes, as: UTF8.self).contains("r:secret") })
    }

    @Test func `mongoexport and the dashboard lead to the same records`() throws {
        let folder = try Folder()
        try folder.write(
            "_SCHEMA.json",
            #"""
            {"_id":"Post","objectId":"string","title":"string","likes":"number","rating":"number","isDraft":"boolean","when":"date","author":"*_User","place":"geopoint","data":"bytes","photo":"file","tags":"array","numbers":"array","mixed":"array","info":"object","readers":"relation<_User>","never":"string","_metadata":{"class_permissions":{"find":{"*":true},"get":{"*":true},"create":{"requiresAuthentication":true},"update":{"role:Authors":true},"delete":{"role:Authors":true,"u1aaaaaaaa":true}},"indexes":{"_id_":{"_id":1},"title_1":{"title":1},"a":{"_p_author":1,"_created_at":-1}}}}
            {"_id":"_User","username":"string"}
            """#)
        try folder.write(
            "_User.json",
            #"""
            {"_id":"u1aaaaaaaa","username":"ada","email":"ada@example.org","emailVerified":true,"color":"red","_hashed_password":"$2a$10$XajjQvNhvvRt5GSeFk1xFeyqRrsxkhBkUiQeg0dt.wU1qD4aFDcga","_created_at":{"$date":"2020-01-02T03:04:05.678Z"},"_updated_at":{"$date":{"$numberLong":"1580612645678"}},"_rperm":["u1aaaaaaaa"],"_wperm":["u1aaaaaaaa"],"_acl":{"u1aaaaaaaa":{"r":true,"w":true}},"_perishable_token":"secret"}
            {"_id":"u2aaaaaaaa","username":"bob","_auth_data_apple":{"id":"x"},"_session_token":"r:secret","_created_at":{"$date":1577934245678},"_updated_at":{"$date":"2020-01-02T03:04:05.678+0000"}}
            """#)
        try folder.write(
            "_Role.json",
            #"""
            {"_id":"r1","name":"Editors of news","_rperm":[],"_wperm":[]}
            {"_id":"r2","name":"Authors","_rperm":[],"_wperm":[]}
            """#)
        try folder.write("_Join:users:_Role.json", #"{"_id":"j1","owningId":"r2","relatedId":"u2aaaaaaaa"}"#)
        try folder.write("_Join:roles:_Role.json", #"{"_id":"j2","owningId":"r1","relatedId":"r2"}"#)
        try folder.write(
            "Post.json",
            #"""
            {"_id":"p1aaaaaaaa","title":"Sea","likes":{"$numberLong":"3"},"rating":{"$numberDouble":"4.5"},"isDraft":false,"when":{"$date":"2021-05-06T07:08:09.1Z"},"_p_author":"_User$u1aaaaaaaa","place":[139.7,35.6],"data":{"$binary":{"base64":"AQID","subType":"00"}},"photo":"abc_sea.png","tags":["a","b"],"numbers":[{"$numberInt":"1"},2.5],"mixed":["a",1],"info":{"k":[1,null]},"_created_at":{"$date":"2021-01-02T03:04:05.678Z"},"_updated_at":{"$date":"2021-02-02T03:04:05.678Z"},"_acl":{},"_rperm":["*","u1aaaaaaaa"],"_wperm":["u1aaaaaaaa","role:Authors"]}
            {"_id":"p2aaaaaaaa","title":"Fog","likes":null,"rating":4,"tags":[],"_p_author":null,"_created_at":{"$date":"2021-01-02T03:04:05.678Z"},"_updated_at":{"$date":"2021-02-02T03:04:05.678Z"}}
            """#)
        try folder.write("_Join:readers:Post.json", #"{"_id":"j3","owningId":"p1aaaaaaaa","relatedId":"u2aaaaaaaa"}"#)
        try folder.write("files/abc_sea.png", [1, 2, 3])
        let other = try dashboard()
        let (mongo, dashboard) = (try Converted(.parse, [folder.path]), try Converted(.parse, [other.path]))
        #expect(mongo.accounts == dashboard.accounts)
        #expect(mongo.roles.map(\.members) == dashboard.roles.map(\.members))
        #expect(Set(mongo.records.keys) == Set(dashboard.records.keys))
        for (name, record) in dashboard.records {
            for member in record["fields"]?.object?.members ?? [] where member.key != "likes" {
                #expect(mongo.records[name]?["fields"]?[member.key] == member.value, "\(name) \(member.key)")
            }
            #expect(mongo.records[name]?["created"] == record["created"])
            #expect(mongo.records[name]?["modified"] == record["modified"])
        }
        // The schema says that it is a number, which may get a fraction.
        #expect(mongo.type("Post", "likes") == "DOUBLE")
        #expect(mongo.type("Post", "never") == "STRING")
        #expect(mongo.schema["Post"]?["grants"] == ["_world": ["READ"], "_icloud": ["CREATE"], "Authors": ["WRITE"]])
        #expect(
            mongo.schema["Post"]?["indexes"] == [["fields": ["title"]], ["fields": ["author", "-createdTimestamp"]]])
        #expect(mongo.notes("Post", "u1aaaaaaaa has update or delete only"))
        #expect(!mongo.lines.contains { String(decoding: $0.bytes, as: UTF8.self).contains("secret") })
    }

    @Test func `without their content, files become URLs, and missing ones are noted`() throws {
        let folder = try dashboard()
        try folder.write("Post2.json", "[]")
        var options = ConversionOptions()
        options.types = ["Post"]
        let other = try Folder()
        options.files = other.path
        let missing = try Converted(.parse, [folder.path], options)
        #expect(missing.value("Post/p1aaaaaaaa", "photo") == nil)
        #expect(missing.notes("Post.photo", "abc_sea.png of Post.json:2"))
        let urls = try Converted(.parse, [folder.path + "/_User.json", folder.path + "/Post.json"])
        #expect(urls.value("Post/p1aaaaaaaa", "photo") == "https://files.example.org/abc_sea.png")
        #expect(urls.notes("Post.photo", "--files"))
        #expect(urls.notes("Post", "roles that the export does not have"))
        #expect(urls.notes("Post.readers", "not in the export"))
        options.files = folder.path + "/nothing"
        #expect(throws: ConversionError.self) { try Converted(.parse, [folder.path], options) }
    }

    @Test func `accounts that are here already keep their names and get no second account`() throws {
        let folder = try dashboard()
        var options = ConversionOptions()
        let here = "_" + String(repeating: "a", count: 32)
        options.users = ["u1aaaaaaaa": here]
        let result = try Converted(.parse, [folder.path], options)
        #expect(result.accounts.keys.sorted() == ["bob"])
        #expect(result.value("Post/p1aaaaaaaa", "author")?["recordName"]?.string == here)
        #expect(result.records["Post/p1aaaaaaaa"]?["acl"]?[here] == ["read", "write"])
    }
}

extension JSONValue {
    /// Returns an object with one more member.
    func merged(_ key: String, _ value: JSONValue) -> JSONValue {
        var object = self.object ?? JSONObject()
        object[key] = value
        return .object(JSONObject(object.members.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }))
    }
}
