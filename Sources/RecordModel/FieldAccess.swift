/// What a caller may do with the fields of a type, where that is less than it may do with its records.
package struct FieldAccess: Hashable, Sendable {
    /// The numbers of fields, ascending, by whose record it is.
    package struct Fields: Hashable, Sendable {
        /// Those in records that the caller did not create.
        package internal(set) var ofOthers: [Int] = []
        /// Those in records that it created: fewer, since `_creator` has its grants there as well.
        package internal(set) var ofOwn: [Int] = []

        package init() {}

        /// - Parameter isOwn: Whether the caller created the record.
        package func callAsFunction(isOwn: Bool) -> [Int] {
            isOwn ? ofOwn : ofOthers
        }
    }

    /// The fields that it does not read.
    package internal(set) var unreadable = Fields()
    /// The fields that it does not write.
    package internal(set) var unwritable = Fields()

    /// As `RecordTypeDefinition.commonFieldAccess` keeps it.
    static func common(_ fields: [FieldDefinition]) -> [FieldAccess] {
        // Which user it is does not matter: whose a record is, is judged when it is at hand.
        [Caller.anonymous, .user(.nobody, roles: [:])].map { Authorization.fields(fields, for: $0) }
    }
}

extension Authorization {
    /// What a caller may not do with the fields of a type.
    ///
    /// - Returns: `nil` if all is allowed that is with the records.
    package static func fields(
        of type: RecordTypeDefinition, for caller: Caller, in scope: DatabaseScope
    ) -> FieldAccess? {
        guard type.hasFieldGrants, scope == .publicDatabase, caller.isBoundByGrants else { return nil }
        return switch caller {
        case .user(_, let roles) where !roles.isEmpty: fields(type.fields, for: caller)
        case .user: type.commonFieldAccess(isSignedIn: true)
        case .anonymous, .service, .administrator: type.commonFieldAccess(isSignedIn: false)
        }
    }

    /// The same for a caller who is bound by grants, in the public database.
    static func fields(_ fields: [FieldDefinition], for caller: Caller) -> FieldAccess {
        var access = FieldAccess()
        for field in fields.sorted(by: { $0.id < $1.id }) {
            note(field.id, field.readers, for: caller, in: &access.unreadable)
            note(field.id, field.writers, for: caller, in: &access.unwritable)
        }
        return access
    }

    /// Judges one field of a record that the caller may do the same to.
    ///
    /// - Parameter isOwn: Whether the caller has created the record.
    package static func judge(
        _ caller: Caller, _ roles: Set<RoleName>?, isOwn: Bool, in scope: DatabaseScope
    ) -> FieldRuling {
        guard let roles, scope == .publicDatabase, caller.isBoundByGrants else { return .asRecord }
        if roles.contains(.world) { return .grant(.world) }
        guard case .user(_, let held) = caller else { return .noGrant }
        if roles.contains(.authenticated) { return .grant(.authenticated) }
        if isOwn, roles.contains(.creator) { return .grant(.creator) }
        return roles.first { held[$0] != nil }.map(FieldRuling.grant) ?? .noGrant
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
    /// The type as it is for somebody who does not know of some fields, nor of the indexes that hold them.
    package func without(_ hidden: [Int]) -> RecordTypeDefinition {
        guard !hidden.isEmpty else { return self }
        var type = RecordTypeDefinition(
            id: id, name: name, grants: grants, fields: fields.filter { !hidden.contains($0.id) },
            hasAccessLists: hasAccessLists, defaultAccess: defaultAccess,
            requiresAccessLists: requiresAccessLists)
        type.hasPreservedDates = hasPreservedDates
        type.indexes = indexes.filter { index in
            index.columns.allSatisfy { column in
                if case .field(let id) = column.source { !hidden.contains(id) } else { true }
            }
        }
        return type
    }
}
