/// Decisions about a database as a whole, made before a record is read.
extension Authorization {
    /// Returns the private databases that a caller may use. The result `own` means the caller's own database.
    package static func privatePermitted(of caller: Caller) -> PermittedRecords {
        switch caller {
        case .user(let id, _): .own(id)
        case .administrator(let administrator): administrator.role == .owner ? .all : .none
        case .anonymous, .participant, .service: .none
        }
    }

    /// Returns whether a caller may use a database, or the zone of it that is shared with the caller. The caller of a
    /// shared zone was looked up for the zone that the request addresses.
    package static func mayEnter(_ caller: Caller, _ scope: DatabaseScope) -> Bool {
        guard case .privateDatabase(let owner) = scope else { return true }
        return caller.participation?.owner == owner || mayEnterPrivateDatabase(caller, of: owner)
    }

    /// Returns whether a caller may use the private database of an account as its owner.
    package static func mayEnterPrivateDatabase(_ caller: Caller, of owner: UserID) -> Bool {
        switch privatePermitted(of: caller) {
        case .all: true
        case .own(let id): id == owner
        case .none: false
        }
    }

    /// Returns whether a caller may read what another caller sees. The response never shows more than the caller may read
    /// itself: administrators read all records of the public database, and owners those of private databases.
    package static func mayReadAsOthers(_ caller: Caller, inPublicDatabase isPublic: Bool) -> Bool {
        guard case .administrator(let administrator) = caller else { return false }
        return isPublic ? administrator.role.permissions.contains(.read) : administrator.role == .owner
    }

    /// Decides whether a caller may use the private database of an account. The result contains the rule that led to
    /// the decision.
    package static func judgeEntering(_ caller: Caller, of owner: UserID) -> ExplainedDecision {
        if let participation = caller.participation {
            return participation.owner == owner
                ? ExplainedDecision(.allowed, .sharedZone) : ExplainedDecision(.denied, .notShared)
        }
        return judgeEnteringAsOwner(caller, of: owner)
    }

    private static func judgeEnteringAsOwner(_ caller: Caller, of owner: UserID) -> ExplainedDecision {
        mayEnterPrivateDatabase(caller, of: owner)
            ? ExplainedDecision(.allowed, .privateDatabase)
            : ExplainedDecision(rejection(of: caller), .otherPrivateDatabase)
    }

    /// Decides whether a caller may upload files for records of a database. The result contains the rule that led to
    /// the decision.
    ///
    /// In the public database, a signed-in user may upload. An administrator whose role has WRITE may upload too. Any
    /// other caller needs CREATE or WRITE on a type with an asset field.
    package static func judgeUploading(_ caller: Caller, to scope: DatabaseScope, schema: Schema) -> ExplainedDecision {
        if case .privateDatabase(let owner) = scope {
            guard let participation = caller.participation else { return judgeEntering(caller, of: owner) }
            let mayWrite = participation.whole.contains(.write) || !participation.principals(with: .write).isEmpty
            return participation.owner == owner && mayWrite
                ? ExplainedDecision(.allowed, .sharedZone) : ExplainedDecision(.denied, .notShared)
        }
        switch caller {
        case .user, .participant: return ExplainedDecision(.allowed, .signedIn)
        // Like a user, an editor may upload before any type has an asset field.
        case .administrator(let administrator):
            let role = administrator.role
            return role.permissions.contains(.write)
                ? ExplainedDecision(.allowed, .role(role)) : ExplainedDecision(rejection(of: caller), .roleLacks(role))
        case .anonymous, .service:
            // Choose the type whose name sorts first, so that each request reports the same rule.
            let type = schema.types.values.filter { type in
                type.fields.contains { $0.type.element == .asset }
                    && [Action.create, .write].contains {
                        permitted(of: $0, for: caller, in: scope, type: type) != .none
                    }
            }.min { $0.name.text < $1.name.text }
            guard let type else { return ExplainedDecision(rejection(of: caller), .noTypeWithAssets) }
            return ExplainedDecision(.allowed, .typeWithAssets(type.name))
        }
    }
}
