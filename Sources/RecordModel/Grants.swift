/// What a role may do with the records of a type (CloudKit's CREATE, READ, WRITE; WRITE covers update and delete).
package struct Permissions: OptionSet, Hashable, Sendable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    package static let create = Permissions(rawValue: 1)
    package static let read = Permissions(rawValue: 2)
    package static let write = Permissions(rawValue: 4)
    package static let all: Permissions = [.create, .read, .write]

    /// The words in the order in which the schema prints them.
    package var words: [String] {
        [(Permissions.create, "CREATE"), (.read, "READ"), (.write, "WRITE")].filter { contains($0.0) }.map(\.1)
    }

    package init?(word: String) {
        switch word {
        case "CREATE": self = .create
        case "READ": self = .read
        case "WRITE": self = .write
        default: return nil
        }
    }
}

/// The grants of one record type, by role. Purely additive: a caller has the union of what its roles have.
package struct Grants: Hashable, Sendable {
    package var byRole: [RoleName: Permissions] {
        didSet { builtIn = BuiltIn(byRole) }
    }
    /// What the built-in roles have, without a search: each read asks for it.
    private(set) var builtIn: BuiltIn

    package init(_ byRole: [RoleName: Permissions] = [:]) {
        self.byRole = byRole
        builtIn = BuiltIn(byRole)
    }

    /// What a type gets that appears just in time: anyone reads, the signed-in create, creators write.
    package static let standard = Grants([.world: .read, .authenticated: .create, .creator: .write])

    /// What the type of user records gets: they are their users' alone, until an operator opens them.
    package static let users = Grants([.creator: [.read, .write]])

    /// What a new type gets if nobody says otherwise.
    package static func standard(for type: RecordTypeName) -> Grants {
        type == .users ? .users : .standard
    }

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
