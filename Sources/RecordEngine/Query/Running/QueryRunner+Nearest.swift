internal import Containers
internal import Geography
internal import RecordModel
internal import RecordStorage

/// Sorts by distance, without reading all records.
extension QueryRunner {
    /// The maximum number of entries of a cell that is read as a whole. A cell with more is divided.
    private static let cellEntries = 64

    /// The margin in meters for the distances of opposite places, whose coordinates are rounded.
    private static let margin = 1e-3

    /// Adds the first matches of a plan in the order of distances.
    ///
    /// The cells are read in the order of the distance that none of their places is nearer than (or, for the farthest
    /// places, farther than). A match is certain once it precedes all places of the cells to come.
    ///
    /// - Parameters:
    ///   - position: The position after which to start; `nil` for the beginning.
    ///   - limit: The number of matches that are needed.
    ///   - first: Receives the matches.
    ///   - seen: The records that other plans have found; only used if plans can find the same record.
    /// - Throws: As `QueryBudget.match`.
    func addNearest(
        _ part: QueryBranch, _ search: NearestSearch, after position: QueryPosition?, limit: Int,
        to first: inout TopRecords, _ seen: inout Set<RecordNumber>
    ) throws(RecordError) {
        guard let term = order.columns.first else { return }
        let start = position.map { distance(in: $0.key, term) }
        let areAbsentFirst = term.nulls == .first
        // A position with a distance is behind the records without a place if these come first.
        let readsAbsent = !search.isPresent && !(areAbsentFirst && start?.map { _ in true } ?? false)
        let absentStart = start == .some(nil) ? position : nil
        var certain = 0
        if areAbsentFirst, readsAbsent {
            certain += try addAbsent(part, search, after: absentStart, limit: limit, to: &first, &seen)
        }
        if areAbsentFirst || start != .some(nil) {
            try addPlaces(
                part, search, isAscending: term.isAscending, from: start ?? nil, after: position, limit: limit,
                certain: &certain, to: &first, &seen)
        }
        if !areAbsentFirst, readsAbsent, certain < limit {
            _ = try addAbsent(part, search, after: absentStart, limit: limit - certain, to: &first, &seen)
        }
    }

    /// Returns the distance in a position of the order; `nil` for a record without a place.
    private func distance(in key: [UInt8], _ term: SortTerm) -> Double? {
        key.withUnsafeBytes { key in
            var offset = 0
            let column = IndexKey.column(key, at: &offset, as: .double, isAscending: term.isAscending)
            if case .double(let distance)? = column?.value { return distance }
            return nil
        }
    }

    // MARK: Places

    private func addPlaces(
        _ part: QueryBranch, _ search: NearestSearch, isAscending: Bool, from start: Double?,
        after position: QueryPosition?, limit: Int, certain: inout Int, to first: inout TopRecords,
        _ seen: inout Set<RecordNumber>
    ) throws(RecordError) {
        guard let term = order.columns.first else { return }
        var cells =
            isAscending
            ? NearestCells(from: search.origin, after: start ?? 0, upTo: search.upTo, in: search.area?.prepared)
            : NearestCells(
                from: search.origin.opposite,
                after: max(0, Place.maxDistance - min(start ?? .infinity, search.upTo) - Self.margin),
                in: search.area?.prepared)
        /// The ranks of the matches that are not certain yet. A lower rank comes first.
        var pending = Heap<Double>()
        // A record with several places is found once for each.
        var found: Set<RecordNumber> = []
        /// The first and the last key of as many entries as make a cell too full.
        var full: ClosedRange<PlaceKey>?
        while certain < limit, let cell = cells.next() {
            if let full, cell.keys.contains(full.lowerBound), cell.keys.contains(full.upperBound), cells.divide(cell) {
                continue
            }
            var entries = try self.entries(in: cell, search, part.home, limit: max(Self.cellEntries, limit))
            if case .tooMany(let keys) = entries {
                full = keys
                if cells.divide(cell) { continue }
                entries = try self.entries(in: cell, search, part.home, limit: .max)
            }
            guard case .records(let records) = entries else { continue }
            for id in records where found.insert(id).inserted {
                guard let record = try store.scanning.record(id) else { continue }
                defer { record.finish() }
                try budget.take(1)
                if part.asks, try !matches(record, part, mustRecheck: false) { continue }
                let candidate = QueryPosition(key: try sortKey(record), record: id)
                guard let distance = distance(in: candidate.key, term) else { continue }
                if let position, !position.precedes(candidate, in: order) { continue }
                pending.insert(isAscending ? distance : -distance, by: <)
                if first.wants(candidate), !hasOverlaps || seen.insert(id).inserted {
                    try first.add(candidate, budget)
                }
            }
            // Matches of equal distances are sorted by further columns or ids, so those at the bound are not certain.
            let bound = cells.minimumDistance
            let rank = isAscending ? bound : bound - Place.maxDistance - Self.margin
            while let least = pending.min, least < rank {
                _ = pending.popMin(by: <)
                certain += 1
            }
        }
        certain += pending.count
    }

