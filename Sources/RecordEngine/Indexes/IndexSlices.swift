internal import RecordModel
internal import RecordStorage

/// The work on indexes inside the writer's transaction: building in slices, building at once, dropping.
struct IndexWork {
    let transaction: WriteTransaction

    private var definitions: IndexDefinitionTable { transaction.store.indexDefinitions }
    private var indexes: IndexMaintainer { transaction.indexes }

    /// Whether some index is to be built or dropped.
    func isLeft() throws(RecordError) -> Bool {
        if try !definitions.builds().isEmpty { return true }
        return try definitions.firstDropped() != nil
    }

    /// Builds on at those indexes that are least far; or, if none are being built, takes away some of a dropped one.
    ///
    /// Writes keep an index up to date from the moment it exists. So a record may get its entries twice, which is once;
    /// and none is missed: it has them by the stretch that passes its number, or by a write behind that stretch.
    ///
    /// - Returns: What was done: the records that were put into indexes, counted once per index.
    func slice(_ budget: inout SliceBudget) throws(RecordError) -> JobProgress {
        // What a failure asks for anew is left to further slices.
        transaction.entriesAtOnce = 0
        let builds = try definitions.builds()
        guard !builds.isEmpty else {
            indexes.load = nil
            return try dropSlice(&budget)
        }
        guard let load = try load(for: builds) else { return JobProgress(hasMore: true) }
        load.isCommitted = false
        var added = 0
        if try load.run(&budget, in: transaction) {
            added = try finish(load)
        } else if load.hasFailures {
            // Told while it is true: writes may mend it later. The others begin the stretch anew.
            indexes.load = nil
            for filling in load.fillings.values { try settle(filling, isComplete: false) }
        }
        return JobProgress(hasMore: try isLeft(), done: added)
    }

    /// The stretch that is under way, or a new one.
    ///
    /// - Returns: `nil` if what was to be built is gone.
    private func load(for builds: [IndexDefinitionTable.Build]) throws(RecordError) -> IndexLoad? {
        if let load = indexes.load, load.isCommitted, load.builds.allSatisfy(builds.contains) { return load }
        indexes.load = nil
        guard let position = builds.map(\.position).min() else { return nil }
        // Those that are equally far go on together, up to where the next one is, which then joins them.
        let end = builds.map(\.position).filter { $0 > position }.min() ?? .highest
        var front: [IndexDefinitionTable.Build] = []
        var fillings: [TypeID: IndexFilling] = [:]
        for build in builds where build.position == position {
            guard let type = transaction.schema[id: build.type],
                let index = type.maintainedIndexes.first(where: { $0.id == build.id })
            else {
                try definitions.setDropped(build.id)
                continue
            }
            front.append(build)
            let filling = fillings[build.type] ?? IndexFilling(type)
            filling.indexes.append(index)
            fillings[build.type] = filling
        }
        guard !front.isEmpty else { return nil }
        let load = IndexLoad(front, fillings, after: position, upTo: end)
        indexes.load = load
        return load
    }

    /// Stores what a stretch has brought that is in.
    ///
    /// - Returns: The records that are in, counted once per index.
    private func finish(_ load: IndexLoad) throws(RecordError) -> Int {
        indexes.load = nil
        var added = 0
        for var build in load.builds where load.fillings[build.type]?.failures[build.id] == nil {
            let records = load.records[build.type] ?? 0
            added += records
            if load.isLast { continue }
            build.position = load.position
            build.built += records
            try definitions.save(build)
        }
        for filling in load.fillings.values { try settle(filling, isComplete: load.isLast) }
        return added
    }

    private func dropSlice(_ budget: inout SliceBudget) throws(RecordError) -> JobProgress {
        guard let id = try definitions.firstDropped() else { return JobProgress(hasMore: false) }
        let table = indexes.table
        let piece = min(256, transaction.indexBuilding.recordsPerSlice)
        repeat {
            if try table.removeFirst(piece, of: id) {
                try table.drop(id)
                try definitions.remove(id)
                return JobProgress(hasMore: try isLeft())
            }
            budget.spend(piece)
        } while budget.hasMore
        return JobProgress(hasMore: true)
    }

    // MARK: At once

    /// Builds new indexes of a type inside the request that makes them, if the type is small.
    func fillAtOnce(_ indexes: [IndexDefinition], of type: RecordTypeDefinition) throws(RecordError) {
        let limit = transaction.indexBuilding.recordsAtOnce
        guard !indexes.isEmpty, transaction.entriesAtOnce > 0 else { return }
        let walk = transaction.store.walk()
        guard try walk.hasAtMost(limit, ofType: type.id) else { return }
        defer { walk.finish() }
        let filling = IndexFilling(type, indexes)
        let runs = IndexRuns()
        try walk.begin(type: type.id)
        while let (cursor, zone) = try walk.next() {
            try filling.gather(cursor, cursor.row, zone: zone, into: runs, in: transaction)
            if runs.count > transaction.entriesAtOnce {
                transaction.entriesAtOnce = 0
                return try settle(filling, isComplete: false)
            }
        }
        transaction.entriesAtOnce -= runs.count
        while let entry = runs.next() { try filling.insert(entry, of: runs, in: transaction) }
        try settle(filling, isComplete: true)
    }

    /// Notes which indexes are ready, and which cannot be.
    private func settle(_ filling: IndexFilling, isComplete: Bool) throws(RecordError) {
        guard let type = transaction.schema[id: filling.type.id] else { return }
        let ready = isComplete ? filling.indexes.map(\.id) : []
        try transaction.schemas.apply(.settling(type, ready: ready, failures: filling.failures))
    }
}
