internal import Encodings
internal import RecordModel
internal import RecordWire

/// An object of an export of Parse Server or NCMB, without the keys that these servers set.
struct ForeignObject {
    /// An entry of an access list.
    struct Access {
        enum Principal: Hashable {
            case everyone
            case user(String)
            case role(String)
        }

        var principal: Principal
        var rights: AccessRights
    }

    var id: String
    /// Milliseconds since 1970.
    var created: Int64?
    var modified: Int64?
    /// The access list; `nil` for none, which lets everyone read and write.
    var access: [Access]?
    var fields: [(name: String, value: ForeignValue)] = []
    /// Of a user: the names by which it may sign in, the best one first.
    var userNames: [String] = []
    /// Of a user: a hash of the password.
    var password: String?
    /// Of a user: whether it signs in by other services too.
    var hasOtherSignIns = false
    /// Of a role: its name.
    var roleName: String?
    /// Of a role: the identifiers of users and roles that are members, where the object has them.
    var users: [String] = []
    var roles: [String] = []
}

/// Why an object makes no record: a sentence without a period.
struct ObjectProblem: Error {
    let reason: String

    static let noID = ObjectProblem(reason: "the object has no objectId")
}

extension JSONValue {
    /// Whether a value of `authData` has a sign-in with another service.
    var hasSignIns: Bool { !isNull && object?.count != 0 }
}

/// What distinguishes the exports of Parse Server and NCMB.
protocol ObjectDialect {
    /// The name of the source, which makes the record names of accounts: `parse` or `ncmb`.
    var scope: String { get }
    /// The name of the class of users.
    var userClass: String { get }
    /// The name of the class of roles.
    var roleClass: String { get }
    /// The fields of users that only the server sets.
    var protectedUserFields: Set<String> { get }

    /// Returns why objects of a class are left out; `nil` for a class of records.
    func reasonToSkip(_ className: String) -> String?

    /// Reads an object.
    ///
    /// - Parameter declared: The types of the fields of the class, in the words of the source.
    func read(
        _ object: JSONObject, of className: String, declared: [String: DeclaredField]
    ) throws(ObjectProblem) -> ForeignObject
}

/// The type of a field in the schema of Parse Server.
struct DeclaredField: Hashable {
    enum Kind: String {
        case string, number, boolean, date, object, array, geopoint, file, bytes, polygon, pointer, relation
    }

    var kind: Kind
    /// The class of a pointer or relation.
    var target: String?

    /// The type of a field without values.
    var type: FieldType {
        switch kind {
        case .string, .object, .polygon: .string
        case .number: .double
        case .boolean: .int64
        case .date: .timestamp
        case .array: .stringList
        case .geopoint: .location
        case .file: .asset
        case .bytes: .bytes
        case .pointer: .reference
        case .relation: .referenceList
        }
    }
}

// MARK: Values

extension ForeignValue {
    /// Reads a value with the markers of Parse Server and NCMB (`__type`), and those of MongoDB's Extended JSON (`$date`).
    init(marked source: JSONValue) {
        self.init(content: Self.content(source), source: source)
    }

    private static func content(_ source: JSONValue) -> Content {
        switch source {
        case .null: return .null
        case .bool(let value): return .bool(value)
        case .integer(let value): return .integer(value)
        case .double(let value): return .double(value)
        case .string(let value): return .text(value)
        case .array(let values): return .list(values.map(ForeignValue.init(marked:)))
        case .object(let object):
            if let marker = object["__type"]?.string { return marked(marker, object) }
            if let key = object.members.first?.key, key.hasPrefix("$") { return extended(object) ?? .json }
            return .json
        }
    }

    private static func marked(_ marker: String, _ object: JSONObject) -> Content {
        switch marker {
        case "Date":
            guard let text = object["iso"]?.string, let time = try? Timestamp.read(text, takesDates: true) else {
                return .invalid("dates that cannot be read were left out")
            }
            return .date(time)
        case "Pointer", "Object":
            guard let className = object["className"]?.string, let id = object["objectId"]?.string else {
                return marker == "Object" ? .json : .invalid("pointers without className or objectId were left out")
            }
            return .reference(className: className, id: id)
        case "GeoPoint": return place(object["latitude"]?.double, object["longitude"]?.double)
        case "Bytes": return bytes(object["base64"]?.string)
        case "File":
            guard let name = object["name"]?.string else { return .invalid("files without a name were left out") }
            return .file(name: name, url: object["url"]?.string)
        case "Relation": return .relation(className: object["className"]?.string ?? "")
        default: return .json
        }
    }

    static func place(_ latitude: Double?, _ longitude: Double?) -> Content {
        guard let latitude, let longitude, (-90...90).contains(latitude), (-180...180).contains(longitude) else {
            return .invalid("places that are not on the earth were left out")
        }
        return .place(latitude: latitude, longitude: longitude)
    }

    private static func bytes(_ text: String?) -> Content {
        guard let text, let bytes = Base64.decode(text) else {
            return .invalid("bytes that are no base64 were left out")
        }
        return .bytes(Base64.encode(bytes))
    }

    /// Reads a value of MongoDB's Extended JSON (version 2, and the older dates and binaries); `nil` for other objects.
    private static func extended(_ object: JSONObject) -> Content? {
        guard let (key, value) = object.members.first.map({ ($0.key, $0.value) }) else { return nil }
        switch key {
        case "$date":
            if let text = value.string {
                guard let time = try? Timestamp.read(text, takesDates: true) else {
                    return .invalid("dates that cannot be read were left out")
                }
                return .date(time)
            }
            let time = value.integer ?? value["$numberLong"]?.string.flatMap { Int64($0) }
            return time.map(Content.date) ?? .invalid("dates that cannot be read were left out")
        case "$oid": return value.string.map(Content.text)
        case "$numberLong", "$numberInt":
            return value.string.flatMap { Int64($0) }.map(Content.integer)
                ?? .invalid("numbers that cannot be read were left out")
        case "$numberDouble":
            guard let number = value.string.flatMap({ Double($0) }), number.isFinite else {
                return .invalid("NaN and infinite numbers were left out")
            }
            return .double(number)
        case "$numberDecimal": return value.string.map(Content.text)
        case "$binary": return bytes(value.string ?? value["base64"]?.string)
        case "$undefined", "$minKey", "$maxKey": return .null
        default: return nil
        }
    }

    /// A time in milliseconds since 1970 as a server sets it: a text, or a marked date; `nil` for anything else.
    static func time(_ source: JSONValue?) -> Int64? {
        guard let source else { return nil }
        if let text = source.string { return try? Timestamp.read(text) }
        if case .date(let time) = ForeignValue(marked: source).content { return time }
        return nil
    }
}

extension ObjectDialect {
    /// Why devices and their messages are left out.
    func belongsToPushService(_ what: String) -> String { "\(what) belong to the push service of the source" }
}
