package import RecordModel

/// The stored schema: record types, fields and grants.
///
/// Its functions throw INTERNAL_ERROR or TRY_AGAIN_LATER if the store fails.
package final class SchemaTable {
    private let connection: Connection

    /// Uses `connection` for all reads and writes.
    package init(_ connection: Connection) {
        self.connection = connection
    }

    /// Reads all record types with their fields and grants.
    ///
    /// - Parameter version: The version number for the returned schema.
    package func load(version: Int64) throws(RecordError) -> Schema {
        var grants: [TypeID: Grants] = [:]
        let grantRows = try connection.prepare("SELECT type, role, permissions FROM type_grant").rows { row in
            (type: row.next(TypeID.self), role: RoleName(row.next()), permissions: Permissions(rawValue: row.next()))
        }
        for row in grantRows {
            if let role = row.role { grants[row.type, default: Grants()].byRole[role] = row.permissions }
        }
        // The doctor also reads files with an older layout.
        let applied = try Migrations.applied(on: connection)
        let lists = applied >= Migrations.withAccessLists ? "has_lists, default_acl" : "0, NULL"
        let required = applied >= Migrations.withRequiredLists ? "acl_required" : "0"
        let preserved = applied >= Migrations.withPreservedDates ? "has_preserved" : "0"
        let fields = try fields(applied: applied)
        let indexes = try applied >= Migrations.withIndexes ? IndexDefinitionTable(connection).load() : [:]
        let hasRenames = applied >= Migrations.withRenames
        let former = hasRenames ? try formerFieldNames() : [:]
        let renames = hasRenames ? "former, renamed, renaming IS NOT NULL" : "NULL, 0, 0"
        let types = try connection.prepare(
            "SELECT id, name, \(lists), \(required), \(preserved), \(renames) FROM type ORDER BY id"
        ).rows { row -> RecordTypeDefinition? in
            let id = row.next(TypeID.self)
            guard let name = RecordTypeName(row.next()) else { return nil }
            var type = RecordTypeDefinition(
                id: id, name: name, grants: grants[id] ?? Grants(), fields: fields[id] ?? [],
                indexes: indexes[id] ?? [], hasAccessLists: row.next(),
                // A damaged template grants nothing.
                defaultAccess: row.next(String?.self).map {
                    AccessTemplate(stored: $0) ?? AccessTemplate(entries: [])
                },
                requiresAccessLists: row.next())
            type.hasPreservedDates = row.next()
            var renames = TypeRenames()
            renames.type = Self.names(row.next()).compactMap(RecordTypeName.init)
            renames.sequence = row.next()
            renames.isPending = row.next()
            renames.fields = former[id] ?? [:]
            if renames != TypeRenames() { type.renames = renames }
            return type
        }
        return Schema(version: version, types: types.compactMap(\.self))
    }

    /// Returns the fields of each type.
    ///
    /// - Parameter applied: The number of migrations that the file has.
    private func fields(applied: Int) throws(RecordError) -> [TypeID: [FieldDefinition]] {
        let options = applied >= Migrations.withIndexes ? "options" : "0"
        let grants = applied >= Migrations.withFieldGrants ? "readers, writers" : "NULL, NULL"
        let rows = try connection.prepare(
            "SELECT type, id, name, kind, \(options), \(grants) FROM field ORDER BY type, id"
        ).rows { row -> (type: TypeID, field: FieldDefinition?) in
            let (type, id) = (row.next(TypeID.self), row.next(Int.self))
            guard let name = FieldName(row.next()), let kind = FieldType(rawValue: row.next()) else {
                return (type, nil)
            }
            return (
                type,
                FieldDefinition(
                    id: id, name: name, type: kind, options: IndexOptions(rawValue: row.next()),
                    readers: Self.roles(row.next()), writers: Self.roles(row.next()))
            )
        }
        var fields: [TypeID: [FieldDefinition]] = [:]
        for (type, field) in rows {
            if let field { fields[type, default: []].append(field) }
        }
        return fields
    }

    /// Returns the earlier names of fields, by type and number.
    private func formerFieldNames() throws(RecordError) -> [TypeID: [Int: [FieldName]]] {
        let rows = try connection.prepare("SELECT type, id, former FROM field WHERE former IS NOT NULL").rows { row in
            (type: row.next(TypeID.self), id: row.next(Int.self), names: Self.names(row.next()))
        }
        var names: [TypeID: [Int: [FieldName]]] = [:]
        for row in rows { names[row.type, default: [:]][row.id] = row.names.compactMap(FieldName.init) }
        return names
    }

    /// Parses a list of names, separated by spaces.
    private static func names(_ stored: String?) -> [String] {
        (stored ?? "").split(separator: " ").map { String($0) }
    }

    /// Returns names in the form of the store.
    private static func stored(_ names: [String]) -> String? { names.isEmpty ? nil : names.joined(separator: " ") }

    // MARK: Renames

    /// Stores the names of types. Types may exchange names.
    ///
    /// - Parameter sequence: The sequence number of the change. It is stored for types whose name changes.
    package func rename(
        _ types: [(type: TypeID, rename: SchemaStep.TypeRename)], sequence: Int64
    ) throws(RecordError) {
        // No name may stand twice in the table, not even between two statements. No name has a colon.
        let clear = connection.prepare("UPDATE type SET name = ':' || id WHERE id = ?1")
        for (type, _) in types { try clear.with(type).run() }
        let update = connection.prepare(
            "UPDATE type SET name = ?2, former = ?3, renamed = max(renamed, ?4) WHERE id = ?1")
        for (type, rename) in types {
            try update.with(
                type, rename.to.text, Self.stored(rename.former.map(\.text)), rename.from == rename.to ? 0 : sequence
            ).run()
        }
    }

    /// Stores the names of fields. Fields may exchange names.
    package func rename(_ fields: [SchemaStep.FieldRename], type: TypeID) throws(RecordError) {
        let clear = connection.prepare("UPDATE field SET name = ':' || id WHERE type = ?1 AND id = ?2")
        for field in fields { try clear.with(type, field.id).run() }
        let update = connection.prepare("UPDATE field SET name = ?3, former = ?4 WHERE type = ?1 AND id = ?2")
        for field in fields {
            try update.with(type, field.id, field.to.text, Self.stored(field.former.map(\.text))).run()
        }
    }

    /// Stores that fields of a type were renamed at `sequence`, so that all its records must be rewritten.
    package func beginRenaming(type: TypeID, sequence: Int64) throws(RecordError) {
        try connection.prepare("UPDATE type SET renamed = ?2, renaming = 0 WHERE id = ?1").with(type, sequence).run()
    }

    /// Stores the number of the last record of a type that was rewritten; `nil` if all have the new names.
    package func setRenaming(_ position: RecordNumber?, type: TypeID) throws(RecordError) {
        try connection.prepare("UPDATE type SET renaming = ?2 WHERE id = ?1").with(type, position?.rawValue).run()
    }

    /// Returns the type with the lowest number whose records must be rewritten, and the last record that was; `nil` if
    /// there is none.
    package func firstRenaming() throws(RecordError) -> (type: TypeID, position: RecordNumber)? {
        try connection.prepare("SELECT id, renaming FROM type WHERE renaming IS NOT NULL ORDER BY id LIMIT 1").row {
            (type: $0.next(), position: $0.next())
        }
    }

    /// Parses a list of roles, separated by spaces. An invalid name grants nothing.
    private static func roles(_ stored: String?) -> Set<RoleName>? {
        stored.map { Set($0.split(separator: " ").compactMap { RoleName(String($0)) }) }
    }

    /// Replaces the roles that can read and write a field.
    package func setGrants(of field: FieldDefinition, type: TypeID) throws(RecordError) {
        func stored(_ roles: Set<RoleName>?) -> String? {
            roles?.map(\.text).sorted().joined(separator: " ")
        }
        try connection.prepare("UPDATE field SET readers = ?3, writers = ?4 WHERE type = ?1 AND id = ?2")
            .with(type, field.id, stored(field.readers), stored(field.writers)).run()
    }

    /// Adds a type without fields and grants.
    ///
    /// - Returns: The ID of the new type.
    package func addType(_ name: RecordTypeName) throws(RecordError) -> TypeID {
        try connection.prepare("INSERT INTO type (name) VALUES (?1) RETURNING id").with(name.text).returnedID()
    }

    /// Stores that records of a type can have access lists.
    package func setHasLists(type: TypeID) throws(RecordError) {
        try connection.prepare("UPDATE type SET has_lists = 1 WHERE id = ?1").with(type).run()
    }

    /// Stores that the order of a type's record numbers is not the order of creation times.
    package func setHasPreservedDates(type: TypeID) throws(RecordError) {
        try connection.prepare("UPDATE type SET has_preserved = 1 WHERE id = ?1").with(type).run()
    }

    /// Stores the access list that new records of a type get by default; `nil` for none.
    package func setDefaultAccess(_ access: AccessTemplate?, type: TypeID) throws(RecordError) {
        try connection.prepare("UPDATE type SET default_acl = ?2 WHERE id = ?1").with(type, access?.stored).run()
    }

    /// Stores whether records of a type must have an access list.
    package func setRequiresLists(_ isRequired: Bool, type: TypeID) throws(RecordError) {
        try connection.prepare("UPDATE type SET acl_required = ?2 WHERE id = ?1").with(type, isRequired).run()
    }

    /// Adds a field to a type.
    package func addField(_ field: FieldDefinition, type: TypeID) throws(RecordError) {
        try connection.prepare(
            "INSERT INTO field (type, id, name, kind, options) VALUES (?1, ?2, ?3, ?4, ?5)"
        ).with(type, field.id, field.name.text, field.type.rawValue, field.options.rawValue).run()
    }

    /// Changes the type of a field. Stored records are not changed.
    package func setType(of field: FieldDefinition, type: TypeID) throws(RecordError) {
        try connection.prepare("UPDATE field SET kind = ?3 WHERE type = ?1 AND id = ?2").with(
            type, field.id, field.type.rawValue
        ).run()
    }

    /// Stores the index options of a field.
    package func setOptions(_ options: IndexOptions, field: Int, type: TypeID) throws(RecordError) {
        try connection.prepare("UPDATE field SET options = ?3 WHERE type = ?1 AND id = ?2").with(
            type, field, options.rawValue
        ).run()
    }

    /// Replaces the grants of a type.
    ///
    /// - Parameter sequence: The sequence number of the change; 0 for a new type.
    package func setGrants(_ grants: Grants, type: TypeID, sequence: Int64) throws(RecordError) {
        try connection.prepare("DELETE FROM type_grant WHERE type = ?1").with(type).run()
        let insert = connection.prepare("INSERT INTO type_grant (type, role, permissions) VALUES (?1, ?2, ?3)")
        for (role, permissions) in grants.byRole where !permissions.isEmpty {
            try insert.with(type, role.text, permissions.rawValue).run()
        }
        try markGranted(type: type, sequence: sequence)
    }

    /// Stores that the read permissions for a type changed at `sequence`. The server then rejects older sync tokens.
    package func markGranted(type: TypeID, sequence: Int64) throws(RecordError) {
        try connection.prepare("UPDATE type SET granted = ?2 WHERE id = ?1").with(type, sequence).run()
    }

    /// Deletes a type with its fields, grants and indexes, and the tombstones of its records. The change feed cannot
    /// report these deletions, so the server rejects sync tokens from before the deletion (`purged`). The index tables
    /// are deleted later, in slices.
    package func removeType(_ type: TypeID) throws(RecordError) {
        for sql: SQL in [
            """
            WITH gone (zone, sequence) AS (
                SELECT zone, max(sequence) FROM record WHERE type = ?1 AND deleted = 1 GROUP BY zone)
            UPDATE zone SET purged = max(purged, (SELECT sequence FROM gone WHERE gone.zone = zone.id))
            WHERE id IN (SELECT zone FROM gone)
            """,
            "DELETE FROM field WHERE type = ?1", "DELETE FROM type_grant WHERE type = ?1",
            "UPDATE index_definition SET state = \(IndexDefinitionTable.dropped) WHERE type = ?1",
            "DELETE FROM record WHERE type = ?1 AND deleted = 1", "DELETE FROM type WHERE id = ?1",
        ] {
            try connection.prepare(sql).with(type).run()
        }
    }

    /// Deletes a field of a type that has no records.
    package func removeField(_ field: Int, type: TypeID) throws(RecordError) {
        try connection.prepare("DELETE FROM field WHERE type = ?1 AND id = ?2").with(type, field).run()
    }

    /// Returns the sequence number of the last change of any type's grants; 0 if there was none.
    package func lastGrantChange() throws(RecordError) -> Int64 {
        try connection.integer("SELECT max(granted) FROM type") ?? 0
    }
}
