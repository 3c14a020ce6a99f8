import Geography
import RecordEngine
import RecordModel
import RecordStorage
import RecordWire
import TestSupport
import Testing
import TextSearch

/// The contents of a database's index tables, and the contents that follow from its records.
struct IndexOracle {
    private let connection: Connection
    private let test: TestDatabase

    init(_ test: TestDatabase) throws {
        self.test = test
        connection = try Connection(path: DataDirectory.databasePath(in: test.directory), role: .reader)
    }

    func entries(of index: IndexDefinition) throws -> [IndexTable.Entry] {
        try IndexTable(connection).entries(of: index.id)
    }

    /// The entries that an index must have, computed slowly: values are decoded, then written as keys.
    func expected(_ index: IndexDefinition, of type: RecordTypeDefinition) throws -> [IndexTable.Entry] {
        var entries: [IndexTable.Entry] = []
        _ = try InspectionTable(connection).forEachRecord(after: 0, limit: .max) { cursor, zone in
            let row = cursor.row
            guard !row.isDeleted, row.type == type.id else { return }
            let record = IndexedRecord(
                fields: try StoredFieldsView(text: cursor.fields, layout: cursor.layout), name: cursor.name,
                creator: row.creator, created: row.created, modifier: row.modifier, modified: row.modified)
            var keys: Set<[UInt8]> = []
            switch index.kind {
            case .ordered:
                var key: [UInt8] = []
                for column in index.columns {
                    let value = try record.value(of: column.source, asDouble: column.readsAsDouble)
                    IndexKey.append(value.map { column.form.of($0) }, isAscending: column.isAscending, to: &key)
                }
                keys.insert(key)
            case .members:
                for column in index.columns {
                    guard case .field(let id) = column.source else { continue }
                    for member in try record.members(of: id, asDouble: column.readsAsDouble) {
                        var key: [UInt8] = []
                        IndexKey.append(column.form.of(member), isAscending: column.isAscending, to: &key)
                        keys.insert(key)
                    }
                }
            case .parts:
                for column in index.columns {
                    guard case .field(let id) = column.source else { continue }
                    let values = try record.members(of: id) + [record.value(of: column.source)].compactMap(\.self)
                    for case .text(let text) in values.map({ column.form.of($0) }) {
                        let scalars = Array(String(decoding: text, as: UTF8.self).unicodeScalars)
                        for start in scalars.indices {
                            let length = scalars[start].value < 0x2E80 ? 3 : 2
                            let part = String(String.UnicodeScalarView(scalars[start...].prefix(length)))
                            var key: [UInt8] = []
                            IndexKey.append(.text(Array(part.utf8)), isAscending: true, to: &key)
                            keys.insert(key)
                        }
                    }
                }
            case .words:
                for column in index.columns {
                    guard case .field(let id) = column.source, record.fields.entry(id) != nil else { continue }
                    let values = try record.members(of: id) + [record.value(of: column.source)].compactMap(\.self)
                    var terms: Set<[UInt8]> = [TextTerms.everyRecord]
                    for case .text(let text) in values { terms.formUnion(TextToken.tokens(of: text).map(\.term)) }
                    for term in terms {
                        var key: [UInt8] = []
                        IndexKey.append(.text(term), isAscending: true, to: &key)
                        keys.insert(key)
                    }
                }
            case .places:
                for column in index.columns {
                    guard case .field(let id) = column.source else { continue }
                    for place in try record.places(of: id) { keys.insert([2] + PlaceKey(place).bytes) }
                }
                if keys.isEmpty { keys.insert([1]) }
            case .widening: break
            }
            entries += keys.map { IndexTable.Entry(home: .zone(zone), key: $0, record: row.id) }
        }
        return entries.sorted()
    }

    /// Every index that did not fail is ready and agrees with the records, and there is no other table.
    func check(_ comment: Comment? = nil, sourceLocation: SourceLocation = #_sourceLocation) throws {
        var numbers: Set<IndexID> = []
        for type in test.database.schema.types.values {
            for index in type.maintainedIndexes {
                numbers.insert(index.id)
                if case .failed = index.state { continue }
                #expect(index.isReady, comment, sourceLocation: sourceLocation)
                let found = try entries(of: index)
                let wanted = try expected(index, of: type)
                #expect(found == wanted, comment, sourceLocation: sourceLocation)
            }
        }
        #expect(try IndexTable(connection).tables() == numbers, comment, sourceLocation: sourceLocation)
    }
}

extension TestDatabase {
    func putSchema(_ json: String) async throws {
        try await database.schemas.put(try SchemaDocument.read(Array(json.utf8)))
    }

    /// The schema as `GET /schema` prints it.
    var schemaText: String {
        String(
            decoding: SchemaDocument(database.schema, built: database.indexes.progress.building).json.bytes,
            as: UTF8.self)
    }

    func indexes(of type: String = "Post") throws -> [IndexDefinition] {
        let name = try #require(RecordTypeName(type))
        return try #require(database.schema[name]).indexes
    }

    /// Creates records in batches, `fields` given by number.
    func fill(_ count: Int, type: String = "Post", from first: Int = 0, _ fields: (Int) -> String) async throws {
        for start in stride(from: first, to: first + count, by: 200) {
            let items = (start..<min(start + 200, first + count)).map {
                #"{"operationType":"create","record":{"recordType":"\#(type)","recordName":"\#(type)\#($0)","fields":{\#(fields($0))}}}"#
            }
            let results = try await batch(#"{"operations":[\#(items.joined(separator: ","))]}"#)
            try #require(results.allSatisfy { $0["serverErrorCode"] == nil })
        }
    }
}

extension IndexBuildOptions {
    /// Everything in slices of so many records or entries, and sorted so many records at a time.
    static func slices(
        of records: Int, perStretch part: Int? = nil, retryPause: Duration = .seconds(1)
    ) -> IndexBuildOptions {
        var building = IndexBuildOptions()
        building.retryPause = retryPause
        building.inlineRecords = 0
        building.recordsPerSlice = records
        building.recordsPerLoad = part ?? 4 * records
        return building
    }
}
