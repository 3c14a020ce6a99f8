/// An authorization decision with the rule that led to it.
package struct ExplainedDecision: Hashable, Sendable {
    /// The decision, without the rule.
    package let decision: Decision
    /// The rule that led to the decision.
    package let rule: Rule

    init(_ decision: Decision, _ rule: Rule) {
        self.decision = decision
        self.rule = rule
    }

    /// The rule that allows or denies an action.
    package enum Rule: Hashable, Sendable {
        /// The administrator's role includes the permission.
        case role(AdministratorRole)
        case roleLacks(AdministratorRole)
        /// The scope of the API key includes the permission.
        case keyScope
        case outOfScope
        /// The caller owns the private database or is an administrator with the role owner.
        case privateDatabase
        case otherPrivateDatabase
        /// A share gives the caller the right in the zone.
        case sharedZone
        /// No share gives the caller the right.
        case notShared
        /// The type grants the permission to a role of the caller.
        case grant(RoleName)
        /// The caller may read the record because the caller created it.
        case creatorReads
        /// The type grants the permission to no role of the caller.
        case noGrant
        /// The caller has the permission only for its own records, and another user created this record.
        case notCreator
        /// The record's access list gives the permission to a principal that includes the caller.
        case listed(Principal)
        /// The record's access list does not give the permission to the caller.
        case unlisted
        /// The caller is signed in and may therefore upload files.
        case signedIn
        /// The caller may create or write records of a type that has an asset field.
        case typeWithAssets(RecordTypeName)
        case noTypeWithAssets
    }
}

/// The decision about a field, made by the field's grants.
package enum FieldDecision: Hashable, Sendable {
    /// The decision about the record applies, because the field has no grants or the grants do not apply to the caller.
    case asRecord
    case grant(RoleName)
    case noGrant

    /// Whether the grants allow the action on the field.
    package var isAllowed: Bool { self != .noGrant }
}
