package import RecordModel
internal import RecordStorage
internal import Threads

/// The sizes of a database, and of its types and indexes.
package struct StorageReport: Sendable {
    /// A type with its records in all zones.
    package struct TypeSize: Sendable {
        /// The name of the type.
        package var name: String
        /// The number of records.
        package var records: Int64
        /// Whether the records were counted. Otherwise their number is an estimate from a sample.
        package var isCounted: Bool
        /// The bytes of the records' names, fields and access lists.
        package var bytes: Int64
        /// The type's indexes.
        package var indexes: [IndexSize]
    }

    /// An index of a type.
    package struct IndexSize: Sendable {
        /// The names of the columns, as in the schema: `-price`.
        package var fields: [String]
        /// The number of entries when the planner last counted them; `nil` if it never has.
        package var entries: Int64?
        /// The estimated bytes of the keys; `nil` with `entries`.
        package var bytes: Int64?
        /// The number of queries that have used the index since the start of the server.
        package var uses: Int64
    }

    /// The size of the database file in bytes.
    package var databaseBytes: Int
    /// The size of the write-ahead log in bytes.
    package var logBytes: Int
    /// The free space of the disk in bytes.
    package var freeBytes: Int
    /// The records, their bytes and those of their assets, of the whole database.
    package var usage: Usage
    /// The types by name.
    package var types: [TypeSize]
    /// Whether the sizes of types were counted. Otherwise they are estimates from a sample.
    package var isExact: Bool
}

extension Maintenance {
    /// The number of record numbers up to which all records are read.
    package static let countedNumbers: Int64 = 20_000
    /// The number of records up to which a type is counted in a larger database.
    package static let countedRecords = 10_000

    /// Returns the sizes of the database. Reads on a thread of the reader pool.
    ///
    /// - Parameters:
    ///   - counted: The number of record numbers up to which all records are read; tests pass a smaller one.
    ///   - records: The number of records up to which a type is counted otherwise; tests pass a smaller one.
    /// - Throws: TRY_AGAIN_LATER if too many queries wait; storage errors.
    package func storage(
        countingUpTo counted: Int64 = Maintenance.countedNumbers, typesUpTo records: Int = Maintenance.countedRecords
    ) async throws(RecordError) -> StorageReport {
        let uses = database.queries.indexUses.counts
        let statistics = database.queries.statistics.withLock { $0 }
        return try await database.queries.pool.read(database) { reader throws(RecordError) in
            let usage = try reader.store.usage.usage(of: UsageTable.everybody).all
            var sizes = try TypeSample(of: reader.store.sampler, countingUpTo: counted)
            if !sizes.isExact {
                try sizes.count(
                    Array(reader.schema.types.values.map(\.id)), upTo: records, in: usage, with: reader.store.sampler)
            }
            let types = reader.schema.types.values.sorted { $0.name.text < $1.name.text }.map { type in
                let size = sizes.size(of: type.id)
                return StorageReport.TypeSize(
                    name: type.name.text, records: size.records, isCounted: size.isCounted, bytes: size.bytes,
                    indexes: type.indexes.filter { $0.checkedField == nil }.map { index in
                        StorageReport.IndexSize(
                            fields: type.names(of: index.shape),
                            entries: (statistics[index.id]?.entries).map(Int64.init),
                            bytes: statistics[index.id]?.keyBytes, uses: uses[index.id] ?? 0)
                    })
            }
            let files = database.fileSizes
            return StorageReport(
                databaseBytes: files.database, logBytes: files.log,
                freeBytes: DirectoryInspection.freeBytes(database.directoryPath), usage: usage, types: types,
                isExact: sizes.isExact)
        }
    }
}

/// The sizes of types: counted, or as their shares of the record table.
private struct TypeSample {
    private var sizes: [TypeID: (records: Int64, bytes: Int64)] = [:]
    private var counted: [TypeID: (records: Int64, bytes: Int64)] = [:]
    /// The records and bytes of the types that were not counted.
    private var rest = Usage()
    /// Whether all records were read.
    let isExact: Bool

    /// The number of places at which a large table is read, and the number of rows read at each.
    private static let (runs, rowsPerRun): (Int64, Int) = (1_000, 8)
    /// The number of records of a counted type whose bytes are read.
    private static let measured = 1_000
    /// The maximum product of types and zones with which types are counted: each pair costs an index lookup.
    private static let lookups = 250_000

    init(of sampler: RecordSampler, countingUpTo counted: Int64) throws(RecordError) {
        guard let numbers = try sampler.numbers() else {
            isExact = true
            return
        }
        let span = numbers.upperBound - numbers.lowerBound + 1
        isExact = span <= counted
        guard !isExact else {
            add(try sampler.rows(from: numbers.lowerBound, limit: Int(span)))
            return
        }
        var next = numbers.lowerBound
        for run in 0..<Self.runs {
            // Where many numbers are missing, the last run may have come past this place.
            next = max(next, numbers.lowerBound + span / Self.runs * run)
            let rows = try sampler.rows(from: next, limit: Self.rowsPerRun)
            guard let last = rows.last else { break }
            add(rows)
            next = last.id + 1
        }
    }

    private mutating func add(_ rows: [RecordSampler.Row]) {
        for row in rows where !row.isDeleted {
            sizes[row.type, default: (0, 0)].records += 1
            sizes[row.type, default: (0, 0)].bytes += Int64(row.bytes)
        }
    }

    /// Counts the types with up to `limit` records. The sample tells the shares of the others in what is left of
    /// `usage`, the exact totals of the database.
    mutating func count(
        _ types: [TypeID], upTo limit: Int, in usage: Usage, with sampler: RecordSampler
    ) throws(RecordError) {
        rest = usage
        guard try sampler.zones(upTo: Self.lookups + 1) * types.count <= Self.lookups else { return }
        for type in types {
            guard let found = try sampler.count(of: type, upTo: limit, measuring: Self.measured) else { continue }
            let mean = Double(found.bytes) / Double(max(1, found.measured))
            counted[type] = (found.records, Int64((mean * Double(found.records)).rounded()))
            sizes[type] = nil
        }
        rest.records = max(0, usage.records - counted.values.reduce(0) { $0 + $1.records })
        rest.bytes = max(0, usage.bytes - counted.values.reduce(0) { $0 + $1.bytes })
    }

    /// The size of a type: counted, or its share of what was not counted.
    func size(of type: TypeID) -> (records: Int64, isCounted: Bool, bytes: Int64) {
        if let known = counted[type] { return (known.records, true, known.bytes) }
        let size = sizes[type] ?? (0, 0)
        if isExact { return (size.records, true, size.bytes) }
        let all = sizes.values.reduce((records: Int64(0), bytes: Int64(0))) {
            ($0.records + $1.records, $0.bytes + $1.bytes)
        }
        func share(_ part: Int64, _ whole: Int64, of total: Int64) -> Int64 {
            whole > 0 ? Int64((Double(part) / Double(whole) * Double(total)).rounded()) : 0
        }
        return (share(size.records, all.records, of: rest.records), false, share(size.bytes, all.bytes, of: rest.bytes))
    }
}
