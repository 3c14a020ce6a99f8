package import RecordModel

/// The change of a field's readers or writers that a document requests: `["_creator","editors"]`, `null`, or an absent
/// key.
package enum RolesChange: Hashable, Sendable {
    /// The key is absent: the roles do not change.
    case none
    /// The value is `null`: the roles are removed, so that the type's grants apply again.
    case remove
    /// The roles are replaced. An empty set permits administrators and services only.
    case replace(Set<RoleName>)

    /// Creates the change that results in the given roles.
    init(_ roles: Set<RoleName>?) {
        self = roles.map(RolesChange.replace) ?? .none
    }

    /// Reads `read` or `write` of a field in a schema document. An absent value (`nil`) means no change.
    ///
    /// - Parameter path: The path of the value, for error messages.
    /// - Throws: `BAD_REQUEST` with the path; cause `TOO_LARGE` for too many roles.
    init(_ value: JSONValue?, path: String) throws(RecordError) {
        guard let value else {
            self = .none
            return
        }
        if value == .null {
            self = .remove
            return
        }
        guard let names = value.array else {
            throw SchemaDocument.invalid("A list of roles was expected, or null where the type's grants decide", path)
        }
        var roles: Set<RoleName> = []
        for (position, name) in names.enumerated() {
            guard let role = name.string.flatMap(RoleName.init) else {
                throw SchemaDocument.invalid("This is no name of a role", "\(path)[\(position)]")
            }
            roles.insert(role)
        }
        if roles.count > Self.maxRoles { throw SchemaDocument.tooMany(Self.maxRoles, path) }
        self = .replace(roles)
    }

    /// The most roles of one field. Each request compares all of them with the caller's roles.
    private static let maxRoles = 32

    /// Returns roles as JSON, sorted by name.
    package static func json(_ roles: Set<RoleName>) -> JSONValue {
        .array(roles.map(\.text).sorted().map { .string($0) })
    }

    /// Returns the roles that result from applying the change.
    package func applied(to roles: Set<RoleName>?) -> Set<RoleName>? {
        switch self {
        case .none: roles
        case .remove: nil
        case .replace(let roles): roles
        }
    }
}
