package import RecordModel
internal import RecordStorage
internal import Threads

/// Maintains the planner's statistics about a database's indexes.
package struct PlannerStatistics: Sendable {
    let database: RecordDatabase

    private var known: Locked<[IndexID: IndexStatistics]> { database.queries.statistics }

    /// Samples indexes again if enough has been written since the last sampling. Removes the statistics of dropped
    /// indexes.
    ///
    /// - Returns: The number of indexes sampled by this call.
    /// - Throws: TRY_AGAIN_LATER if the reader pool or the writer's queue is full; storage errors.
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

    /// The ids of the indexes that have statistics.
    package var sampledIndexes: Set<IndexID> {
        known.withLock { Set($0.keys) }
    }

    /// Whether the distribution may have changed, judging by the number of operations since the last sampling.
    private static func isStale(_ known: IndexStatistics?, operations: UInt64) -> Bool {
        guard let known else { return operations > 0 }
        return operations > known.operations &+ UInt64(max(1_000, known.entries / 4))
    }
}

extension IndexStatistics {
    /// The maximum number of rows read in one snapshot. A long-lived snapshot blocks WAL checkpoints.
    private static let rowsPerView = 200_000

    /// Scans an index and takes every nth entry of each home as a sample.
    ///
    /// The estimates of one home must not reveal how many entries others have. So the samples of a home depend only on
    /// its own entries and on the step, which is a power of two.
    fileprivate init(of index: IndexID, by reader: RecordReader) throws(RecordError) {
        let reading = reader.store.indexes
        let entries = try reading.countEverything(index)
        self.init(entries: entries, step: Self.step(of: entries), samples: [])
        var position: IndexTable.Entry?
        var inHome = 0
        repeat {
            position = try reading.sample(
                index, every: step, after: position, &inHome, limit: Self.rowsPerView
            ) { home, key in
                samples.append(Sample(home: home, key: Array(key.prefix(Self.sampleKeyBytes))))
            }
            try reader.refresh()
        } while position != nil && samples.count < 4 * Self.sampleCount
    }

    /// The greatest power of two that gives at least `sampleCount` samples of one home.
    static func step(of entries: Int) -> Int {
        let step = max(1, entries / sampleCount)
        return 1 << (Int.bitWidth - 1 - step.leadingZeroBitCount)
    }

    /// The database row of the statistics. The blob has the samples one after another (widths in bytes):
    ///
    /// ```
    /// | home: 8, big-endian | key length: 1 | key: 0 to 64 |
    /// ```
    func row(_ index: IndexID) -> IndexStatisticTable.Row {
        var bytes: [UInt8] = []
        for sample in samples {
            withUnsafeBytes(of: sample.home.column.bigEndian) { bytes.append(contentsOf: $0) }
            bytes.append(UInt8(truncatingIfNeeded: sample.key.count))
            bytes.append(contentsOf: sample.key)
        }
        return IndexStatisticTable.Row(index: index, entries: Int64(entries), step: Int64(step), samples: bytes)
    }

    /// - Returns: `nil` if the row is not in the format that `row` writes.
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
