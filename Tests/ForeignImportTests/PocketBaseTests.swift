import Foundation
import RecordModel
import RecordStorage
import RecordWire
import Testing

@testable import ForeignImport

/// Data directories with the tables that PocketBase 0.22 and 0.23 create.
@Suite struct PocketBaseTests {
    private func database(_ folder: Folder, _ statements: [String]) throws -> Connection {
        let connection = try Connection(path: folder.path + "/data.db", role: .writer)
        for statement in statements { try connection.execute(SQL(statement)) }
        return connection
    }

    private static func quoted(_ text: String) -> String { PocketBaseDatabase.text(text) }

    static let oldCollections = """
        CREATE TABLE _collections (id TEXT PRIMARY KEY NOT NULL, system BOOLEAN DEFAULT FALSE NOT NULL, \
        type TEXT DEFAULT 'base' NOT NULL, name TEXT UNIQUE NOT NULL, schema JSON DEFAULT '[]' NOT NULL, \
        indexes JSON DEFAULT '[]' NOT NULL, listRule TEXT DEFAULT NULL, viewRule TEXT DEFAULT NULL, \
        createRule TEXT DEFAULT NULL, updateRule TEXT DEFAULT NULL, deleteRule TEXT DEFAULT NULL, \
        options JSON DEFAULT '{}' NOT NULL, created TEXT DEFAULT '' NOT NULL, updated TEXT DEFAULT '' NOT NULL)
        """

    static let newCollections = """
        CREATE TABLE _collections (id TEXT PRIMARY KEY NOT NULL, system BOOLEAN DEFAULT FALSE NOT NULL, \
        type TEXT DEFAULT 'base' NOT NULL, name TEXT UNIQUE NOT NULL, fields JSON DEFAULT '[]' NOT NULL, \
        indexes JSON DEFAULT '[]' NOT NULL, listRule TEXT DEFAULT NULL, viewRule TEXT DEFAULT NULL, \
        createRule TEXT DEFAULT NULL, updateRule TEXT DEFAULT NULL, deleteRule TEXT DEFAULT NULL, \
        options JSON DEFAULT '{}' NOT NULL, created TEXT DEFAULT '' NOT NULL, updated TEXT DEFAULT '' NOT NULL)
        """

    private static let hash = "$2a$10$XajjQvNhvvRt5GSeFk1xFeyqRrsxkhBkUiQeg0dt.wU1qD4aFDcga"