    /// The entries of a cell.
    private enum CellEntries {
        case records([RecordNumber])
        /// More than a limit. The first ones have keys from the first to the last of the range.
        case tooMany(ClosedRange<PlaceKey>)
    }

    /// Returns the records with a place in a cell, if there are at most as many as a limit.
    private func entries(
        in cell: NearestCell, _ search: NearestSearch, _ home: RowHome, limit: Int
    ) throws(RecordError) -> CellEntries {
        let (lower, upper) = PlaceIndexes.bounds(cell.keys)
        let range = IndexScanner.KeyRange(lower: lower, upper: upper)
        // A cell without entries still costs an index lookup.
        try budget.take(0)
        guard
            let row = try store.indexes.scan(
                search.index.id, home: home, range, after: nil, isBackward: false, reading: .entries)
        else { return .records([]) }
        defer { row.finish() }
        let first = PlaceKey(bytes: row.key.dropFirst())
        var records: [RecordNumber] = []
        repeat {
            if records.count == limit {
                let last = PlaceKey(bytes: row.key.dropFirst()) ?? cell.keys.upperBound
                return .tooMany((first ?? cell.keys.lowerBound)...last)
            }
            records.append(row.id)
            try budget.take(1)
        } while try row.next()
        return .records(records)
    }

    // MARK: Records without a place

    /// Adds the first records without a place.
    ///
    /// - Parameter position: The position of a record without a place after which to start; `nil` for the beginning.
    /// - Returns: The number of records.
    private func addAbsent(
        _ part: QueryBranch, _ search: NearestSearch, after position: QueryPosition?, limit: Int,
        to first: inout TopRecords, _ seen: inout Set<RecordNumber>
    ) throws(RecordError) -> Int {
        guard let term = order.columns.first else { return 0 }
        var plan = part.plan
        plan.scans = [PlaceIndexes.absentScan(search.index, in: order, .constant(true))]
        plan.nearest = nil
        let branch = QueryBranch(plan, in: part.home)
        // Without further columns the records are in the order of their ids.
        let isInOrder = order.columns.count == 1
        var key: [UInt8] = []
        IndexKey.append(
            nil as QueryValue?, isAscending: term.isAscending, isAbsentGreatest: term.isAbsentGreatest, to: &key)
        var count = 0
        try forEachMatch(
            of: [branch], in: isInOrder ? .query : .none, after: position, limit: limit, needsRecords: !isInOrder
        ) { match, record throws(RecordError) in
            let candidate = QueryPosition(key: isInOrder ? key : try sortKey(record), record: match.id)
            if let position, !position.precedes(candidate, in: order) { return .more }
            if first.wants(candidate), !hasOverlaps || seen.insert(match.id).inserted {
                try first.add(candidate, budget)
            }
            count += 1
            return isInOrder && count == limit ? .none : .more
        }
        return count
    }
}

extension Place {
    /// The opposite point of the earth, but for rounding errors.
    fileprivate var opposite: Place {
        Place(latitude: -latitude, longitude: longitude < 0 ? longitude + 180 : longitude - 180) ?? self
    }
}
