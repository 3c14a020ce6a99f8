extension Schema {
    /// The types whose rights are not what they were; of new ones and of those that went, not what a type gets that
    /// appears just in time: that is what one of this name has that comes again.
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
    /// Whether a schema says the same of who may do what with the records of both.
    fileprivate func hasRights(of other: RecordTypeDefinition) -> Bool {
        grants == other.grants && defaultAccess == other.defaultAccess
            && requiresAccessLists == other.requiresAccessLists && fieldRights == other.fieldRights
    }

    private var fieldRights: [FieldName: [Set<RoleName>?]] {
        Dictionary(uniqueKeysWithValues: fieldsWithGrants.map { ($0.name, [$0.readers, $0.writers]) })
    }

    /// The fields with grants of their own.
    package var fieldsWithGrants: [FieldDefinition] {
        fields.filter { $0.readers != nil || $0.writers != nil }
    }
}
