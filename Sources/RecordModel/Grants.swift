/// The permissions of a role on the records of a type: CloudKit's CREATE, READ and WRITE. WRITE covers update and
/// delete.
package struct Permissions: OptionSet, Hashable, Sendable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    /// Permission to create records.
    package static let create = Permissions(rawValue: 1)
    /// Permission to read records.
    package static let read = Permissions(rawValue: 2)
    /// Permission to update and delete records.
    package static let write = Permissions(rawValue: 4)
    /// All three permissions.
    package static let all: Permissions = [.create, .read, .write]

    /// The words of the permissions, in the order in which the schema prints them.
    package var words: [String] {
        [(Permissions.create, "CREATE"), (.read, "READ"), (.write, "WRITE")].filter { contains($0.0) }.map(\.1)
    }

    /// Parses `CREATE`, `READ` or `WRITE`.
    package init?(word: String) {
        switch word {
        case "CREATE": self = .create
        case "READ": self = .read
        case "WRITE": self = .write
        default: return nil
        }
    }
}

/// The grants of one record type, by role. A caller has the union of the grants of its roles.
package struct Grants: Hashable, Sendable {
    /// The permissions by role.
    package var byRole: [RoleName: Permissions] {
        didSet { builtIn = BuiltIn(byRole) }
    }
    /// The permissions of the built-in roles, stored separately because each read needs them without a dictionary
    /// lookup.
    private(set) var builtIn: BuiltIn

    /// Creates grants by role.
    package init(_ byRole: [RoleName: Permissions] = [:]) {
        self.byRole = byRole
        builtIn = BuiltIn(byRole)
    }

    /// The grants of a type that a record creates just in time: `_world` may read, `_icloud` may create, `_creator` may
    /// write.
    package static let standard = Grants([.world: .read, .authenticated: .create, .creator: .write])

    /// The default grants of the type of user records: only the user may read and write the record.
    package static let users = Grants([.creator: [.read, .write]])

    /// Returns the default grants of a new type.
    package static func standard(for type: RecordTypeName) -> Grants {
        type == .users ? .users : .standard
    }

    /// The permissions of one role.
    package subscript(role: RoleName) -> Permissions {
        byRole[role] ?? []
    }

    struct BuiltIn: Hashable, Sendable {
        let world: Permissions
        let authenticated: Permissions
        let creator: Permissions

        init(_ byRole: [RoleName: Permissions]) {
            world = byRole[.world] ?? []
            authenticated = byRole[.authenticated] ?? []
            creator = byRole[.creator] ?? []
        }
    }
}
