public import RecordModel
package import RecordWire

/// An access list: the principals that can read and write one record.
///
/// A user who is not on the list has no access, even if the user is the record's creator. Access also requires a grant
/// of the record type.
///
/// ```swift
/// try await database.create(post, access: [.everyone(.read), .user(ann, .readWrite), .role("editors", .write)])
/// ```
public struct RecordAccess: Hashable, Sendable, Codable {
    /// The rights by principal.
    private var rights: [String: UInt8] = [:]
    /// Rights that this client does not know, by principal. The client sends these rights back unchanged.
    private var others: [String: [String]]?

    /// Creates an empty list. With an empty list, only administrators can read and write the record.
    public init() {}

    /// A list with which only the creator can read and write the record.
    public static let onlyCreator = RecordAccess.creator(.readWrite)

    /// Returns a list that gives rights to everyone, including clients that are not signed in. The grants of the record
    /// type can restrict the access.
    public static func everyone(_ rights: AccessRights) -> RecordAccess { RecordAccess("*", rights) }

    /// Returns a list that gives rights to one user.
    ///
    /// - Parameters:
    ///   - recordName: The record name of the user, as in `User.recordName` and `RecordMetadata.creator`.
    ///   - rights: The rights: to read, to write, or both.
    public static func user(_ recordName: String, _ rights: AccessRights) -> RecordAccess {
        RecordAccess(recordName, rights)
    }

    /// Returns a list that gives rights to one user.
    public static func user(_ user: User, _ rights: AccessRights) -> RecordAccess {
        RecordAccess(user.recordName, rights)
    }

    /// Returns a list that gives rights to the users with a role.
    ///
    /// - Parameters:
    ///   - name: The name of the role, such as `editors`. The server rejects a list with a role or user that does not
    ///     exist.
    ///   - rights: The rights: to read, to write, or both.
    public static func role(_ name: String, _ rights: AccessRights) -> RecordAccess {
        RecordAccess("role:\(name)", rights)
    }

    /// Returns a list that gives rights to the record's creator. In responses, the list contains the creator's record
    /// name instead of `_creator`.
    public static func creator(_ rights: AccessRights) -> RecordAccess { RecordAccess("_creator", rights) }

    private init(_ principal: String, _ rights: AccessRights) {
        self[principal] = rights
    }

    /// Returns the list with the rights of another list added.
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

    /// The rights of a principal. Assigning an empty set removes the principal from the list.
    ///
    /// - Parameter principal: The principal as in the HTTP interface: `*` (everyone), a user's record name, `role:`
    ///   followed by a role name, or `_creator`.
    public subscript(principal: String) -> AccessRights {
        get { AccessRights(rawValue: rights[principal] ?? 0) }
        set {
            rights[principal] = newValue.isEmpty ? nil : newValue.rawValue
            if newValue.isEmpty { others?[principal] = nil }
        }
    }

    /// The principals in the list, as in the HTTP interface.
    public var principals: [String] { Set(rights.keys).union((others ?? [:]).keys).sorted() }

    /// Reads an access list from a response; `nil` if `tree` is not an object.
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

    /// The JSON of the list, in the format of write requests.
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

/// Combines lists: `[.everyone(.read), .role("editors", .write)]`.
extension RecordAccess: ExpressibleByArrayLiteral {
    public init(arrayLiteral elements: RecordAccess...) {
        for element in elements { formUnion(element) }
    }
}
