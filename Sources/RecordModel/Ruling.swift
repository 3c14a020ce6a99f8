/// A decision with the rule that it comes from.
package struct Ruling: Hashable, Sendable {
    package let decision: Decision
    package let rule: Rule

    init(_ decision: Decision, _ rule: Rule) {
        self.decision = decision
        self.rule = rule
    }

    /// Why somebody may do something, or may not.
    package enum Rule: Hashable, Sendable {
        /// The administrator's role covers it.
        case role(AdministratorRole)
        case roleLacks(AdministratorRole)
        /// The scope of the key covers it.
        case keyScope
        case outOfScope
        /// The database is the caller's own, or the caller an owner of the server.
        case privateDatabase
        case otherPrivateDatabase
        /// The type grants it to a role that the caller holds.
        case grant(RoleName)
        /// Whoever created a record reads it.
        case creatorReads
        /// The type grants it to no role that the caller holds.
        case noGrant
        /// It is granted for the caller's own records, and this is another's.
        case notCreator
        /// The record's access list gives it to a principal that the caller is.
        case listed(Principal)
        /// The record has an access list which does not give it.
        case unlisted
        /// Whoever is signed in uploads files.
        case signedIn
        /// The caller may create or write records of a type that has assets.
        case typeWithAssets(RecordTypeName)
        case noTypeWithAssets
    }
}

/// What the grants of a field say.
package enum FieldRuling: Hashable, Sendable {
    /// The field has none, or they do not bind the caller: what holds for the record holds for it.
    case asRecord
    case grant(RoleName)
    case noGrant

    package var isAllowed: Bool { self != .noGrant }
}
