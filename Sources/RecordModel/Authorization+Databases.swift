/// What concerns a database as a whole, before any record is at hand.
extension Authorization {
    /// The private databases that a caller may enter, for everything at once: `own` means its own.
    package static func privateReach(of caller: Caller) -> Reach {
        switch caller {
        case .user(let id, _): .own(id)
        case .administrator(let administrator): administrator.role == .owner ? .all : .none
        case .anonymous, .service: .none
        }
    }

    /// Whether a caller may use a private database, for everything at once.
    package static func mayEnterPrivateDatabase(_ caller: Caller, of owner: UserID) -> Bool {
        switch privateReach(of: caller) {
        case .all: true
        case .own(let id): id == owner
        case .none: false
        }
    }

    /// Judges whether a caller may enter a private database, and tells by which rule.
    package static func judgeEntering(_ caller: Caller, of owner: UserID) -> Ruling {
        mayEnterPrivateDatabase(caller, of: owner)
            ? Ruling(.allowed, .privateDatabase) : Ruling(refusal(of: caller), .otherPrivateDatabase)
    }

    /// Judges whether a caller may upload files for records of a database, and tells by which rule: it is signed in there,
    /// or may create or write a type that has assets.
    package static func judgeUploading(_ caller: Caller, to scope: DatabaseScope, schema: Schema) -> Ruling {
        if case .privateDatabase(let owner) = scope { return judgeEntering(caller, of: owner) }
        switch caller {
        case .user: return Ruling(.allowed, .signedIn)
        // An editor may upload before the first type has a field for it, as a user may.
        case .administrator(let administrator):
            let role = administrator.role
            return role.permissions.contains(.write)
                ? Ruling(.allowed, .role(role)) : Ruling(refusal(of: caller), .roleLacks(role))
        case .anonymous, .service:
            // The first by name, so that the same is told each time.
            let type = schema.types.values.filter { type in
                type.fields.contains { $0.type.element == .asset }
                    && [Action.create, .write].contains { reach(of: $0, for: caller, in: scope, type: type) != .none }
            }.min { $0.name.text < $1.name.text }
            guard let type else { return Ruling(refusal(of: caller), .noTypeWithAssets) }
            return Ruling(.allowed, .typeWithAssets(type.name))
        }
    }
}
