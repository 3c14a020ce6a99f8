internal import RecordModel
internal import RecordStorage

/// The work on indexes inside the writer's transaction: building in slices, building at once, dropping.
extension WriteTransaction {
    /// Whether some index is to be built or dropped.
    func hasIndexWork() throws(RecordError) -> Bool {
        if try !indexDefinitions.builds().isEmpty { return true }
        return try indexDefinitions.firstDropped() != nil
    }

    /// Builds on at those indexes that are least far; or, if none are being built, takes away some of a dropped one.
    ///
    /// Writes keep an index up to date from the moment it exists. So a record may get its entries twice, which is once;
    /// and none is missed: it has them by the stretch that passes its number, or by a write behind that stretch.
    ///
    /// - Returns: What was done: the records that were put into indexes, counted once per index.
    func indexSlice(_ budget: inout SliceBudget) throws(RecordError) -> JobProgress {
        // What a failure asks for anew is left to further slices.
        entriesAtOnce = 0
        let builds = try indexDefinitions.builds()
        guard !builds.isEmpty else {
            indexes.load = nil
            return try dropSlice(&budget)
        }
        guard let load = try load(for: builds) else { return JobProgress(hasMore: true) }
        load.isCommitted = false
        var added = 0
        if try load.run(&budget, in: self) {
            added = try finish(load)
        } else if load.hasFailures {
            // Told while it is true: writes may mend it later. The others begin the stretch anew.
            indexes.load = nil
            for filling in load.fillings.values { try settle(filling, isComplete: false) }
        }
        return JobProgress(hasMore: try hasIndexWork(), done: added)
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
            guard let type = schema[id: build.type],
                let index = type.maintainedIndexes.first(where: { $0.id == build.id })
            else {
                try indexDefinitions.setDropped(build.id)
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
            try indexDefinitions.save(build)
        }
        for filling in load.fillings.values { try settle(filling, isComplete: load.isLast) }
        return added
    }

    private func dropSlice(_ budget: inout SliceBudget) throws(RecordError) -> JobProgress {
        guard let id = try indexDefinitions.firstDropped() else { return JobProgress(hasMore: false) }
        let table = indexes.table
        let piece = min(256, indexBuilding.recordsPerSlice)
        repeat {
            if try table.removeFirst(piece, of: id) {
                try table.drop(id)
                try indexDefinitions.remove(id)
                return JobProgress(hasMore: try hasIndexWork())
            }
            budget.spend(piece)
        } while budget.hasMore
        return JobProgress(hasMore: true)
    }

    // MARK: At once

    /// Builds new indexes of a type inside the request that makes them, if the type is small.
    func fillAtOnce(_ indexes: [IndexDefinition], of type: RecordTypeDefinition) throws(RecordError) {
        let limit = indexBuilding.recordsAtOnce
        guard !indexes.isEmpty, entriesAtOnce > 0 else { return }
        let walk = store.walk()
        guard try walk.hasAtMost(limit, ofType: type.id) else { return }
        defer { walk.finish() }
        let filling = IndexFilling(type, indexes)
        let runs = IndexRuns()
        try walk.begin(type: type.id)
        while let (cursor, zone) = try walk.next() {
            try filling.gather(cursor, cursor.row, zone: zone, into: runs, in: self)
            if runs.count > entriesAtOnce {
                entriesAtOnce = 0
                return try settle(filling, isComplete: false)
            }
        }
        entriesAtOnce -= runs.count
        while let entry = runs.next() { try filling.insert(entry, of: runs, in: self) }
        try settle(filling, isComplete: true)
    }

    /// Notes which indexes are ready, and which cannot be.
    private func settle(_ filling: IndexFilling, isComplete: Bool) throws(RecordError) {
        guard let type = schema[id: filling.type.id] else { return }
        let ready = isComplete ? filling.indexes.map(\.id) : []
        try apply(.settling(type, ready: ready, failures: filling.failures))
    }
}
