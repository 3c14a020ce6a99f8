internal import RecordModel
internal import RecordStorage
internal import RecordWire

/// Builds and drops indexes inside the writer's transaction. A build runs in slices or inside a request.
struct IndexWork {
    let transaction: WriteTransaction

    private var definitions: IndexDefinitionTable { transaction.store.indexDefinitions }
    private var indexes: IndexMaintainer { transaction.indexes }

    /// Whether an index must still be built or dropped.
    func isLeft() throws(RecordError) -> Bool {
        if try !definitions.builds().isEmpty { return true }
        return try definitions.firstDropped() != nil
    }

    /// Advances the builds with the lowest position. If no index is being built, removes entries of a dropped index.
    ///
    /// Writes maintain an index from its creation. A record may therefore get the same entries twice, which is
    /// harmless. No record is missed: either the load that passes its number inserts its entries, or a later write
    /// does.
    ///
    /// - Returns: The progress of the slice. `done` is the number of records added to indexes, counted once for each
    ///   index.
    /// - Throws: Storage errors.
    func slice(_ budget: inout SliceBudget) throws(RecordError) -> SliceProgress {
        // A rebuild after a failure is left to further slices.
        transaction.inlineEntries = 0
        let builds = try definitions.builds()
        guard !builds.isEmpty else {
            indexes.load = nil
            return try dropSlice(&budget)
        }
        guard let load = try load(for: builds) else { return SliceProgress(hasMore: true) }
        load.isCommitted = false
        var added = 0
        if try load.run(&budget, in: transaction) {
            added = try finish(load)
        } else if load.hasFailures {
            // Mark the index as failed in this slice, because later writes may remove the cause of the failure. The
            // other indexes repeat the load.
            indexes.load = nil
            for filling in load.backfills.values { try settle(filling, isComplete: false) }
        }
        return SliceProgress(hasMore: try isLeft(), done: added)
    }

    /// Returns the current load, or starts a new one.
    ///
    /// - Returns: `nil` if the indexes to build have been dropped.
    private func load(for builds: [IndexDefinitionTable.Build]) throws(RecordError) -> IndexBulkLoad? {
        if let load = indexes.load, load.isCommitted, load.builds.allSatisfy(builds.contains) { return load }
        indexes.load = nil
        guard let position = builds.map(\.position).min() else { return nil }
        // Builds at the same position advance together. They stop at the position of the next build, which then joins
        // them.
        let end = builds.map(\.position).filter { $0 > position }.min() ?? .highest
        var front: [IndexDefinitionTable.Build] = []
        var backfills: [TypeID: IndexBackfill] = [:]
        for build in builds where build.position == position {
            guard let type = transaction.schema[id: build.type],
                let index = type.maintainedIndexes.first(where: { $0.id == build.id })
            else {
                try definitions.setDropped(build.id)
                continue
            }
            front.append(build)
            let filling = backfills[build.type] ?? IndexBackfill(type)
            filling.indexes.append(index)
            backfills[build.type] = filling
        }
        guard !front.isEmpty else { return nil }
        let load = IndexBulkLoad(front, backfills, after: position, upTo: end)
        indexes.load = load
        return load
    }

    /// Stores the new positions after a completed load.
    ///
    /// - Returns: The number of records loaded, counted once for each index.
    private func finish(_ load: IndexBulkLoad) throws(RecordError) -> Int {
        indexes.load = nil
        var added = 0
        for var build in load.builds where load.backfills[build.type]?.failures[build.id] == nil {
            let records = load.records[build.type] ?? 0
            added += records
            if load.isLast { continue }
            build.position = load.position
            build.built += records
            try definitions.save(build)
        }
        for filling in load.backfills.values { try settle(filling, isComplete: load.isLast) }
        return added
    }

    private func dropSlice(_ budget: inout SliceBudget) throws(RecordError) -> SliceProgress {
        guard let id = try definitions.firstDropped() else { return SliceProgress(hasMore: false) }
        let table = indexes.table
        let piece = min(256, transaction.indexBuilding.recordsPerSlice)
        repeat {
            if try table.removeFirst(piece, of: id) {
                try table.drop(id)
                try definitions.remove(id)
                return SliceProgress(hasMore: try isLeft())
            }
            budget.spend(piece)
        } while budget.hasMore
        return SliceProgress(hasMore: true)
    }

    // MARK: Jobs

    /// Updates the jobs that show builds and drops.
    func showAsJobs(_ builds: [IndexDefinitionTable.Build]) throws(RecordError) {
        let types = transaction.schema.types.values
        func find(_ id: Int64) -> (type: RecordTypeDefinition, index: IndexDefinition)? {
            for type in types {
                if let index = type.maintainedIndexes.first(where: { $0.id.rawValue == id }) { return (type, index) }
            }
            return nil
        }
        try transaction.jobs.show(
            .buildIndex,
            left: Dictionary(uniqueKeysWithValues: builds.map { ($0.id.rawValue, (Int64($0.built), nil)) }),
            task: { id in
                guard let (type, index) = find(id) else { return .object(JSONObject()) }
                return ["recordType": .string(type.name.text), "index": .string(index.columnText(in: type))]
            },
            ended: { id in
                guard let (_, index) = find(id) else { return .cancelled }
                return index.isFailed ? .failed : .succeeded
            })
        // Entries of dropped indexes are removed after all builds.
        guard builds.isEmpty else { return }
        let dropped = try definitions.allDropped()
        try transaction.jobs.show(
            .dropIndex, left: Dictionary(uniqueKeysWithValues: dropped.map { ($0.rawValue, (0, nil)) }))
    }

    // MARK: Inside the request

    /// Builds new indexes of a type with few records, inside the request that adds the indexes. Types with more records
    /// are left to the work.
    ///
    /// - Throws: Storage errors.
    func buildInline(_ indexes: [IndexDefinition], of type: RecordTypeDefinition) throws(RecordError) {
        let limit = transaction.indexBuilding.inlineRecords
        guard !indexes.isEmpty, transaction.inlineEntries > 0 else { return }
        let scan = transaction.store.scan()
        guard try scan.hasAtMost(limit, ofType: type.id) else { return }
        defer { scan.finish() }
        let filling = IndexBackfill(type, indexes)
        let runs = IndexSortedRuns()
        try scan.begin(type: type.id)
        while let (cursor, zone) = try scan.next() {
            try filling.gather(cursor, cursor.row, zone: zone, into: runs, in: transaction)
            if runs.count > transaction.inlineEntries {
                transaction.inlineEntries = 0
                return try settle(filling, isComplete: false)
            }
        }
        transaction.inlineEntries -= runs.count
        while let entry = runs.next() { try filling.insert(entry, of: runs, in: transaction) }
        try settle(filling, isComplete: true)
    }

    /// Marks indexes as ready or as failed.
    private func settle(_ filling: IndexBackfill, isComplete: Bool) throws(RecordError) {
        guard let type = transaction.schema[id: filling.type.id] else { return }
        let ready = isComplete ? filling.indexes.map(\.id) : []
        try transaction.schemas.apply(.settling(type, ready: ready, failures: filling.failures))
    }
}

extension IndexDefinition {
    /// The columns as in a sort: `threadname, -timestamp`.
    fileprivate func columnText(in type: RecordTypeDefinition) -> String {
        columns.map { ($0.isAscending ? "" : "-") + (type.field(of: $0.source)?.name ?? "?") }.joined(separator: ", ")
    }
}
