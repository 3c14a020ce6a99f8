package import RecordModel

/// The definitions of indexes and their states. Rows change rarely, so statements are not cached.
///
/// Its functions throw INTERNAL_ERROR or TRY_AGAIN_LATER if the store fails.
package final class IndexDefinitionTable {
    private let connection: Connection

    /// The values of the column `state`.
    private static let ready: Int64 = 0
    private static let building: Int64 = 1
    private static let failed: Int64 = 2
    static let dropped: Int64 = 3

    /// Uses `connection` for all reads and writes.
    package init(_ connection: Connection) {
        self.connection = connection
    }

    /// Returns the indexes of each type in the order of creation, without dropped indexes.
    package func load() throws(RecordError) -> [TypeID: [IndexDefinition]] {
        let rows = connection.prepare(
            """
            SELECT id, type, kind, columns, is_unique, is_declared, state, position, failure
            FROM index_definition WHERE state <> \(Self.dropped) ORDER BY id
            """)
        var indexes: [TypeID: [IndexDefinition]] = [:]
        for (type, index) in try rows.rows(read) {
            if let index { indexes[type, default: []].append(index) }
        }
        return indexes
    }

    private func read(_ row: inout Columns) -> (type: TypeID, index: IndexDefinition?) {
        let (id, type) = (row.next(IndexID.self), row.next(TypeID.self))
        guard let kind = IndexDefinition.Kind(rawValue: row.next()), let columns = IndexColumns.columns(row.next())
        else { return (type, nil) }
        let (isUnique, isDeclared) = (row.next(Bool.self), row.next(Bool.self))
        let state: IndexDefinition.State =
            switch (row.next(Int64.self), row.next(RecordNumber.self)) {
            case (Self.ready, _): .ready
            case (Self.building, let position): .building(position: position)
            default: .failed(row.next())
            }
        return (
            type,
            IndexDefinition(
                id: id, kind: kind, columns: columns, isUnique: isUnique, isDeclared: isDeclared, state: state)
        )
    }

    /// Adds the definition of an index in the state `building`. `IndexTable.make` creates the table for the entries.
    ///
    /// - Returns: The index's ID.
    package func add(_ shape: IndexRequest.Shape, isDeclared: Bool, type: TypeID) throws(RecordError) -> IndexID {
        try connection.prepare(
            """
            INSERT INTO index_definition (type, kind, columns, is_unique, is_declared, state)
            VALUES (?1, ?2, ?3, ?4, ?5, \(Self.building)) RETURNING id
            """
        ).with(type, shape.kind.rawValue, IndexColumns.text(shape.columns), shape.isUnique ? 1 : 0, isDeclared ? 1 : 0)
            .returnedID()
    }

    /// Stores whether the schema declares an index. If not, only the options of the indexed field require the index.
    package func setDeclared(_ isDeclared: Bool, _ id: IndexID) throws(RecordError) {
        try set("is_declared = ?2", id, isDeclared ? 1 : 0)
    }

    /// Marks an index as complete.
    package func setReady(_ id: IndexID) throws(RecordError) {
        try set("state = ?2", id, Self.ready)
    }

    /// Marks an index as failed.
    ///
    /// - Parameter reason: A sentence that says why the index cannot be built.
    package func setFailed(_ id: IndexID, reason: String) throws(RecordError) {
        try connection.prepare(
            "UPDATE index_definition SET state = \(Self.failed), failure = ?2 WHERE id = ?1"
        ).with(id, reason).run()
    }

    /// Marks an index as dropped. The entries of the index are deleted later.
    package func setDropped(_ id: IndexID) throws(RecordError) {
        try set("state = ?2", id, Self.dropped)
    }

    /// Deletes the row of an index whose table is dropped.
    package func remove(_ id: IndexID) throws(RecordError) {
        try connection.prepare("DELETE FROM index_definition WHERE id = ?1").with(id).run()
    }

    private func set(_ assignment: String, _ id: IndexID, _ value: Int64) throws(RecordError) {
        try connection.prepare("UPDATE index_definition SET \(assignment) WHERE id = ?1").with(id, value).run()
    }

    // MARK: Building

    /// The progress of an index build.
    package struct Build: Hashable, Sendable {
        /// The index's ID.
        package var id: IndexID
        /// The record type of the index.
        package var type: TypeID
        /// The number of the last indexed record. All records up to this number are in the index.
        package var position: RecordNumber
        /// The number of records in the index.
        package var built: Int
    }

    /// Returns the indexes that are being built, by ID.
    package func builds() throws(RecordError) -> [Build] {
        try connection.prepare(
            "SELECT id, type, position, built FROM index_definition WHERE state = \(Self.building) ORDER BY id"
        ).rows { Build(id: $0.next(), type: $0.next(), position: $0.next(), built: $0.next()) }
    }

    /// Stores the progress of a build.
    package func save(_ build: Build) throws(RecordError) {
        try connection.prepare("UPDATE index_definition SET position = ?2, built = ?3 WHERE id = ?1").with(
            build.id, build.position, build.built
        ).run()
    }

    /// Returns a dropped index whose table still exists; `nil` if there is none.
    package func firstDropped() throws(RecordError) -> IndexID? {
        try connection.prepare("SELECT min(id) FROM index_definition WHERE state = \(Self.dropped)").id()
    }

    /// Returns the dropped indexes whose tables still exist.
    package func allDropped() throws(RecordError) -> [IndexID] {
        try connection.prepare("SELECT id FROM index_definition WHERE state = \(Self.dropped) ORDER BY id").rows {
            $0.next()
        }
    }

    /// Returns the IDs of all indexes that have a table, including dropped indexes.
    package func numbers() throws(RecordError) -> Set<IndexID> {
        Set(try connection.prepare("SELECT id FROM index_definition").rows { $0.next() })
    }
}
