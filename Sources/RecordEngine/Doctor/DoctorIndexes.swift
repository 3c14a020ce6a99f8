internal import RecordModel
internal import RecordStorage
internal import RecordWire

/// The check of indexes. Each record must have its entries, and each entry its record.
///
/// A running server builds and drops indexes and adds types and fields during the check. The check therefore reads the
/// definitions again in each snapshot.
struct IndexCheck {
    private let label: String
    private let table: IndexTable
    private let definitions: IndexDefinitionTable
    private let inspection: InspectionTable
    private let schemas: SchemaTable
    private var schema = Schema()
    private let hasIndexes: Bool
    private let audiences: AudienceCheck?
    /// The indexes to compare with records in the current snapshot, by type.
    private var indexes: [TypeID: [IndexDefinition]] = [:]

    private static let slice = 1_000

    init(_ store: StoreInspector, _ audiences: AudienceCheck?, label: String) throws {
        self.audiences = audiences
        self.label = label
        inspection = store.records
        schemas = store.schemas
        table = store.indexes
        definitions = store.indexDefinitions
        // A file that the current version has not opened yet may have no index tables.
        hasIndexes = try inspection.hasIndexes()
    }

    /// Reads the types and indexes. Call this in each new snapshot.
    mutating func refresh() throws {
        schema = try schemas.load(version: 1)
        guard hasIndexes else { return }
        let tables = try table.tables()
        indexes = try definitions.load().mapValues { $0.filter { !$0.isFailed && tables.contains($0.id) } }
    }

    /// Compares index definitions with index tables. Reports indexes that could not be built.
    mutating func examineTables(_ found: inout DoctorReport) throws {
        guard hasIndexes else { return }
        let (all, numbers, tables) = try inspection.withView {
            try refresh()
            return (try definitions.load(), try definitions.numbers(), try table.tables())
        }
        for (id, indexes) in all.sorted(by: { $0.key < $1.key }) {
            guard let type = schema[id: id] else { continue }
            for index in indexes {
                if !tables.contains(index.id) {
                    found.problem(
                        "\(label): The index on \(name(index, type)) of type \(type.name) has lost its table.",
                        remedy: Self.remedy, sort: label + " index table")
                }
                if case .failed(let reason) = index.state {
                    found.notice(
                        "\(label): The index on \(name(index, type)) of type \(type.name) could not be built. \(reason)."
                    )
                }
            }
        }
        for number in tables.subtracting(numbers).sorted() {
            found.problem(
                "\(label): The table \(IndexTable.name(number)) belongs to no index.",
                remedy: "It uses space and is otherwise harmless.",
                sort: label + " orphan index")
        }
    }

    /// Checks that a record has its entries.
    func examine(
        _ fields: StoredFieldsView, _ cursor: RecordRowCursor, zone: ZoneID, _ place: String,
        _ found: inout DoctorReport
    ) throws {
        let row = cursor.row
        guard let type = schema[id: row.type] else { return }
        let record = IndexedRecord(fields, name: cursor.name, row)
        let places = try places(of: row, zone: zone)
        for index in indexes[row.type] ?? [] {
            if case .building(let position) = index.state, row.id > position { continue }
            let entries = try record.keys(of: index).flatMap { key in
                places.map { IndexTable.Entry(home: $0, key: key, record: row.id) }
            }
            if try entries.contains(where: { try !table.contains($0, in: index.id) }) {
                found.problem(
                    "\(place) is missing in the index on \(name(index, type)).", remedy: Self.remedy,
                    sort: label + " index")
            }
        }
    }

    private func places(of row: RecordRow, zone: ZoneID) throws -> [RowHome] {
        try audiences?.places(of: row, zone: zone) ?? [.zone(zone)]
    }

    /// Checks that each entry of each index has its record.
    mutating func examineEntries(_ found: inout DoctorReport, progress: (_ done: Int) throws -> Void) throws {
        try inspection.withView { try refresh() }
        var done = 0
        for (typeID, known) in indexes.sorted(by: { $0.key < $1.key }) {
            guard let type = schema[id: typeID] else { continue }
            for id in known.map(\.id) {
                var last: IndexTable.Entry?
                while true {
                    try progress(done)
                    let entries = try inspection.withView { () -> [IndexTable.Entry] in
                        try refresh()
                        guard let index = indexes[typeID]?.first(where: { $0.id == id }) else { return [] }
                        let entries = try table.entries(of: id, after: last, limit: Self.slice)
                        for entry in entries where try !isBacked(entry, in: index, of: type) {
                            found.problem(
                                "\(label): The index on \(name(index, type)) of type \(type.name) has an entry that does not match its record (record number \(entry.record)).",
                                remedy: Self.remedy, sort: label + " orphan entry")
                        }
                        return entries
                    }
                    guard let next = entries.last else { break }
                    last = next
                    done += entries.count
                }
            }
        }
    }

    private func isBacked(
        _ entry: IndexTable.Entry, in index: IndexDefinition, of type: RecordTypeDefinition
    ) throws -> Bool {
        try inspection.withRecord(entry.record) { cursor, zone in
            guard let cursor, !cursor.row.isDeleted, cursor.row.type == type.id,
                try places(of: cursor.row, zone: zone).contains(entry.home)
            else { return false }
            do throws(RecordError) {
                return try IndexedRecord(cursor.record).keys(of: index).contains(entry.key)
            } catch {
                // The record itself is damaged. Another check reports it.
                return true
            }
        }
    }

    private func name(_ index: IndexDefinition, _ type: RecordTypeDefinition) -> String {
        "'\(type.names(of: index.shape).joined(separator: ", "))'"
    }

    private static let remedy =
        "Put the schema without the index and then with it to rebuild the index. Records are not affected."
}
