package import RecordModel

/// Which indexes there are, and how far each is. Rows change rarely, so statements are not kept.
package final class IndexDefinitionTable {
    private let connection: Connection

    /// Values of the column `state`.
    private static let ready: Int64 = 0
    private static let building: Int64 = 1
    private static let failed: Int64 = 2
    static let dropped: Int64 = 3

    package init(_ connection: Connection) {
        self.connection = connection
    }

    /// The indexes of each type by its number, in the order in which they were made; without dropped ones.
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

    /// Adds an index that is to be built. Its table is made by `IndexTable`.
    ///
    /// - Returns: The number of its table.
    package func add(_ shape: IndexWish.Shape, isDeclared: Bool, type: TypeID) throws(RecordError) -> IndexID {
        try connection.prepare(
            """
            INSERT INTO index_definition (type, kind, columns, is_unique, is_declared, state)
            VALUES (?1, ?2, ?3, ?4, ?5, \(Self.building)) RETURNING id
            """
        ).with(type, shape.kind.rawValue, IndexColumns.text(shape.columns), shape.isUnique ? 1 : 0, isDeclared ? 1 : 0)
            .returnedID()
    }

    /// Stores whether the schema names the index, or only the options of its field ask for it.
    package func setDeclared(_ isDeclared: Bool, _ id: IndexID) throws(RecordError) {
        try set("is_declared = ?2", id, isDeclared ? 1 : 0)
    }

    /// Stores that all records are in the index.
    package func setReady(_ id: IndexID) throws(RecordError) {
        try set("state = ?2", id, Self.ready)
    }

    /// - Parameter reason: A sentence that says why it cannot be built.
    package func setFailed(_ id: IndexID, reason: String) throws(RecordError) {
        try connection.prepare(
            "UPDATE index_definition SET state = \(Self.failed), failure = ?2 WHERE id = ?1"
        ).with(id, reason).run()
    }

    /// Marks an index as dropped: it is none any more, and its table is to be emptied.
    package func setDropped(_ id: IndexID) throws(RecordError) {
        try set("state = ?2", id, Self.dropped)
    }

    /// Forgets an index whose table is gone.
    package func remove(_ id: IndexID) throws(RecordError) {
        try connection.prepare("DELETE FROM index_definition WHERE id = ?1").with(id).run()
    }

    private func set(_ assignment: String, _ id: IndexID, _ value: Int64) throws(RecordError) {
        try connection.prepare("UPDATE index_definition SET \(assignment) WHERE id = ?1").with(id, value).run()
    }

    // MARK: Building

    /// How far an index is that is being built.
    package struct Build: Hashable, Sendable {
        package var id: IndexID
        /// The number of its type.
        package var type: TypeID
        /// The record id up to which records are in it.
        package var position: RecordNumber
        /// The records that are in it.
        package var built: Int
    }

    /// The indexes that are being built, by number.
    package func builds() throws(RecordError) -> [Build] {
        try connection.prepare(
            "SELECT id, type, position, built FROM index_definition WHERE state = \(Self.building) ORDER BY id"
        ).rows { Build(id: $0.next(), type: $0.next(), position: $0.next(), built: $0.next()) }
    }

    /// Stores how far a build is.
    package func save(_ build: Build) throws(RecordError) {
        try connection.prepare("UPDATE index_definition SET position = ?2, built = ?3 WHERE id = ?1").with(
            build.id, build.position, build.built
        ).run()
    }

    /// Some index that is dropped and whose table is still there.
    package func firstDropped() throws(RecordError) -> IndexID? {
        try connection.prepare("SELECT min(id) FROM index_definition WHERE state = \(Self.dropped)").id()
    }

    /// The numbers of all rows, dropped ones too: those that have a table.
    package func numbers() throws(RecordError) -> Set<IndexID> {
        Set(try connection.prepare("SELECT id FROM index_definition").rows { $0.next() })
    }
}
