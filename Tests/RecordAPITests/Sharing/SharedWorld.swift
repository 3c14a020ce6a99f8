import HTTP
import RecordEngine
import RecordModel
import RecordWire
import TestSupport
import Testing

/// A database in which Ann shares records of her zone `Lists` with others.
///
/// The zone has the list `home` with the item `milk` and its note `fresh`, and the list `own` with the item `hidden`,
/// which is not shared. All texts of what is not shared contain `secret`.
final class SharedWorld {
    /// A person by its relation to the share.
    enum Person: String, CaseIterable, Sendable {
        /// Ann.
        case owner
        /// Has joined and may read.
        case reader
        /// Has joined and may write.
        case writer
        /// Is named and has not joined.
        case invited
        /// Had joined and was removed.
        case removed
        case stranger, anonymous
    }

    let database: TestDatabase
    private(set) var tokens: [Person: String] = [:]
    private(set) var names: [Person: String] = [:]
    private(set) var guid = ""

    /// The parameters of the zone for its owner, and for everyone else.
    func place(_ person: Person) -> String {
        person == .owner
            ? "database=private&zone=Lists" : "database=shared&zone=Lists&owner=\(names[.owner] ?? "")"
    }

    /// - Parameters:
    ///   - whole: Whether the whole zone is shared instead of the list `home`.
    ///   - publicPermission: The permission of everyone who has the link.
    static func make(
        whole: Bool = false, publicPermission: String = "NONE", limits: DatabaseLimits = DatabaseLimits()
    ) async throws -> SharedWorld {
        let world = SharedWorld(try await TestDatabase.make(limits: limits, withUsers: false))
        try await world.addPeople()
        try await world.addRecords()
        try await world.share(whole: whole, publicPermission: publicPermission)
        return world
    }

    private init(_ database: TestDatabase) { self.database = database }

    private func addPeople() async throws {
        for person in Person.allCases where person != .anonymous {
            let response = await database.call(
                .post, "/users", body: #"{"name":"\#(person.rawValue)","password":"correct horse"}"#)
            try #require(response.status == 201, "\(response.text)")
            tokens[person] = try #require(response.json?["token"]?.string)
            names[person] = try #require(response.json?["user"]?["userRecordName"]?.string)
        }
    }

    private func addRecords() async throws {
        let schema = await database.call(
            .put, "/schema", as: .administrator,
            body: """
                {"types":{"Item":{"fields":{"title":{"type":"STRING","indexes":["QUERYABLE","SORTABLE"]},
                "file":{"type":"ASSET"}}}}}
                """)
        try #require(schema.status == 200, "\(schema.text)")
        try #require(await call(.put, "/zones/Lists?database=private", as: .owner).status == 201)
        for (name, title, parent) in [
            ("home", "Home", nil), ("milk", "Milk", "home"), ("fresh", "Fresh", "milk"), ("own", "secret list", nil),
            ("hidden", "secret item", "own"),
        ] {
            try #require(await put(name, title, under: parent, as: .owner).status == 201)
        }
    }

    private func share(whole: Bool, publicPermission: String) async throws {
        let root = whole ? "" : #""forRecord":{"recordName":"home"},"#
        let participants = [
            (Person.reader, "READ_ONLY"), (.writer, "READ_WRITE"), (.invited, "READ_WRITE"), (.removed, "READ_WRITE"),
        ]
        .map { #"{"userRecordName":"\#(names[$0] ?? "")","permission":"\#($1)"}"# }
        let body = #"{"fields":{},\#(root)"publicPermission":"\#(publicPermission)","participants":["#
        let made = await call(
            .put, "/records/cloudkit.share/share?\(place(.owner))", as: .owner,
            body: body + participants.joined(separator: ",") + "]}")
        try #require(made.status == 201, "\(made.text)")
        guid = try #require(made.json?["shortGUID"]?.string)
        for person in [Person.reader, .writer, .removed] {
            let joined = await call(.post, "/shares/\(guid)/accept", as: person)
            try #require(joined.status == 200, "\(joined.text)")
        }
        let changed = await call(
            .put, "/records/cloudkit.share/share?\(place(.owner))", as: .owner,
            body: #"{"fields":{},"participants":["# + participants.dropLast().joined(separator: ",") + "]}")
        try #require(changed.status == 200, "\(changed.text)")
    }

    @discardableResult
    func call(_ method: HTTPMethod, _ target: String, as person: Person, body: String? = nil) async -> Response {
        guard let token = tokens[person] else { return await database.call(method, target, body: body) }
        return await database.call(method, target, token: token, body: body)
    }

    /// Saves an item.
    func put(_ name: String, _ title: String, under parent: String?, as person: Person) async -> Response {
        let parent = parent.map { #","parent":{"recordName":"\#($0)"}"# } ?? ""
        return await call(
            .put, "/records/Item/\(name)?\(place(person))", as: person,
            body: #"{"fields":{"title":"\#(title)"}\#(parent)}"#)
    }

    /// The names of the items that a person finds, in order; `nil` if the zone is not there.
    func items(of person: Person) async -> [String]? {
        let page = await call(.get, "/query/Item?\(place(person))&sort=title", as: person)
        guard page.status == 200 else { return nil }
        return page.json?["records"]?.array?.map { $0["recordName"]?.string ?? "?" }
    }
}
