extension Schema {
    /// Returns the types whose permissions differ from an earlier schema.
    ///
    /// A type that exists in only one of the schemas is compared with the standard grants for its name. A type that a
    /// record creates just in time gets these grants.
    package func changedRights(since before: Schema) -> [(before: RecordTypeDefinition, after: RecordTypeDefinition)] {
        Set(types.keys).union(before.types.keys).sorted().compactMap { name in
            guard let some = types[name] ?? before.types[name] else { return nil }
            let missing = RecordTypeDefinition(id: .unassigned, name: some.name, grants: .standard(for: some.name))
            let (old, new) = (before.types[name] ?? missing, types[name] ?? missing)
            return old.hasRights(of: new) ? nil : (old, new)
        }
    }
}

extension RecordTypeDefinition {
    /// Whether both types have the same grants, access list rules and field grants.
    fileprivate func hasRights(of other: RecordTypeDefinition) -> Bool {
        grants == other.grants && defaultAccess == other.defaultAccess
            && requiresAccessLists == other.requiresAccessLists && fieldRights == other.fieldRights
    }

    private var fieldRights: [FieldName: [Set<RoleName>?]] {
        Dictionary(uniqueKeysWithValues: fieldsWithGrants.map { ($0.name, [$0.readers, $0.writers]) })
    }

    /// The fields that have their own grants.
    package var fieldsWithGrants: [FieldDefinition] {
        fields.filter { $0.readers != nil || $0.writers != nil }
    }
}
