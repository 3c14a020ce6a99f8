internal import RecordModel
internal import RecordStorage
internal import Threads

/// The work on indexes inside the writer's transaction: building in slices, building at once, dropping.
extension WriteTransaction {
    /// What one slice has done.
    struct SliceOutcome: Sendable {
        /// Whether there is more to build or to drop.
        var hasMore: Bool
        /// The records that are in each index that is still being built.
        var building: [Int64: Int] = [:]
        /// The records that it has put into indexes, counted once per index.
        var added = 0
    }

    /// Whether some index is to be built or dropped.
    func hasIndexWork() throws(StoreError) -> Bool {
        if try !indexDefinitions.builds().isEmpty { return true }
        return try indexDefinitions.firstDropped() != nil
    }

    /// Builds on at those indexes that are least far; or, if none are being built, takes away some of a dropped one.
    ///
    /// Writes keep an index up to date from the moment it exists. So a record may get its entries twice, which is once;
    /// and none is missed: it has them by the slice that passes its number, or by a write behind that slice.
    ///
    /// - Parameter goesOn: Whether there is time left, given when the slice began.
    func indexSlice(goesOn: (_ started: UInt64) -> Bool) throws(RecordError) -> SliceOutcome {
        let started = MonotonicClock.now
        // What a failure asks for anew is left to further slices.
        entriesAtOnce = 0
        let builds = try store { () throws(StoreError) in try indexDefinitions.builds() }
        guard let position = builds.map(\.position).min() else { return try dropSlice(started, goesOn) }
        // Those that are equally far go on together, up to where the next one is, which then joins them.
        let end = builds.map(\.position).filter { $0 > position }.min() ?? .max
        let front = builds.filter { $0.position == position }
        var fillings: [Int64: IndexFilling] = [:]
        for build in front {
            guard let type = schema[id: build.type], let index = type.indexes.first(where: { $0.id == build.id })
            else {
                try store { () throws(StoreError) in try indexDefinitions.setDropped(build.id) }
                continue
            }
            let filling = fillings[build.type] ?? IndexFilling(type)
            filling.indexes.append(index)
            fillings[build.type] = filling
        }
        let reached = try walk(after: position, upTo: end, fillings, started, goesOn)
        var added = 0
        for build in front {
            guard let filling = fillings[build.type], filling.failures[build.id] == nil else { continue }
            added += filling.records
            guard let reached else { continue }
            var build = build
            build.position = reached
            build.built += filling.records
            try store { () throws(StoreError) in try indexDefinitions.save(build) }
        }
        for filling in fillings.values { try settle(filling, isComplete: reached == nil) }
        return try store { () throws(StoreError) in
            let builds = try indexDefinitions.builds()
            return SliceOutcome(
                hasMore: try hasIndexWork(),
                building: Dictionary(builds.map { ($0.id, $0.built) }, uniquingKeysWith: { $1 }), added: added)
        }
    }

    /// Walks through records of all types.
    ///
    /// - Returns: The number up to which it came; `nil` behind the last record.
    private func walk(
        after position: Int64, upTo end: Int64, _ fillings: [Int64: IndexFilling], _ started: UInt64,
        _ goesOn: (UInt64) -> Bool
    ) throws(RecordError) -> Int64? {
        let walk = RecordWalk(connection)
        defer { walk.finish() }
        try store { () throws(StoreError) in try walk.begin(after: position) }
        var seen = 0
        while let (cursor, zone) = try store({ () throws(StoreError) in try walk.next() }) {
            let row = cursor.row
            if row.id > end { return end }
            // Made when all of these indexes were there: its own write has put it in. Else a build beside writers who are
            // faster would never end.
            if row.id > lastUnindexed { return nil }
            if !row.isDeleted, let filling = fillings[row.type] {
                try filling.add(cursor, row, zone: zone, in: self)
            }
            seen += 1
            // Asking for the time costs as much as a record of another type.
            if seen >= indexBuilding.recordsPerSlice || (seen % 8 == 0 && !goesOn(started)) { return row.id }
        }
        return end == .max ? nil : end
    }

    private func dropSlice(_ started: UInt64, _ goesOn: (UInt64) -> Bool) throws(RecordError) -> SliceOutcome {
        guard let id = try store({ () throws(StoreError) in try indexDefinitions.firstDropped() }) else {
            return SliceOutcome(hasMore: false)
        }
        let table = indexes.table
        let piece = min(256, indexBuilding.recordsPerSlice)
        var gone = 0
        repeat {
            if try store({ () throws(StoreError) in try table.removeFirst(piece, of: id) }) {
                let hasMore = try store { () throws(StoreError) in
                    try table.drop(id)
                    try indexDefinitions.remove(id)
                    return try hasIndexWork()
                }
                return SliceOutcome(hasMore: hasMore)
            }
            gone += piece
        } while gone < indexBuilding.recordsPerSlice && goesOn(started)
        return SliceOutcome(hasMore: true)
    }

    // MARK: At once

    /// Builds new indexes of a type inside the request that makes them, if the type is small.
    func fillAtOnce(_ indexes: [IndexDefinition], of type: RecordTypeDefinition) throws(RecordError) {
        let limit = indexBuilding.recordsAtOnce
        guard !indexes.isEmpty, entriesAtOnce > 0 else { return }
        let walk = RecordWalk(connection)
        guard try store({ () throws(StoreError) in try walk.hasAtMost(limit, ofType: type.id) }) else { return }
        defer { walk.finish() }
        let filling = IndexFilling(type, indexes)
        try store { () throws(StoreError) in try walk.begin(type: type.id) }
        while let (cursor, zone) = try store({ () throws(StoreError) in try walk.next() }) {
            try filling.add(cursor, cursor.row, zone: zone, in: self)
            // What is in already does no harm: the slices begin at the first record.
            if filling.entries > entriesAtOnce {
                entriesAtOnce = 0
                return try settle(filling, isComplete: false)
            }
        }
        entriesAtOnce -= filling.entries
        try settle(filling, isComplete: true)
    }

    /// Notes which indexes are ready, and which cannot be.
    private func settle(_ filling: IndexFilling, isComplete: Bool) throws(RecordError) {
        guard isComplete || !filling.failures.isEmpty, var type = schema[id: filling.type.id] else { return }
        for filled in filling.indexes {
            guard let position = type.indexes.firstIndex(where: { $0.id == filled.id }) else { continue }
            if let reason = filling.failures[filled.id] {
                type.indexes[position].state = .failed(reason)
                try store { () throws(StoreError) in try indexDefinitions.setFailed(filled.id, reason: reason) }
            } else if isComplete {
                type.indexes[position].state = .ready
                try store { () throws(StoreError) in try indexDefinitions.setReady(filled.id) }
            }
        }
        schema.set(type)
        rightsChanged = true
        // A field may have relied on one that failed.
        if !filling.failures.isEmpty {
            try setIndexes(of: type, declared: type.declaredShapes, retriesFailed: false)
        }
    }
}
