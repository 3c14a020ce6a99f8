internal import RecordModel
internal import RecordStorage

/// Creates the sentences that explain decisions.
extension AccessExplainer {
    /// Returns the explanation of a decision about a record or a database.
    ///
    /// - Parameters:
    ///   - action: The action on records of a type; `nil` for an action on a database as a whole.
    ///   - isForAnyRecord: Whether the question names no record.
    func step(
        _ explained: ExplainedDecision, _ action: (deed: Action, type: RecordTypeDefinition)? = nil,
        isForAnyRecord: Bool = false
    ) throws(RecordError) -> AccessExplanation.Step {
        let right = action?.deed.permission.words.joined() ?? ""
        let type = action?.type.name.text ?? ""
        let (rule, reason) =
            switch explained.rule {
            case .role(let role): ("ADMINISTRATOR", "The role \(role.rawValue) of administrators covers it")
            case .roleLacks(let role):
                ("ADMINISTRATOR", "The role \(role.rawValue) of administrators does not cover it")
            case .keyScope: ("KEY_SCOPE", "The scope of the key covers it")
            case .outOfScope: ("KEY_SCOPE", "The scope of the key does not cover it")
            case .privateDatabase:
                ("PRIVATE_DATABASE", "The database is the caller's own, or it is an owner of the server")
            case .otherPrivateDatabase: ("PRIVATE_DATABASE", "A private database is its owner's alone")
            case .sharedZone: ("SHARE", "A share of the zone gives it to the caller")
            case .notShared: ("SHARE", "No share of the zone gives it to the caller")
            case .grant(.creator): ("GRANT", "\(type) grants \(right) to _creator" + own(isForAnyRecord))
            case .grant(let role): ("GRANT", "\(type) grants \(right) to \(role)")
            case .creatorReads: ("CREATOR", "The creator of a record reads it" + own(isForAnyRecord))
            case .noGrant: ("NO_GRANT", "\(type) grants \(right) to no role that the caller holds")
            case .notCreator:
                ("NOT_CREATOR", "\(type) lets the caller do it to its own records, and this is another's")
            case .listed(let giver): ("ACCESS_LIST", "The record's access list gives it to \(try listed(giver))")
            case .unlisted: ("ACCESS_LIST", "The record has an access list, which does not give it to the caller")
            case .signedIn: ("SIGNED_IN", "Signed-in users upload files")
            case .typeWithAssets(let type):
                ("TYPE_WITH_ASSETS", "The caller may create or write records of \(type), which has a field for files")
            case .noTypeWithAssets:
                ("TYPE_WITH_ASSETS", "The caller may neither create nor write records of a type with a field for files")
            }
        return AccessExplanation.Step(rule: rule, isAllowed: explained.decision == .allowed, reason: reason)
    }

    /// Returns the explanation of a decision about a field.
    func step(
        _ explained: FieldDecision, _ action: Action, _ field: FieldDefinition, for caller: Caller,
        in scope: DatabaseScope
    ) -> AccessExplanation.Step {
        let verb = action == .read ? "read" : "write"
        let reason =
            switch explained {
            case .asRecord:
                if (action == .read ? field.readers : field.writers) == nil {
                    "The field \(field.name) has no roles of its own to \(verb) it"
                } else if scope != .publicDatabase {
                    "In a private database fields have no roles to \(verb) them"
                } else if case .service = caller {
                    "Keys are not bound by fields' grants, such as those of \(field.name)"
                } else {
                    "Administrators are not bound by fields' grants, such as those of \(field.name)"
                }
            case .grant(let role): "The field \(field.name) is for \(role) to \(verb)"
            case .noGrant: "The caller has no role that may \(verb) the field \(field.name)"
            }
        return AccessExplanation.Step(rule: "FIELD_GRANT", isAllowed: explained.isAllowed, reason: reason)
    }

    private func own(_ isForAnyRecord: Bool) -> String {
        isForAnyRecord ? ": its own records only, and those whose access lists name it" : ""
    }

    private func listed(_ principal: Principal) throws(RecordError) -> String {
        try reader.name(of: principal) ?? "a role that is gone"
    }
}
