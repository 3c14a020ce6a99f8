import HTTP
import RecordEngine
import RecordModel
import RecordWire
import TestSupport
import Testing

/// A database with a caller of every kind, and records that some of them may read and others not:
///
/// - type `Plan` of the public database: only its creator and the role `editors` read a record;
/// - type `Post`: everyone reads a record without an access list;
/// - zone `Lists` of Ann: the records below `root` are shared, with Pat (READ_WRITE) and Rob (READ_ONLY);
/// - zone `Whole` of Ann, all of which is shared with Zoe.
final class CallersWorld {
    enum Who: String, CaseIterable, Sendable {
        case anonymous
        /// Owns the zones. Creates records of all types.
        case ann
        /// Creates records of `Plan`.
        case bob
        /// A member of `editors`.
        case eve
        case pat, rob, zoe
        /// Signed in, without records and shares.
        case sam
        case readOnlyKey, writingKey, otherKey
        case owner, developer, editor, viewer, bootstrap

        static let users: [Who] = [.ann, .bob, .eve, .pat, .rob, .zoe, .sam]
        static let administrators: [Who] = [.owner, .developer, .editor, .viewer]
    }

    /// Where records are, and whose requests find any.
    enum Place: String, CaseIterable, Sendable {
        case plans, posts, lists, whole

        var type: String {
            switch self {
            case .plans: "Plan"
            case .posts: "Post"
            case .lists, .whole: "Item"
            }
        }

        /// The callers that may query the place at all.
        var callers: [Who] {
            let open = Who.allCases.filter { $0 != .otherKey }
            switch self {
            case .plans: return open.filter { $0 != .anonymous }
            case .posts: return open
            case .lists: return [.ann, .pat, .rob, .owner, .bootstrap]
            case .whole: return [.ann, .zoe, .owner, .bootstrap]
            }
        }
    }

    let database: TestDatabase
    private var tokens: [Who: String] = [:]
    private(set) var names: [Who: String] = [:]