    /// A directory of 0.22: fields in `schema` with `options`, and accounts with columns that are no fields.
    private func old() throws -> (folder: Folder, connection: Connection) {
        let folder = try Folder()
        func field(_ name: String, _ type: String, _ options: String = "{}") -> String {
            #"{"system":false,"id":"f\#(name)","name":"\#(name)","type":"\#(type)","required":false,"presentable":false,"unique":false,"options":\#(options)}"#
        }
        let users =
            "["
            + [field("name", "text"), field("avatar", "file", #"{"maxSelect":1,"mimeTypes":["image/png"]}"#)].joined(
                separator: ",") + "]"
        let posts =
            "["
            + [
                field("title", "text"), field("body", "editor"), field("likes", "number", #"{"noDecimal":true}"#),
                field("score", "number"),
                field("live", "bool"), field("mail", "email"), field("link", "url"), field("at", "date"),
                field("kind", "select", #"{"maxSelect":1,"values":["a","b"]}"#),
                field("tags", "select", #"{"maxSelect":2,"values":["a","b"]}"#),
                field("meta", "json"),
                field("author", "relation", #"{"collectionId":"_pb_users_auth_","cascadeDelete":true,"maxSelect":1}"#),
                field(
                    "related", "relation", #"{"collectionId":"posts0000000001","cascadeDelete":true,"maxSelect":null}"#),
                field("photos", "file", #"{"maxSelect":5}"#), field("odd", "hologram"),
            ].joined(separator: ",") + "]"
        let connection = try database(
            folder,
            [
                "CREATE TABLE _admins (id TEXT PRIMARY KEY NOT NULL, avatar INTEGER DEFAULT 0 NOT NULL, email TEXT, tokenKey TEXT, passwordHash TEXT)",
                "INSERT INTO _admins VALUES ('a', 0, 'root@example.org', 'k', 'h')", Self.oldCollections,
                "CREATE TABLE _externalAuths (id TEXT PRIMARY KEY NOT NULL)",
                """
                CREATE TABLE users (id TEXT PRIMARY KEY NOT NULL, created TEXT, updated TEXT, username TEXT NOT NULL, \
                email TEXT DEFAULT '' NOT NULL, emailVisibility BOOLEAN DEFAULT FALSE NOT NULL, verified BOOLEAN DEFAULT FALSE NOT NULL, \
                tokenKey TEXT NOT NULL, passwordHash TEXT NOT NULL, lastResetSentAt TEXT DEFAULT '' NOT NULL, \
                lastVerificationSentAt TEXT DEFAULT '' NOT NULL, name TEXT DEFAULT '' NOT NULL, avatar TEXT DEFAULT '' NOT NULL)
                """,
                """
                CREATE TABLE posts (id TEXT PRIMARY KEY NOT NULL, created TEXT, updated TEXT, title TEXT DEFAULT '' NOT NULL, \
                body TEXT DEFAULT '' NOT NULL, likes NUMERIC DEFAULT 0 NOT NULL, score NUMERIC DEFAULT 0 NOT NULL, live BOOLEAN DEFAULT FALSE NOT NULL, \
                mail TEXT DEFAULT '' NOT NULL, link TEXT DEFAULT '' NOT NULL, at TEXT DEFAULT '' NOT NULL, kind TEXT DEFAULT '' NOT NULL, \
                tags JSON DEFAULT '[]' NOT NULL, meta JSON DEFAULT NULL, author TEXT DEFAULT '' NOT NULL, related JSON DEFAULT '[]' NOT NULL, \
                photos JSON DEFAULT '[]' NOT NULL, odd TEXT)
                """,
                """
                INSERT INTO _collections (id, type, name, schema, listRule, viewRule, createRule, updateRule, deleteRule, options) VALUES \
                ('_pb_users_auth_', 'auth', 'users', \(Self.quoted(users)), 'id = @request.auth.id', 'id = @request.auth.id', '', 'id = @request.auth.id', \
                'id = @request.auth.id', '{"allowEmailAuth":true,"allowUsernameAuth":true,"manageRule":null}')
                """,
                """
                INSERT INTO _collections (id, type, name, schema, indexes, listRule, viewRule, createRule, updateRule, deleteRule) VALUES \
                ('posts0000000001', 'base', 'posts', \(Self.quoted(posts)), \(Self.quoted(#"["CREATE INDEX `i1` ON `posts` (`title`, `created` DESC)","CREATE UNIQUE INDEX `i2` ON `posts` (`link`) WHERE `link` != ''","CREATE INDEX `i3` ON `posts` (lower(title))"]"#)), \
                '', '', '@request.auth.id != "" && author = @request.auth.id', 'author = @request.auth.id', 'author = @request.auth.id')
                """,
                "INSERT INTO _collections (id, type, name, listRule) VALUES ('v', 'view', 'stats', NULL)",
                """
                INSERT INTO users VALUES ('user00000000001', '2022-01-02 03:04:05.678Z', '2022-02-02 03:04:05.678Z', 'ada', 'ada@example.org', 1, 1, 'token', \
                '\(Self.hash)', '', '', 'Ada', 'me_x1.png'), \
                ('user00000000002', '2022-01-02 03:04:05.678Z', '2022-02-02 03:04:05.678Z', 'users81234', '', 0, 0, 'token2', 'bad', '', '', '', '')
                """,
                """
                INSERT INTO posts VALUES ('post00000000001', '2022-01-02 03:04:05.678Z', '2022-02-02 03:04:05.678Z', 'Sea', '<p>Fog</p>', 3, 0.1, 1, \
                'm@example.org', 'https://a.example', '2022-03-04 05:06:07.080Z', 'a', '["a","b"]', '{"k":[1]}', 'user00000000001', '["post00000000002"]', '["p_1.jpg","gone.jpg"]', 'x'), \
                ('post00000000002', '2022-01-02 03:04:05.678Z', '2022-02-02 03:04:05.678Z', '', '', 0, 7, 0, '', '', '', '', '[]', NULL, '', '[]', '[]', NULL)
                """,
            ])
        try folder.write("storage/_pb_users_auth_/user00000000001/me_x1.png", [1, 2])
        try folder.write("storage/posts0000000001/post00000000001/p_1.jpg", [UInt8](repeating: 7, count: 500_000))
        try folder.write("storage/posts0000000001/post00000000001/thumbs_p_1.jpg/100x100_p_1.jpg", [9])
        return (folder, connection)
    }

    @Test func `a directory of 0.22 is converted, also while PocketBase has it open`() throws {
        let (folder, connection) = try old()
        // What is not committed is not seen, and does not disturb.
        try connection.execute("BEGIN IMMEDIATE")
        try connection.execute("UPDATE posts SET title = 'Later'")
        let result = try Converted(.pocketbase, [folder.path + "/"])
        try connection.execute("COMMIT")

        let ada = try #require(result.accounts["ada@example.org"])
        #expect(ada["password"]?.string == Self.hash)
        let user = ada["userRecordName"]?.string ?? ""
        #expect(result.accounts["users81234"]?["password"] == nil)
        #expect(result.report.namesWithoutPassword == ["users81234"])
        #expect(result.value("Users/\(user)", "name") == "Ada")
        #expect(result.value("Users/\(user)", "verified") == 1)
        #expect(result.value("Users/\(user)", "avatar")?["size"] == 2)
        #expect(result.records["Users/\(user)"]?["created"]?["userRecordName"]?.string == user)
        #expect(result.schema["Users"]?["fields"]?["email"] == ["type": "STRING", "read": ["_creator"], "write": []])
        #expect(result.schema["Users"]?["grants"] == ["_creator": ["READ", "WRITE"]])

        let types = [
            "title": "STRING", "body": "STRING", "likes": "INT64", "score": "DOUBLE", "live": "INT64", "mail": "STRING",
            "link": "STRING", "at": "TIMESTAMP", "kind": "STRING", "tags": "STRING_LIST", "meta": "STRING",
            "author": "REFERENCE",
            "related": "REFERENCE_LIST", "photos": "ASSET_LIST",
        ]
        for (field, type) in types { #expect(result.type("posts", field) == type, "\(field)") }
        let post = "posts/post00000000001"
        let expected: [String: JSONValue] = [
            "title": "Sea", "body": "<p>Fog</p>", "likes": 3, "score": .double(0.1), "live": 1, "mail": "m@example.org",
            "link": "https://a.example",
            "at": 1_646_370_367_080, "kind": "a", "tags": ["a", "b"], "meta": #"{"k":[1]}"#,
            "author": ["recordName": .string(user), "action": "DELETE_SELF"],
            "related": [["recordName": "post00000000002", "action": "NONE"]],
        ]
        for (field, value) in expected { #expect(result.value(post, field) == value, "\(field)") }
        #expect(result.value(post, "photos")?.array?.map { $0["filename"] } == ["p_1.jpg"])
        #expect(result.records[post]?["created"] == ["timestamp": 1_641_092_645_678, "userRecordName": .string(user)])
        #expect(
            result.records["posts/post00000000002"]?["fields"]?.object?.keys.sorted() == [
                "body", "likes", "live", "photos", "related", "score", "tags", "title",
            ])
        #expect(
            result.schema["posts"]?["grants"] == ["_world": ["READ"], "_creator": ["WRITE"], "_icloud": ["CREATE"]])
        #expect(
            result.schema["posts"]?["indexes"] == [
                ["fields": ["title", "-createdTimestamp"]], ["fields": ["link"], "unique": true],
            ])
        #expect(result.report.files == 2)

        #expect(result.notes("posts.odd", "hologram"))
        #expect(result.notes("posts.photos", "gone.jpg of posts post00000000001"))
        #expect(result.notes("posts.related", "records stay"))
        #expect(result.notes("posts", "lower(title)"))
        #expect(result.notes("posts", "whatever the field author says"))
        #expect(result.notes("stats", "views"))
        #expect(result.notes("administrators", "superusers"))
        #expect(result.notes("accounts", "hashes"))
        #expect(!result.lines.contains { String(decoding: $0.bytes, as: UTF8.self).contains("token") })
    }

    /// A directory of 0.23: all columns in `fields`, without nesting.
    private func new() throws -> (folder: Folder, connection: Connection) {
        let folder = try Folder()
        let own =
            #"{"autogeneratePattern":"[a-z0-9]{15}","hidden":false,"id":"text3208210256","name":"id","primaryKey":true,"required":true,"system":true,"type":"text"}"#
        let dates =
            #"{"id":"a1","name":"created","onCreate":true,"onUpdate":false,"type":"autodate"},{"id":"a2","name":"updated","onCreate":true,"onUpdate":true,"type":"autodate"}"#
        let accounts =
            #"{"hidden":true,"name":"password","type":"password","system":true},{"hidden":true,"name":"tokenKey","type":"text","system":true},{"name":"email","type":"email","system":true},{"name":"emailVisibility","type":"bool","system":true},{"name":"verified","type":"bool","system":true}"#
        let places =
            "[\(own),"
            + #"{"name":"where","type":"geoPoint"},{"name":"secret","type":"text","hidden":true},{"name":"owner","type":"relation","collectionId":"clients","cascadeDelete":false,"maxSelect":1},{"name":"shots","type":"file","maxSelect":99},{"name":"doc","type":"file","maxSelect":0},{"name":"seen","type":"autodate","onCreate":true},"#
            + "\(dates)]"
        let connection = try database(
            folder,
            [
                Self.newCollections,
                "CREATE TABLE users (id TEXT PRIMARY KEY, password TEXT, tokenKey TEXT, email TEXT, emailVisibility BOOLEAN, verified BOOLEAN, nick TEXT, created TEXT, updated TEXT)",
                "CREATE TABLE clients (id TEXT PRIMARY KEY, password TEXT, tokenKey TEXT, email TEXT, emailVisibility BOOLEAN, verified BOOLEAN, nick NUMERIC)",
                "CREATE TABLE places (id TEXT PRIMARY KEY, \"where\" JSON DEFAULT '{\"lon\":0,\"lat\":0}' NOT NULL, secret TEXT, owner TEXT, shots JSON, doc TEXT, seen TEXT, created TEXT, updated TEXT)",
                "CREATE TABLE \"2nd place\" (id TEXT PRIMARY KEY)",
                "INSERT INTO _collections (id, system, type, name, fields) VALUES ('su', 1, 'auth', '_superusers', '[\(own)]')",
                "INSERT INTO _collections (id, type, name, fields, options) VALUES ('users', 'auth', 'users', \(Self.quoted("[\(own),\(accounts),{\"name\":\"nick\",\"type\":\"text\"},\(dates)]")), '{\"passwordAuth\":{\"enabled\":true,\"identityFields\":[\"email\"]}}')",
                "INSERT INTO _collections (id, type, name, fields, options) VALUES ('clients', 'auth', 'clients', \(Self.quoted("[\(own),\(accounts),{\"name\":\"nick\",\"type\":\"number\"}]")), '{}')",
                "INSERT INTO _collections (id, type, name, fields, listRule, viewRule, updateRule, deleteRule) VALUES ('places', 'base', 'places', \(Self.quoted(places)), '@request.auth.id != \"\"', '', 'owner.id = @request.auth.id', NULL)",
                "INSERT INTO _collections (id, type, name, fields, listRule) VALUES ('second', 'base', '2nd place', '[\(own)]', 'id ~ ''x''')",
                "INSERT INTO users VALUES ('u1', '\(Self.hash)', 't', 'ada@example.org', 0, 1, 'A', '2022-01-02 03:04:05.678Z', '2022-01-02 03:04:05.678Z')",
                "INSERT INTO clients VALUES ('u1', '\(Self.hash)', 't', 'ada@example.org', 0, 1, 5)",
                "INSERT INTO places VALUES ('x1', '{\"lon\":139.7,\"lat\":35.6}', 'hush', 'u1', '[\"s.png\"]', 'd.pdf', '2022-01-02 03:04:05.678Z', '2022-01-02 03:04:05.678Z', '2022-01-02 03:04:05.678Z')",
                "INSERT INTO places VALUES ('x2', '{\"lon\":0,\"lat\":0}', '', 'gone', '[\"../x1/s.png\"]', '..', '', '', '')",
                "INSERT INTO \"2nd place\" VALUES ('x1'), ('y')",
            ])
        try folder.write("storage/places/x1/s.png", [1])
        try folder.write("storage/places/x1/d.pdf", [1])
        return (folder, connection)
    }

    @Test func `a directory of 0.23 is converted, with two collections of accounts`() throws {
        let (folder, connection) = try new()
        let result = try Converted(.pocketbase, [folder.path])
        _ = connection
        #expect(result.accounts.keys.sorted() == ["ada@example.org", "ada@example.org (clients)"])
        let client = result.accounts["ada@example.org (clients)"]?["userRecordName"]?.string ?? ""
        let user = result.accounts["ada@example.org"]?["userRecordName"]?.string ?? ""
        #expect(client != user)
        #expect(result.value("Users/\(user)", "nick") == "A")
        #expect(result.value("Users/\(client)", "clients_nick") == .double(5))
        #expect(result.value("Users/\(client)", "collection") == "clients")
        #expect(result.schema["Users"]?["grants"] == nil)

        #expect(result.value("places/x1", "where") == ["latitude": 35.6, "longitude": 139.7])
        #expect(result.value("places/x2", "where") == nil)
        #expect(result.schema["places"]?["fields"]?["secret"] == ["type": "STRING", "read": [], "write": []])
        #expect(result.records["places/x1"]?["created"]?["userRecordName"]?.string == client)
        // The user is gone, so nobody is the creator.
        #expect(result.records["places/x2"]?["created"] == nil)
        #expect(result.type("places", "shots") == "ASSET_LIST" && result.type("places", "doc") == "ASSET")
        #expect(result.value("places/x1", "seen") == 1_641_092_645_678)
        #expect(result.value("places/x2", "shots") == [] && result.value("places/x2", "doc") == nil)
        #expect(result.notes("places.shots", "no file names"))
        // list: signed in; view: everyone; delete: administrators.
        #expect(result.schema["places"]?["grants"] == ["_icloud": ["READ"]])
        #expect(result.notes("places", "listRule and viewRule differ"))
        #expect(result.notes("places", "updateRule and deleteRule differ"))
        // Two files with the same content are one.
        #expect(result.report.files == 1 && result.files.count == 1)
        #expect(result.schema["x2nd_place"]?["grants"] == [:])
        #expect(result.notes("2nd place", "listRule has no equivalent, so only administrators may: id ~ 'x'"))
        #expect(result.records["x2nd_place/x2nd_place.x1"] != nil)
        #expect(result.report.isComplete)
    }

    @Test func `values that SQLite allows and PocketBase does not are left out with a note`() throws {
        let (folder, connection) = try old()
        try connection.execute(
            """
            UPDATE posts SET title = CAST(x'ff41' AS TEXT), likes = 'many', score = 1e999, live = 'maybe', at = 'soon', tags = 'a', kind = '["a","b"]', \
            author = '["user00000000001","user00000000002"]', photos = '{"a":1}', meta = 5 WHERE id = 'post00000000001'
            """)
        try connection.execute("INSERT INTO posts (id, likes) VALUES ('_0123456789abcdef0123456789abcdef', 1), ('', 2)")
        let result = try Converted(.pocketbase, [folder.path])
        for field in ["title", "likes", "score", "live", "at"] {
            #expect(result.value("posts/post00000000001", field) == nil, "\(field)")
            #expect(result.notes("posts.\(field)", "were left out"), "\(field)")
        }
        // As before the field could have several values, and after.
        #expect(result.value("posts/post00000000001", "tags") == ["a"])
        #expect(result.value("posts/post00000000001", "kind") == "a")
        #expect(result.notes("posts.kind", "the first was kept"))
        #expect(result.value("posts/post00000000001", "meta") == "5")
        #expect(result.report.rejections.map(\.place) == ["posts _0123456789abcdef0123456789abcdef", "posts "])
    }

    @Test func `what is no data directory is an error that says so`() throws {
        let folder = try Folder()
        func reason(_ path: String) -> String {
            do {
                _ = try Converted(.pocketbase, [path])
                return ""
            } catch {
                return "\(error)"
            }
        }
        #expect(reason(folder.path + "/nothing").contains("no such directory"))
        #expect(reason(folder.path).contains("There is no data.db"))
        try folder.write("backup.zip", [0x50, 0x4B])
        #expect(reason(folder.path + "/backup.zip").contains("unpack a backup"))
        try folder.write("data.db", Array(String(repeating: "no database ", count: 1_000).utf8))
        #expect(reason(folder.path).contains("not a database"))
        let other = try Folder()
        let connection = try database(other, ["CREATE TABLE x (a)"])
        #expect(reason(other.path).contains("no table _collections"))
        // A table that the collections name and the database lacks.
        try connection.execute(SQL(Self.newCollections))
        try connection.execute("INSERT INTO _collections (id, name, fields) VALUES ('a', 'gone', '[]')")
        #expect(reason(other.path).contains("no such table: gone"))
    }

    @Test func `a database that is cut off converts to nothing`() throws {
        let (folder, connection) = try old()
        try connection.checkpoint(.truncate)
        let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: folder.path + "/data.db")))
        let other = try Folder()
        try other.write("data.db", Array(bytes.prefix(bytes.count / 2)))
        #expect(throws: ConversionError.self) { try Converted(.pocketbase, [other.path]) }
    }
}
