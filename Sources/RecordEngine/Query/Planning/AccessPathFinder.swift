internal import RecordModel

/// One way to find the matches of a predicate: index scans and the conditions that they satisfy.
struct AccessPath: Hashable, Sendable {
    var scans: [IndexScan]
    /// The conjuncts that the scans satisfy, as indexes into `Conjuncts.parts`.
    var covered: Set<Int> = []
    /// Whether the merged scans return records in the query's order.
    var isInOrder: Bool
    /// Whether two scans can return the same record.
    var hasOverlaps = false
    /// The search that finds the records by their distance; `nil` for a path that reads its scans.
    var nearest: NearestSearch?

    /// Whether the path looks up records by name.
    var isByName: Bool {
        scans.contains { if case .name = $0.source { true } else { false } }
    }
}

/// Lists the access paths to the matches of a predicate, with or without the query's order.
struct AccessPathFinder {
    let type: RecordTypeDefinition
    let order: QueryOrder
    let createdFollowsIDs: Bool
    /// The searches that count for the rank. All branches of a query number them alike.
    var ranked: [SearchCondition] = []
    /// Returns the ids of the records created within a time range.
    let ids: (ValueRange) throws(RecordError) -> IDRange

    /// The maximum number of scans in one plan. A plan has one scan for each combination of the values of its IN
    /// conditions.
    static let maxScans = 1_000

    func paths(for parts: Conjuncts) throws(RecordError) -> [AccessPath] {
        var found = [try allRecords(parts)]
        if let path = try creators(parts) { found.append(path) }
        if let path = names(parts) { found.append(path) }
        for index in type.indexes where index.isReady {
            found += try index.kind.planning?.paths(index, for: parts, in: self) ?? []
        }
        if let path = try PostingPaths(type: type, parts: parts).path(in: self) { found.append(path) }
        return found
    }

    // MARK: Paths of every type

    /// Converts conditions on the creation time into an id range. Also returns the conjuncts that the id range
    /// satisfies.
    func creation(_ parts: Conjuncts) throws(RecordError) -> (ids: IDRange, covered: Set<Int>) {
        guard createdFollowsIDs, let facts = parts.facts[IndexedField(.system(.createdTimestamp))] else {
            return (IDRange(), [])
        }
        if let values = facts.values {
            guard values.count == 1, let value = values[0] else { return (IDRange(), []) }
            let bound = ValueRange.Bound(value, isInclusive: true)
            return (try ids(ValueRange(lower: bound, upper: bound)), facts.parts)
        }
        guard let range = facts.range, range.lower != nil || range.upper != nil else { return (IDRange(), []) }
        return (try ids(range), facts.parts)
    }

    private func allRecords(_ parts: Conjuncts) throws(RecordError) -> AccessPath {
        let (ids, covered) = try creation(parts)
        let scan = IndexScan(
            source: .records, isBackward: !order.isIDAscending, ids: ids, condition: parts.together(covered),
            isOneKey: true)
        return AccessPath(scans: [scan], covered: covered, isInOrder: order.isByID)
    }

    /// Returns the path through all records of the creators to which the conjuncts limit the matches; `nil` if they do not.
    func creators(_ parts: Conjuncts) throws(RecordError) -> AccessPath? {
        guard let facts = parts.facts[IndexedField(.system(.createdUserRecordName))], let values = facts.values,
            values.count <= Self.maxScans
        else { return nil }
        let (ids, created) = try creation(parts)
        let covered = facts.parts.union(created)
        let condition = parts.together(covered)
        let scans = values.compactMap { value -> IndexScan? in
            guard case .integer(let creator)? = value else { return nil }
            return IndexScan(
                source: .creator(UserID(rawValue: creator)), isBackward: !order.isIDAscending, ids: ids,
                condition: condition,
                isOneKey: true)
        }
        return AccessPath(scans: scans, covered: covered, isInOrder: order.isByID)
    }

    private func names(_ parts: Conjuncts) -> AccessPath? {
        guard let facts = parts.facts[IndexedField(.system(.recordName))], let values = facts.values,
            values.count <= Self.maxScans
        else { return nil }
        let condition = parts.together(facts.parts)
        let scans = values.compactMap { value -> IndexScan? in
            guard case .text(let name)? = value else { return nil }
            return IndexScan(
                source: .name(name), isBackward: !order.isIDAscending, condition: condition, isOneKey: true)
        }
        // The result of a single lookup needs no sorting.
        return AccessPath(scans: scans, covered: facts.parts, isInOrder: order.isByID || scans.count <= 1)
    }
}
