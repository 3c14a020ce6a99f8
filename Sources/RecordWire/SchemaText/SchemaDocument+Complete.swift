package import RecordModel

extension SchemaDocument {
    /// The document in the form that texts of the schema language have: it states everything, so nothing stays as it is
    /// when the document replaces a schema. Fields, indexes and types are sorted, and index builds and type changes count
    /// as finished.
    ///
    /// The documents of two schemas are equal in this form if and only if the schemas differ at most in their numbers,
    /// and in the order in which their definitions were created.
    package var complete: SchemaDocument {
        var document = withoutProgress
        for position in document.types.indices { document.types[position].complete() }
        document.types.sort { $0.name.text < $1.name.text }
        document.roles.formUnion(document.types.flatMap(\.namedRoles))
        return document
    }
}

extension SchemaDocument {
    /// The document with what another schema has besides, so that a replacement of that schema removes nothing. It names
    /// the roles that it needs.
    package func adding(to schema: Schema) -> SchemaDocument {
        var document = withoutProgress
        for known in SchemaDocument(schema).withoutProgress.types {
            guard let position = document.types.firstIndex(where: { $0.name == known.name }) else {
                document.types.append(known)
                continue
            }
            let names = Set(document.types[position].fields.map(\.name))
            document.types[position].fields += known.fields.filter { !names.contains($0.name) }
        }
        document.roles.formUnion(document.types.flatMap(\.namedRoles))
        return document
    }
}

extension SchemaDocument.TypeEntry {
    fileprivate mutating func complete() {
        for position in fields.indices {
            fields[position].options = fields[position].options ?? []
            fields[position].former = fields[position].former ?? []
            if fields[position].readers == .none { fields[position].readers = .remove }
            if fields[position].writers == .none { fields[position].writers = .remove }
        }
        fields.sort { $0.name.text < $1.name.text }
        sortIndexes()
        grants = grants ?? Grants()
        former = former ?? []
        if access == .none { access = .remove }
        requiresAccess = requiresAccess ?? false
        keepsOtherIndexes = false
    }

    /// Brings the indexes into the order of their JSON.
    mutating func sortIndexes() {
        indexes = (indexes ?? []).map { ($0, $0.json.bytes) }
            .sorted { $0.1.lexicographicallyPrecedes($1.1) }.map(\.0)
    }

    /// The custom roles that the entry names.
    fileprivate var namedRoles: [RoleName] {
        var roles = Array((grants ?? Grants()).byRole.keys)
        for field in fields {
            for case .replace(let names) in [field.readers, field.writers] { roles += names }
        }
        if case .replace(let template) = access {
            for case .role(let name) in template.entries.map(\.name) { roles.append(name) }
        }
        return roles.filter { !$0.isBuiltIn }
    }
}
