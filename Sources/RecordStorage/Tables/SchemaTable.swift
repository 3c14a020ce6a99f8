package import RecordModel

/// Types, fields and grants in the database file.
package final class SchemaTable {
    private let connection: Connection

    package init(_ connection: Connection) {
        self.connection = connection
    }

    /// Reads the whole schema.
    ///
    /// - Parameter version: What the result carries as its version.
    package func load(version: Int64) throws(RecordError) -> Schema {
        var grants: [TypeID: Grants] = [:]
        let grantRows = try connection.prepare("SELECT type, role, permissions FROM type_grant").rows { row in
            (type: row.next(TypeID.self), role: RoleName(row.next()), permissions: Permissions(rawValue: row.next()))
        }
        for row in grantRows {
            if let role = row.role { grants[row.type, default: Grants()].byRole[role] = row.permissions }
        }
        // The doctor also reads files that no newer server has opened yet.
        let applied = try Migrations.applied(on: connection)
        let lists = applied >= Migrations.withAccessLists ? "has_lists, default_acl" : "0, NULL"
        let required = applied >= Migrations.withRequiredLists ? "acl_required" : "0"
        let preserved = applied >= Migrations.withPreservedDates ? "has_preserved" : "0"
        let fields = try fields(applied: applied)
        let indexes = try applied >= Migrations.withIndexes ? IndexDefinitionTable(connection).load() : [:]
        let types = try connection.prepare(
            "SELECT id, name, \(lists), \(required), \(preserved) FROM type ORDER BY id"
        ).rows { row -> RecordTypeDefinition? in
            let id = row.next(TypeID.self)
            guard let name = RecordTypeName(row.next()) else { return nil }
            var type = RecordTypeDefinition(
                id: id, name: name, grants: grants[id] ?? Grants(), fields: fields[id] ?? [],
                indexes: indexes[id] ?? [], hasAccessLists: row.next(),
                // One that cannot be read lets nobody in.
                defaultAccess: row.next(String?.self).map {
                    AccessTemplate(stored: $0) ?? AccessTemplate(entries: [])
                },
                requiresAccessLists: row.next())
            type.hasPreservedDates = row.next()
            return type
        }
        return Schema(version: version, types: types.compactMap(\.self))
    }

    /// The fields of each type, by its number.
    ///
    /// - Parameter applied: How many steps the file has had.
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

    /// A stored list of roles. A name that cannot be read lets nobody in.
    private static func roles(_ stored: String?) -> Set<RoleName>? {
        stored.map { Set($0.split(separator: " ").compactMap { RoleName(String($0)) }) }
    }

    /// Sets who reads and who writes a field.
    package func setGrants(of field: FieldDefinition, type: TypeID) throws(RecordError) {
        func stored(_ roles: Set<RoleName>?) -> String? {
            roles?.map(\.text).sorted().joined(separator: " ")
        }
        try connection.prepare("UPDATE field SET readers = ?3, writers = ?4 WHERE type = ?1 AND id = ?2")
            .with(type, field.id, stored(field.readers), stored(field.writers)).run()
    }

    /// Adds a type without fields and grants.
    ///
    /// - Returns: Its number.
    package func addType(_ name: RecordTypeName) throws(RecordError) -> TypeID {
        try connection.prepare("INSERT INTO type (name) VALUES (?1) RETURNING id").with(name.text).returnedID()
    }

    /// Notes that records of a type have access lists.
    package func setHasLists(type: TypeID) throws(RecordError) {
        try connection.prepare("UPDATE type SET has_lists = 1 WHERE id = ?1").with(type).run()
    }

    /// Notes that ids of a type do not tell when its records were made.
    package func setHasPreservedDates(type: TypeID) throws(RecordError) {
        try connection.prepare("UPDATE type SET has_preserved = 1 WHERE id = ?1").with(type).run()
    }

    /// What new records of a type get that do not say an access list; `nil` for none.
    package func setDefaultAccess(_ access: AccessTemplate?, type: TypeID) throws(RecordError) {
        try connection.prepare("UPDATE type SET default_acl = ?2 WHERE id = ?1").with(type, access?.stored).run()
    }

    /// Whether records of a type must have an access list.
    package func setRequiresLists(_ isRequired: Bool, type: TypeID) throws(RecordError) {
        try connection.prepare("UPDATE type SET acl_required = ?2 WHERE id = ?1").with(type, isRequired).run()
    }

    package func addField(_ field: FieldDefinition, type: TypeID) throws(RecordError) {
        try connection.prepare(
            "INSERT INTO field (type, id, name, kind, options) VALUES (?1, ?2, ?3, ?4, ?5)"
        ).with(type, field.id, field.name.text, field.type.rawValue, field.options.rawValue).run()
    }

    /// Stores that a field has another type. What is stored in records is not touched.
    package func setType(of field: FieldDefinition, type: TypeID) throws(RecordError) {
        try connection.prepare("UPDATE field SET kind = ?3 WHERE type = ?1 AND id = ?2").with(
            type, field.id, field.type.rawValue
        ).run()
    }

    package func setOptions(_ options: IndexOptions, field: Int, type: TypeID) throws(RecordError) {
        try connection.prepare("UPDATE field SET options = ?3 WHERE type = ?1 AND id = ?2").with(
            type, field, options.rawValue
        ).run()
    }

    /// Replaces the grants of a type.
    ///
    /// - Parameter sequence: When they changed; 0 for a type that is being made.
    package func setGrants(_ grants: Grants, type: TypeID, sequence: Int64) throws(RecordError) {
        try connection.prepare("DELETE FROM type_grant WHERE type = ?1").with(type).run()
        let insert = connection.prepare("INSERT INTO type_grant (type, role, permissions) VALUES (?1, ?2, ?3)")
        for (role, permissions) in grants.byRole where !permissions.isEmpty {
            try insert.with(type, role.text, permissions.rawValue).run()
        }
        try markGranted(type: type, sequence: sequence)
    }

    /// Notes that what callers may read of a type has changed: older sync tokens are refused.
    package func markGranted(type: TypeID, sequence: Int64) throws(RecordError) {
        try connection.prepare("UPDATE type SET granted = ?2 WHERE id = ?1").with(type, sequence).run()
    }

    /// Takes away a type, its fields, grants and indexes, and the tombstones of its records. Nobody can be told of those
    /// any more, so each zone's mark moves: sync tokens below it are refused. The tables of the indexes go in slices.
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

    /// Takes away one field of a type that has no records.
    package func removeField(_ field: Int, type: TypeID) throws(RecordError) {
        try connection.prepare("DELETE FROM field WHERE type = ?1 AND id = ?2").with(type, field).run()
    }

    /// The sequence number of the last change of any type's grants.
    package func lastGrantChange() throws(RecordError) -> Int64 {
        try connection.integer("SELECT max(granted) FROM type") ?? 0
    }
}