    static let fields = #"""
        "text":{"type":"STRING","indexes":["QUERYABLE","SORTABLE","SEARCHABLE"]},
        "title":{"type":"STRING","indexes":["SEARCHABLE"]},"n":{"type":"INT64","indexes":["QUERYABLE","SORTABLE"]},
        "d":{"type":"DOUBLE","indexes":["QUERYABLE","SORTABLE"]},
        "tags":{"type":"STRING_LIST","indexes":["QUERYABLE","SEARCHABLE"]},
        "place":{"type":"LOCATION","indexes":["QUERYABLE"]},"ref":{"type":"REFERENCE","indexes":["QUERYABLE"]},
        "at":{"type":"TIMESTAMP","indexes":["QUERYABLE","SORTABLE"]}
        """#

    static func make(limits: DatabaseLimits = DatabaseLimits()) async throws -> CallersWorld {
        let world = CallersWorld(try await TestDatabase.make(limits: limits, withUsers: false))
        try await world.addCallers()
        try await world.addPlaces()
        return world
    }

    private init(_ database: TestDatabase) { self.database = database }

    // MARK: Requests

    func call(_ method: HTTPMethod, _ target: String, as who: Who, body: String? = nil) async -> Response {
        guard who != .bootstrap else { return await database.call(method, target, as: .administrator, body: body) }
        guard let token = tokens[who] else { return await database.call(method, target, body: body) }
        return await database.call(method, target, token: token, body: body)
    }

    @discardableResult
    func expect(
        _ status: Int, _ method: HTTPMethod, _ target: String, as who: Who, _ body: String? = nil
    ) async throws -> Response {
        let response = await call(method, target, as: who, body: body)
        try #require(response.status == status, "\(method.text) \(target): \(response.status) \(response.text)")
        return response
    }

    /// The query parameters of a place for a caller.
    func parameters(_ place: Place, for who: Who) -> [(String, String)] {
        guard place == .lists || place == .whole else { return [] }
        let zone = place == .lists ? "Lists" : "Whole"
        switch who {
        case .ann: return [("database", "private"), ("zone", zone)]
        case .owner, .bootstrap:
            return [("database", "private"), ("zone", zone), ("owner", names[.ann] ?? "")]
        default: return [("database", "shared"), ("zone", zone), ("owner", names[.ann] ?? "")]
        }
    }

    func target(_ route: String, _ place: Place, for who: Who, _ more: [(String, String)] = []) -> String {
        let query = queryTarget("", parameters(place, for: who) + more).dropFirst("/query/".count)
        return route + query
    }

    // MARK: Records

    /// Saves records in one batch: each with its name and the JSON of its members besides type and name.
    func save(_ records: [(name: String, members: String)], _ place: Place, as who: Who) async throws {
        for start in stride(from: 0, to: records.count, by: 200) {
            let operations = records[start..<min(start + 200, records.count)].map { name, members in
                #"{"operationType":"forceReplace","record":{"recordType":"\#(place.type)","recordName":"\#(name)",\#(members)}}"#
            }
            let saved = try await expect(
                200, .post, target("/records", place, for: who), as: who,
                #"{"operations":[\#(operations.joined(separator: ","))]}"#)
            try #require(!saved.text.contains("serverErrorCode"), "\(saved.text.prefix(400))")
        }
    }

    // MARK: Setting up

    private func addCallers() async throws {
        for who in Who.users {
            let made = try await expect(
                201, .post, "/users", as: .anonymous, #"{"name":"\#(who.rawValue)","password":"correct horse"}"#)
            tokens[who] = try #require(made.json?["token"]?.string)
            names[who] = try #require(made.json?["user"]?["userRecordName"]?.string)
        }
        for who in Who.administrators {
            let credentials = #""name":"\#(who.rawValue)-1","password":"battery horse \#(who.rawValue)""#
            try await expect(
                201, .post, "/administrators", as: .bootstrap, #"{\#(credentials),"role":"\#(who.rawValue)"}"#)
            let session = try await expect(
                201, .post, "/administrators/sessions", as: .anonymous, "{\(credentials)}")
            tokens[who] = try #require(session.json?["token"]?.string)
        }
        for (who, scope) in [
            (Who.readOnlyKey, #"{"readOnly":true}"#), (.writingKey, #"{"actions":["read","create","write"]}"#),
            (.otherKey, #"{"types":["Other"],"readOnly":true}"#),
        ] {
            let made = try await expect(
                201, .post, "/keys", as: .bootstrap, #"{"name":"\#(who.rawValue)","scope":\#(scope)}"#)
            tokens[who] = try #require(made.json?["token"]?.string)
        }
        try await setEditors([.eve])
    }

    func setEditors(_ members: [Who]) async throws {
        let list = members.map { "\"\(names[$0] ?? "")\"" }.joined(separator: ",")
        let response = await call(.put, "/roles/editors", as: .bootstrap, body: #"{"members":[\#(list)]}"#)
        try #require([200, 201].contains(response.status), "\(response.text)")
    }

    private func addPlaces() async throws {
        try await expect(
            200, .put, "/schema", as: .bootstrap,
            """
            {"types":{
            "Plan":{"fields":{\(Self.fields)},
            "grants":{"_icloud":["CREATE"],"_creator":["READ","WRITE"],"editors":["READ","WRITE"]}},
            "Post":{"fields":{\(Self.fields)},"grants":{"_world":["READ"],"_icloud":["CREATE"],"_creator":["WRITE"]}},
            "Item":{"fields":{\(Self.fields)}},"Other":{"fields":{"title":{"type":"STRING"}}}}}
            """)
        for zone in ["Lists", "Whole"] { try await expect(201, .put, "/zones/\(zone)?database=private", as: .ann) }
        try await save([("root", #""fields":{"text":"root","title":"root"}"#)], .lists, as: .ann)
        for (place, root, participants) in [
            (Place.lists, #""forRecord":{"recordName":"root"},"#, [(Who.pat, "READ_WRITE"), (.rob, "READ_ONLY")]),
            (.whole, "", [(.zoe, "READ_ONLY")]),
        ] {
            let entries = participants.map {
                #"{"userRecordName":"\#(names[$0] ?? "")","permission":"\#($1)"}"#
            }
            let share = try await expect(
                201, .put, target("/records/cloudkit.share/share", place, for: .ann), as: .ann,
                #"{"fields":{},\#(root)"publicPermission":"NONE","participants":[\#(entries.joined(separator: ","))]}"#)
            let guid = try #require(share.json?["shortGUID"]?.string)
            for (who, _) in participants { try await expect(200, .post, "/shares/\(guid)/accept", as: who) }
        }
    }
}
