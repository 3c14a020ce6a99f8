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
            switch index.kind {
            case .ordered:
                if let path = try ordered(index, parts) { found.append(path) }
            case .members: found += try members(index, parts)
            case .widening: continue
            }
        }
        return found
    }

    // MARK: Paths of every type

    /// Converts conditions on the creation time into an id range. Also returns the conjuncts that the id range
    /// satisfies.
    private func creation(_ parts: Conjuncts) throws(RecordError) -> (ids: IDRange, covered: Set<Int>) {
        guard createdFollowsIDs, let facts = parts.facts[IndexedField(.system(.createdTimestamp))] else { return (IDRange(), []) }
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

    private func creators(_ parts: Conjuncts) throws(RecordError) -> AccessPath? {
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

    // MARK: Indexes

    private func ordered(_ index: IndexDefinition, _ parts: Conjuncts) throws(RecordError) -> AccessPath? {
        var heads: [[UInt8]] = [[]]
        var covered: Set<Int> = []
        var next = 0
        while next < index.columns.count, let field = type.indexedField(of: index.columns[next]),
            let facts = parts.facts[field], let values = facts.values,
            heads.count * values.count <= Self.maxScans
        {
            let column = index.columns[next]
            heads = heads.flatMap { head in
                values.map { value in
                    var key = head
                    IndexKey.append(value, isAscending: column.isAscending, to: &key)
                    return key
                }
            }
            if heads.contains(where: { IndexKey.mayBeTruncated($0.count) }) {
                // Strings with the same truncated prefix share an index key.
                var seen: Set<[UInt8]> = []
                heads = heads.filter { seen.insert($0).inserted }
            }
            covered.formUnion(facts.parts)
            next += 1
        }
        let rest = Array(index.columns[next...])
        let direction = self.direction(of: rest)
        var ranges: [(lower: [UInt8], upper: [UInt8]?, head: Int)] = []
        if let column = rest.first, let field = type.indexedField(of: column), let facts = parts.facts[field],
            facts.values == nil
        {
            for head in heads {
                var bounds: (lower: [UInt8], upper: [UInt8]?)? = KeyBounds.all(under: head)
                if let range = facts.range, let known = bounds {
                    bounds = KeyBounds.both(known, KeyBounds.within(range, column: column, under: head))
                }
                if let prefix = facts.prefix, let known = bounds {
                    bounds = KeyBounds.both(known, KeyBounds.beginning(with: prefix, column: column, under: head))
                }
                if let bounds { ranges.append((bounds.lower, bounds.upper, head.count)) }
            }
            covered.formUnion(facts.parts)
        } else {
            ranges = heads.map { head in
                let bounds = KeyBounds.all(under: head)
                return (bounds.lower, bounds.upper, head.count)
            }
        }
        guard !covered.isEmpty || direction != nil else { return nil }
        var ids = IDRange()
        if rest.isEmpty {
            let created = try creation(parts)
            ids = created.ids
            covered.formUnion(created.covered)
        }
        let condition = parts.together(covered)
        let scans = ranges.map { range in
            IndexScan(
                source: .index(index), lower: range.lower, upper: range.upper, prefixCount: range.head,
                isBackward: direction == .backward, ids: ids, condition: condition, isOneKey: rest.isEmpty)
        }
        return AccessPath(scans: scans, covered: covered, isInOrder: direction != nil)
    }

    private enum Direction { case forward, backward }

    /// The scan direction in which the columns after the fixed ones return the query's order; `nil` if neither
    /// direction returns it.
    private func direction(of columns: [IndexDefinition.Column]) -> Direction? {
        guard columns.count == order.columns.count else { return nil }
        guard let first = columns.first, let wanted = order.columns.first else {
            return order.isIDAscending ? .forward : .backward
        }
        let isBackward = first.isAscending != wanted.isAscending
        for (column, term) in zip(columns, order.columns) {
            guard column.source == term.field.source, column.form == term.form, !term.isAbsentGreatest,
                (column.isAscending != term.isAscending) == isBackward else {
                return nil
            }
        }
        // Entries with the same key are sorted by ascending id. The scan can reverse the ids within each key.
        return isBackward ? .backward : .forward
    }

    private func members(_ index: IndexDefinition, _ parts: Conjuncts) throws(RecordError) -> [AccessPath] {
        guard let column = index.columns.first, let field = type.indexedField(of: column) else { return [] }
        var found: [AccessPath] = []
        for part in parts.listParts where part.field == field {
            var covered: Set<Int> = [part.part]
            var ids = IDRange()
            var bounds: [(lower: [UInt8], upper: [UInt8]?)] = []
            var areKeys = true
            switch part.test {
            case .equals(let value): bounds = [one(value, column)]
            case .isIn(let values):
                guard values.count <= Self.maxScans else { continue }
                bounds = values.map { one($0, column) }
            case .isWithin(let range):
                bounds = [KeyBounds.within(range, column: column, under: [])]
                areKeys = false
            case .hasPrefix(let prefix):
                bounds = [KeyBounds.beginning(with: prefix, column: column, under: [])]
                areKeys = false
            case .isNull, .contains, .matches: continue
            }
            if areKeys {
                let created = try creation(parts)
                ids = created.ids
                covered.formUnion(created.covered)
            }
            let condition = parts.together(covered)
            let scans = bounds.map { bounds in
                IndexScan(
                    source: .index(index), lower: bounds.lower, upper: bounds.upper, prefixCount: bounds.lower.count,
                    isBackward: !order.isIDAscending, ids: ids, condition: condition, isOneKey: areKeys)
            }
            found.append(
                AccessPath(
                    scans: scans, covered: covered, isInOrder: areKeys && order.isByID,
                    hasOverlaps: scans.count > 1 || !areKeys))
        }
        return found
    }

    private func one(_ value: QueryValue, _ column: IndexDefinition.Column) -> (lower: [UInt8], upper: [UInt8]?) {
        var key: [UInt8] = []
        IndexKey.append(value, isAscending: column.isAscending, to: &key)
        return KeyBounds.all(under: key)
    }
}
