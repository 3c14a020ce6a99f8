public import RecordModel
package import RecordWire

/// Who may read and who may write one record. Whoever is not in the list has no right, not even its creator; the grants of
/// the type stay the fence around it.
///
/// ```swift
/// try await database.create(post, access: [.everyone(.read), .user(ann, .readWrite), .role("editors", .write)])
/// ```
public struct RecordAccess: Hashable, Sendable, Codable {
    /// The rights by principal.
    private var rights: [String: UInt8] = [:]
    /// Rights of a later version of the server, by principal: they go back as they came.
    private var others: [String: [String]]?

    /// A list with nobody in it: only administrators read and write the record.
    public init() {}

    /// The creator alone reads and writes.
    public static let onlyCreator = RecordAccess.creator(.readWrite)

    /// What everyone may do whom the grants of the type let do it, guests included.
    public static func everyone(_ rights: AccessRights) -> RecordAccess { RecordAccess("*", rights) }

    /// What one user may do.
    ///
    /// - Parameters:
    ///   - recordName: The record name of the user: `User.recordName`, `RecordMetadata.creator`.
    ///   - rights: To read, to write, or both.
    public static func user(_ recordName: String, _ rights: AccessRights) -> RecordAccess {
        RecordAccess(recordName, rights)
    }

    /// What one user may do.
    public static func user(_ user: User, _ rights: AccessRights) -> RecordAccess {
        RecordAccess(user.recordName, rights)
    }

    /// What those may do who have a role.
    ///
    /// - Parameters:
    ///   - name: Such as `editors`; a list that names a role or a user that is not there is refused.
    ///   - rights: To read, to write, or both.
    public static func role(_ name: String, _ rights: AccessRights) -> RecordAccess {
        RecordAccess("role:\(name)", rights)
    }

    /// What whoever makes the record may do. Answers show the creator by name.
    public static func creator(_ rights: AccessRights) -> RecordAccess { RecordAccess("_creator", rights) }

    private init(_ principal: String, _ rights: AccessRights) {
        self[principal] = rights
    }

    /// The list with the rights of another one added.
    public func union(_ other: RecordAccess) -> RecordAccess {
        var access = self
        access.formUnion(other)
        return access
    }

    /// Adds the rights of another list.
    public mutating func formUnion(_ other: RecordAccess) {
        rights.merge(other.rights) { $0 | $1 }
        if let theirs = other.others {
            others = (others ?? [:]).merging(theirs) { Set($0).union($1).sorted() }
        }
    }

    /// The rights of a principal; none takes it out of the list.
    ///
    /// - Parameter principal: As the interface writes it: `*` (everyone), a user's record name, `role:` with the name of a
    ///   role, or `_creator`.
    public subscript(principal: String) -> AccessRights {
        get { AccessRights(rawValue: rights[principal] ?? 0) }
        set {
            rights[principal] = newValue.isEmpty ? nil : newValue.rawValue
            if newValue.isEmpty { others?[principal] = nil }
        }
    }

    /// The principals in the list, as the interface writes them.
    public var principals: [String] { Set(rights.keys).union((others ?? [:]).keys).sorted() }

    /// Reads the list as answers have it; `nil` if it is none.
    package init?(tree: JSONValue) {
        guard case .object(let members) = tree else { return nil }
        for member in members.members {
            let words = member.value.array?.compactMap(\.string) ?? []
            var rights: AccessRights = []
            if words.contains("read") { rights.insert(.read) }
            if words.contains("write") { rights.insert(.write) }
            self[member.key] = rights
            let unknown = words.filter { $0 != "read" && $0 != "write" }
            if !unknown.isEmpty { others = (others ?? [:]).merging([member.key: unknown]) { $1 } }
        }
    }

    /// The list as writes have it.
    package var tree: JSONValue {
        .object(
            JSONObject(
                principals.map { principal in
                    let rights = self[principal]
                    var words: [JSONValue] = []
                    if rights.contains(.read) { words.append("read") }
                    if rights.contains(.write) { words.append("write") }
                    words += (others?[principal] ?? []).map(JSONValue.string)
                    return (principal, .array(words))
                }))
    }
}

/// Lists that are joined: `[.everyone(.read), .role("editors", .write)]`.
extension RecordAccess: ExpressibleByArrayLiteral {
    public init(arrayLiteral elements: RecordAccess...) {
        for element in elements { formUnion(element) }
    }
}
