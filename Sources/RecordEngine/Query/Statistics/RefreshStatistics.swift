package import RecordModel
internal import RecordStorage
internal import Threads

/// How the entries of a database's indexes are spread, as its planners know it.
package struct PlannerStatistics: Sendable {
    let database: RecordDatabase

    private var known: Locked<[IndexID: IndexStatistics]> { database.queries.statistics }

    /// Looks anew at how the entries of indexes are spread, when enough has been written since the last look, and forgets
    /// indexes that are gone.
    ///
    /// - Returns: How many indexes were looked at.
    @discardableResult
    package func refresh() async throws(RecordError) -> Int {
        let operations = database.statistics.operations
        var looked = 0
        let schema = database.schema
        let present = schema.indexIDs
        self.known.withLock { known in
            let gone = known.keys.filter { !present.contains($0) }
            for index in gone { known[index] = nil }
        }
        for type in schema.types.values {
            for index in type.indexes where index.isReady {
                let known = self.known.withLock { $0[index.id] }
                guard Self.isStale(known, operations: operations) else { continue }
                let found = try await database.queries.pool.read(database) { reader throws(RecordError) in
                    try IndexStatistics(of: index.id, by: reader)
                }
                let row = found.row(index.id)
                try await database.write { transaction throws(RecordError) in
                    try transaction.store.indexStatistics.put(row)
                }
                var fresh = found
                fresh.operations = operations
                self.known.withLock { [fresh] in $0[index.id] = fresh }
                looked += 1
            }
        }
        return looked
    }

    /// The indexes of which it is known how their entries are spread.
    package var sampledIndexes: Set<IndexID> {
        known.withLock { Set($0.keys) }
    }

    /// Whether so much was written that the shape of an index may be another.
    private static func isStale(_ known: IndexStatistics?, operations: UInt64) -> Bool {
        guard let known else { return operations > 0 }
        return operations > known.operations &+ UInt64(max(1_000, known.entries / 4))
    }
}

extension IndexStatistics {
    /// Rows that one view is held for: others want the log to be emptied.
    private static let rowsPerView = 200_000

    /// Walks through an index.
    fileprivate init(of index: IndexID, by reader: RecordReader) throws(RecordError) {
        let reading = reader.store.indexes
        let entries = try reading.countEverything(index)
        self.init(entries: entries, step: max(1, entries / Self.sampleCount), samples: [])
        var position: IndexTable.Entry?
        // A whole number of steps per view, so that samples lie one step apart.
        let rows = max(step, Self.rowsPerView / step * step)
        repeat {
            position = try reading.sample(index, every: step, after: position, limit: rows) { home, key in
                samples.append(Sample(home: home, key: Array(key.prefix(Self.sampleKeyBytes))))
            }
            try reader.refresh()
        } while position != nil && samples.count < 4 * Self.sampleCount
    }

    /// For the file: per sample the home's column, the length of the key, and the key.
    func row(_ index: IndexID) -> IndexStatisticTable.Row {
        var bytes: [UInt8] = []
        for sample in samples {
            withUnsafeBytes(of: sample.home.column.bigEndian) { bytes.append(contentsOf: $0) }
            bytes.append(UInt8(truncatingIfNeeded: sample.key.count))
            bytes.append(contentsOf: sample.key)
        }
        return IndexStatisticTable.Row(index: index, entries: Int64(entries), step: Int64(step), samples: bytes)
    }

    /// - Returns: `nil` if the row is not what `row` wrote.
    init?(_ row: IndexStatisticTable.Row) {
        guard let entries = Int(exactly: row.entries), let step = Int(exactly: row.step), entries >= 0, step > 0 else {
            return nil
        }
        self.init(entries: entries, step: step, samples: [])
        var rest = row.samples[...]
        while rest.count >= 9 {
            let column = rest.prefix(8).reduce(0) { $0 << 8 | Int64($1) }
            let count = Int(rest[rest.startIndex + 8])
            rest = rest.dropFirst(9)
            guard rest.count >= count else { return nil }
            samples.append(Sample(home: RowHome(column: column), key: Array(rest.prefix(count))))
            rest = rest.dropFirst(count)
        }
        guard rest.isEmpty else { return nil }
    }
}
