package import RecordModel

/// What a document says of the roles that read or write a field: `["_creator","editors"]`, `null` or nothing.
package enum RolesChange: Hashable, Sendable {
    /// What was there stays.
    case none
    /// The grants of the type decide again.
    case remove
    /// These roles alone; empty for administrators and services alone.
    case replace(Set<RoleName>)

    /// How a document prints what is there.
    init(_ roles: Set<RoleName>?) {
        self = roles.map(RolesChange.replace) ?? .none
    }

    /// - Parameter path: Where the value stands, for errors.
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

    /// The roles of one field: each is compared with the caller's at each request.
    private static let maxRoles = 32

    package static func json(_ roles: Set<RoleName>) -> JSONValue {
        .array(roles.map(\.text).sorted().map { .string($0) })
    }

    /// The roles, where there are some already.
    package func applied(to roles: Set<RoleName>?) -> Set<RoleName>? {
        switch self {
        case .none: roles
        case .remove: nil
        case .replace(let roles): roles
        }
    }
}
