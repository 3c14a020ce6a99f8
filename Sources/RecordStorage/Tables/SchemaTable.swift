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
        var grants: [Int64: Grants] = [:]
        let grantRows = try connection.prepare("SELECT type, role, permissions FROM type_grant")
        while try grantRows.step() {
            guard let role = RoleName(grantRows.text(1)) else { continue }
            grants[grantRows.integer(0), default: Grants()].byRole[role] =
                Permissions(rawValue: UInt8(truncatingIfNeeded: grantRows.integer(2)))
        }
        var fields: [Int64: [FieldDefinition]] = [:]
        // The doctor also reads files that no newer server has opened yet.
        let applied = try Migrations.applied(on: connection)
        let hasIndexes = applied >= Migrations.withIndexes
        let lists = applied >= Migrations.withAccessLists ? "has_lists, default_acl" : "0, NULL"
        let required = applied >= Migrations.withRequiredLists ? "acl_required" : "0"
        let preserved = applied >= Migrations.withPreservedDates ? "has_preserved" : "0"
        let indexes = try hasIndexes ? IndexDefinitionTable(connection).load() : [:]
        let grantColumns = applied >= Migrations.withFieldGrants ? "readers, writers" : "NULL, NULL"
        let fieldRows = try connection.prepare(
            "SELECT type, id, name, kind, \(hasIndexes ? "options" : "0"), \(grantColumns) FROM field ORDER BY type, id"
        )
        while try fieldRows.step() {
            guard let name = FieldName(fieldRows.text(2)),
                let type = FieldType(rawValue: UInt8(truncatingIfNeeded: fieldRows.integer(3)))
            else { continue }
            fields[fieldRows.integer(0), default: []].append(
                FieldDefinition(
                    id: Int(fieldRows.integer(1)), name: name, type: type,
                    options: IndexOptions(rawValue: UInt8(truncatingIfNeeded: fieldRows.integer(4))),
                    readers: Self.roles(fieldRows, 5), writers: Self.roles(fieldRows, 6)))
        }
        var types: [RecordTypeDefinition] = []
        let typeRows = try connection.prepare(
            "SELECT id, name, \(lists), \(required), \(preserved) FROM type ORDER BY id")
        while try typeRows.step() {
            let id = typeRows.integer(0)
            guard let name = RecordTypeName(typeRows.text(1)) else { continue }
            var type = RecordTypeDefinition(
                id: id, name: name, grants: grants[id] ?? Grants(), fields: fields[id] ?? [],
                indexes: indexes[id] ?? [], hasAccessLists: typeRows.integer(2) != 0,
                // One that cannot be read lets nobody in.
                defaultAccess: typeRows.isNull(3)
                    ? nil : AccessTemplate(stored: typeRows.text(3)) ?? AccessTemplate(entries: []),
                requiresAccessLists: typeRows.integer(4) != 0)
            type.hasPreservedDates = typeRows.integer(5) != 0
            types.append(type)
        }
        return Schema(version: version, types: types)
    }

    /// A stored list of roles. A name that cannot be read lets nobody in.
    private static func roles(_ row: Statement, _ column: Int32) -> Set<RoleName>? {
        guard !row.isNull(column) else { return nil }
        return Set(row.text(column).split(separator: " ").compactMap { RoleName(String($0)) })
    }

    /// Sets who reads and who writes a field.
    package func setGrants(of field: FieldDefinition, type: Int64) throws(RecordError) {
        let update = try connection.prepare("UPDATE field SET readers = ?3, writers = ?4 WHERE type = ?1 AND id = ?2")
        update.bind(1, type)
        update.bind(2, Int64(field.id))
        for (column, roles) in [(Int32(3), field.readers), (4, field.writers)] {
            if let roles {
                update.bind(column, text: roles.map(\.text).sorted().joined(separator: " "))
            } else {
                update.bindNull(column)
            }
        }
        try update.run()
    }

    /// Adds a type without fields and grants.
    ///
    /// - Returns: Its number.
    package func addType(_ name: RecordTypeName) throws(RecordError) -> Int64 {
        let insert = try connection.prepare("INSERT INTO type (name) VALUES (?1) RETURNING id")
        insert.bind(1, text: name.text)
        return try insert.returnedNumber()
    }

    /// Notes that records of a type have access lists.
    package func setHasLists(type: Int64) throws(RecordError) {
        let update = try connection.prepare("UPDATE type SET has_lists = 1 WHERE id = ?1")
        update.bind(1, type)
        try update.run()
    }

    /// Notes that ids of a type do not tell when its records were made.
    package func setHasPreservedDates(type: Int64) throws(RecordError) {
        let update = try connection.prepare("UPDATE type SET has_preserved = 1 WHERE id = ?1")
        update.bind(1, type)
        try update.run()
    }

    /// What new records of a type get that do not say an access list; `nil` for none.
    package func setDefaultAccess(_ access: AccessTemplate?, type: Int64) throws(RecordError) {
        let update = try connection.prepare("UPDATE type SET default_acl = ?2 WHERE id = ?1")
        update.bind(1, type)
        if let access { update.bind(2, text: access.stored) } else { update.bindNull(2) }
        try update.run()
    }

    /// Whether records of a type must have an access list.
    package func setRequiresLists(_ isRequired: Bool, type: Int64) throws(RecordError) {
        let update = try connection.prepare("UPDATE type SET acl_required = ?2 WHERE id = ?1")
        update.bind(1, type)
        update.bind(2, Int64(isRequired ? 1 : 0))
        try update.run()
    }

    package func addField(_ field: FieldDefinition, type: Int64) throws(RecordError) {
        let insert = try connection.prepare(
            "INSERT INTO field (type, id, name, kind, options) VALUES (?1, ?2, ?3, ?4, ?5)")
        insert.bind(1, type)
        insert.bind(2, Int64(field.id))
        insert.bind(3, text: field.name.text)
        insert.bind(4, Int64(field.type.rawValue))
        insert.bind(5, Int64(field.options.rawValue))
        try insert.run()
    }

    /// Stores that a field has another type. What is stored in records is not touched.
    package func setType(of field: FieldDefinition, type: Int64) throws(RecordError) {
        let update = try connection.prepare("UPDATE field SET kind = ?3 WHERE type = ?1 AND id = ?2")
        update.bind(1, type)
        update.bind(2, Int64(field.id))
        update.bind(3, Int64(field.type.rawValue))
        try update.run()
    }

    package func setOptions(_ options: IndexOptions, field: Int, type: Int64) throws(RecordError) {
        let update = try connection.prepare("UPDATE field SET options = ?3 WHERE type = ?1 AND id = ?2")
        update.bind(1, type)
        update.bind(2, Int64(field))
        update.bind(3, Int64(options.rawValue))
        try update.run()
    }

    /// Replaces the grants of a type.
    ///
    /// - Parameter sequence: When they changed; 0 for a type that is being made.
    package func setGrants(_ grants: Grants, type: Int64, sequence: Int64) throws(RecordError) {
        let clear = try connection.prepare("DELETE FROM type_grant WHERE type = ?1")
        clear.bind(1, type)
        try clear.run()
        let insert = try connection.prepare("INSERT INTO type_grant (type, role, permissions) VALUES (?1, ?2, ?3)")
        for (role, permissions) in grants.byRole where !permissions.isEmpty {
            insert.bind(1, type)
            insert.bind(2, text: role.text)
            insert.bind(3, Int64(permissions.rawValue))
            try insert.run()
        }
        try markGranted(type: type, sequence: sequence)
    }

    /// Notes that what callers may read of a type has changed: older sync tokens are refused.
    package func markGranted(type: Int64, sequence: Int64) throws(RecordError) {
        let mark = try connection.prepare("UPDATE type SET granted = ?2 WHERE id = ?1")
        mark.bind(1, type)
        mark.bind(2, sequence)
        try mark.run()
    }

    /// Takes away a type, its fields, grants and indexes, and the tombstones of its records. Nobody can be told of those
    /// any more, so each zone's mark moves: sync tokens below it are refused. The tables of the indexes go in slices.
    package func removeType(_ type: Int64) throws(RecordError) {
        for sql in [
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
            let statement = try connection.prepare(sql)
            statement.bind(1, type)
            try statement.run()
        }
    }

    /// Takes away one field of a type that has no records.
    package func removeField(_ field: Int, type: Int64) throws(RecordError) {
        let statement = try connection.prepare("DELETE FROM field WHERE type = ?1 AND id = ?2")
        statement.bind(1, type)
        statement.bind(2, Int64(field))
        try statement.run()
    }

    /// The sequence number of the last change of any type's grants.
    package func lastGrantChange() throws(RecordError) -> Int64 {
        try connection.integer("SELECT max(granted) FROM type") ?? 0
    }
}
