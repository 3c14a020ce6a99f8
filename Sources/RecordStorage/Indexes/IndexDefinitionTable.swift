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
    package func load() throws(RecordError) -> [Int64: [IndexDefinition]] {
        let rows = try connection.prepare(
            """
            SELECT id, type, kind, columns, is_unique, is_declared, state, position, failure
            FROM index_definition WHERE state <> \(Self.dropped) ORDER BY id
            """)
        var indexes: [Int64: [IndexDefinition]] = [:]
        while try rows.step() {
            guard let kind = IndexDefinition.Kind(rawValue: UInt8(truncatingIfNeeded: rows.integer(2))),
                let columns = IndexColumns.columns(rows.text(3))
            else { continue }
            let state: IndexDefinition.State =
                switch rows.integer(6) {
                case Self.ready: .ready
                case Self.building: .building(position: rows.integer(7))
                default: .failed(rows.text(8))
                }
            indexes[rows.integer(1), default: []].append(
                IndexDefinition(
                    id: rows.integer(0), kind: kind, columns: columns, isUnique: rows.integer(4) != 0,
                    isDeclared: rows.integer(5) != 0, state: state))
        }
        return indexes
    }

    /// Adds an index that is to be built. Its table is made by `IndexTable`.
    ///
    /// - Returns: The number of its table.
    package func add(_ shape: IndexWish.Shape, isDeclared: Bool, type: Int64) throws(RecordError) -> Int64 {
        let insert = try connection.prepare(
            """
            INSERT INTO index_definition (type, kind, columns, is_unique, is_declared, state)
            VALUES (?1, ?2, ?3, ?4, ?5, \(Self.building)) RETURNING id
            """)
        insert.bind(1, type)
        insert.bind(2, Int64(shape.kind.rawValue))
        insert.bind(3, text: IndexColumns.text(shape.columns))
        insert.bind(4, shape.isUnique ? 1 : 0)
        insert.bind(5, isDeclared ? 1 : 0)
        return try insert.returnedNumber()
    }

    /// Stores whether the schema names the index, or only the options of its field ask for it.
    package func setDeclared(_ isDeclared: Bool, _ id: Int64) throws(RecordError) {
        try set("is_declared = ?2", id, isDeclared ? 1 : 0)
    }

    /// Stores that all records are in the index.
    package func setReady(_ id: Int64) throws(RecordError) {
        try set("state = ?2", id, Self.ready)
    }

    /// - Parameter reason: A sentence that says why it cannot be built.
    package func setFailed(_ id: Int64, reason: String) throws(RecordError) {
        let update = try connection.prepare(
            "UPDATE index_definition SET state = \(Self.failed), failure = ?2 WHERE id = ?1")
        update.bind(1, id)
        update.bind(2, text: reason)
        try update.run()
    }

    /// Marks an index as dropped: it is none any more, and its table is to be emptied.
    package func setDropped(_ id: Int64) throws(RecordError) {
        try set("state = ?2", id, Self.dropped)
    }

    /// Forgets an index whose table is gone.
    package func remove(_ id: Int64) throws(RecordError) {
        let delete = try connection.prepare("DELETE FROM index_definition WHERE id = ?1")
        delete.bind(1, id)
        try delete.run()
    }

    private func set(_ assignment: String, _ id: Int64, _ value: Int64) throws(RecordError) {
        let update = try connection.prepare("UPDATE index_definition SET \(assignment) WHERE id = ?1")
        update.bind(1, id)
        update.bind(2, value)
        try update.run()
    }

    // MARK: Building

    /// How far an index is that is being built.
    package struct Build: Hashable, Sendable {
        package var id: Int64
        /// The number of its type.
        package var type: Int64
        /// The record id up to which records are in it.
        package var position: Int64
        /// The records that are in it.
        package var built: Int
    }

    /// The indexes that are being built, by number.
    package func builds() throws(RecordError) -> [Build] {
        let rows = try connection.prepare(
            "SELECT id, type, position, built FROM index_definition WHERE state = \(Self.building) ORDER BY id")
        var builds: [Build] = []
        while try rows.step() {
            builds.append(
                Build(
                    id: rows.integer(0), type: rows.integer(1), position: rows.integer(2),
                    built: Int(rows.integer(3))))
        }
        return builds
    }

    /// Stores how far a build is.
    package func save(_ build: Build) throws(RecordError) {
        let update = try connection.prepare("UPDATE index_definition SET position = ?2, built = ?3 WHERE id = ?1")
        update.bind(1, build.id)
        update.bind(2, build.position)
        update.bind(3, Int64(build.built))
        try update.run()
    }

    /// Some index that is dropped and whose table is still there.
    package func firstDropped() throws(RecordError) -> Int64? {
        try connection.integer("SELECT min(id) FROM index_definition WHERE state = \(Self.dropped)")
    }

    /// The numbers of all rows, dropped ones too: those that have a table.
    package func numbers() throws(RecordError) -> Set<Int64> {
        let rows = try connection.prepare("SELECT id FROM index_definition")
        var numbers: Set<Int64> = []
        while try rows.step() { numbers.insert(rows.integer(0)) }
        return numbers
    }
}
