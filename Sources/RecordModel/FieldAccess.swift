/// The fields of a type that a caller may not read or write although the caller may read or write the records.
package struct FieldAccess: Hashable, Sendable {
    /// Two lists of field numbers in ascending order: for records that the caller created, and for records of others.
    package struct Fields: Hashable, Sendable {
        /// The fields in records that the caller did not create.
        package internal(set) var ofOthers: [Int] = []
        /// The fields in records that the caller created. Each of them is also in `ofOthers`, because the grants of
        /// `_creator` apply as well.
        package internal(set) var ofOwn: [Int] = []

        /// Creates lists that restrict nothing.
        package init() {}

        /// Returns the fields for one record.
        ///
        /// - Parameter isOwn: Whether the caller created the record.
        package func callAsFunction(isOwn: Bool) -> [Int] {
            isOwn ? ofOwn : ofOthers
        }
    }

    /// The fields that the caller may not read.
    package internal(set) var unreadable = Fields()
    /// The fields that the caller may not write.
    package internal(set) var unwritable = Fields()

    /// Computes the field access of anonymous callers and of signed-in callers without roles, for
    /// `RecordTypeDefinition.commonFieldAccess`.
    static func common(_ fields: [FieldDefinition]) -> [FieldAccess] {
        // Any user gives the same result, because `isOwn` is decided for each record.
        [Caller.anonymous, .user(.nobody, roles: [:])].map { Authorization.fields(fields, for: $0) }
    }
}

extension Authorization {
    /// Returns the fields of a type that a caller may not read or write.
    ///
    /// - Returns: `nil` if the field grants restrict nothing for the caller.
    package static func fields(
        of type: RecordTypeDefinition, for caller: Caller, in scope: DatabaseScope
    ) -> FieldAccess? {
        guard type.hasFieldGrants, fieldGrantsApply(to: caller, in: scope) else { return nil }
        return switch caller {
        case .user(_, let roles) where !roles.isEmpty: fields(type.fields, for: caller)
        case .participant(_, let roles, _) where !roles.isEmpty: fields(type.fields, for: caller)
        case .user, .participant: type.commonFieldAccess(isSignedIn: true)
        case .anonymous, .service, .administrator: type.commonFieldAccess(isSignedIn: false)
        }
    }

    /// Returns the field access of a caller to which grants apply, in the public database.
    static func fields(_ fields: [FieldDefinition], for caller: Caller) -> FieldAccess {
        var access = FieldAccess()
        for field in fields.sorted(by: { $0.id < $1.id }) {
            note(field.id, field.readers, for: caller, in: &access.unreadable)
            note(field.id, field.writers, for: caller, in: &access.unwritable)
        }
        return access
    }

    /// Whether grants on fields apply to a caller: in the public database, and to the participants of shares. The owner
    /// of a private database reads and writes all fields.
    private static func fieldGrantsApply(to caller: Caller, in scope: DatabaseScope) -> Bool {
        scope == .publicDatabase ? caller.isBoundByGrants : caller.participation != nil
    }

    /// Decides about one field of a record on which the caller may perform the action.
    ///
    /// - Parameters:
    ///   - roles: The roles with the grant; `nil` if the field has no grants.
    ///   - isOwn: Whether the caller created the record.
    package static func judge(
        _ caller: Caller, _ roles: Set<RoleName>?, isOwn: Bool, in scope: DatabaseScope
    ) -> FieldDecision {
        guard let roles, fieldGrantsApply(to: caller, in: scope) else { return .asRecord }
        if roles.contains(.world) { return .grant(.world) }
        let held: [RoleName: RoleID]
        switch caller {
        case .user(_, let roles), .participant(_, let roles, _): held = roles
        case .anonymous, .service, .administrator: return .noGrant
        }
        if roles.contains(.authenticated) { return .grant(.authenticated) }
        if isOwn, roles.contains(.creator) { return .grant(.creator) }
        return roles.first { held[$0] != nil }.map(FieldDecision.grant) ?? .noGrant
    }

    private static func note(
        _ field: Int, _ roles: Set<RoleName>?, for caller: Caller, in fields: inout FieldAccess.Fields
    ) {
        guard roles != nil else { return }
        if !judge(caller, roles, isOwn: false, in: .publicDatabase).isAllowed { fields.ofOthers.append(field) }
        if !judge(caller, roles, isOwn: true, in: .publicDatabase).isAllowed { fields.ofOwn.append(field) }
    }
}

extension RecordTypeDefinition {
    /// Returns the type without the hidden fields and the indexes on them, for a caller that must not learn about them.
    package func without(_ hidden: [Int]) -> RecordTypeDefinition {
        guard !hidden.isEmpty else { return self }
        var type = RecordTypeDefinition(
            id: id, name: name, grants: grants, fields: fields.filter { !hidden.contains($0.id) },
            hasAccessLists: hasAccessLists, defaultAccess: defaultAccess,
            requiresAccessLists: requiresAccessLists)
        type.hasPreservedDates = hasPreservedDates
        type.takeRenames(of: self)
        type.indexes = indexes.filter { index in
            index.columns.allSatisfy { column in
                if case .field(let id) = column.source { !hidden.contains(id) } else { true }
            }
        }
        return type
    }
}
