internal import RecordModel

/// Indexes with one entry per record, sorted by their columns. They serve values, ranges and prefixes of their first
/// columns, and sorts by the columns after those with known values.
struct OrderedIndexes: IndexKind {
    func paths(
        _ index: IndexDefinition, for parts: Conjuncts, in finder: AccessPathFinder
    ) throws(RecordError) -> [AccessPath] {
        var heads: [[UInt8]] = [[]]
        var covered: Set<Int> = []
        var next = 0
        while next < index.columns.count, let field = finder.type.indexedField(of: index.columns[next]),
            let facts = parts.facts[field], let values = facts.values,
            heads.count * values.count <= AccessPathFinder.maxScans
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
        let direction = self.direction(of: rest, in: finder.order)
        var ranges: [(lower: [UInt8], upper: [UInt8]?, head: Int)] = []
        if let column = rest.first, let field = finder.type.indexedField(of: column), let facts = parts.facts[field],
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
        guard !covered.isEmpty || direction != nil else { return [] }
        var ids = IDRange()
        if rest.isEmpty {
            let created = try finder.creation(parts)
            ids = created.ids
            covered.formUnion(created.covered)
        }
        let condition = parts.together(covered)
        let scans = ranges.map { range in
            IndexScan(
                source: .index(index), lower: range.lower, upper: range.upper, prefixCount: range.head,
                isBackward: direction == .backward, ids: ids, condition: condition, isOneKey: rest.isEmpty)
        }
        return [AccessPath(scans: scans, covered: covered, isInOrder: direction != nil)]
    }

    private enum Direction { case forward, backward }

    /// The scan direction in which the columns after the fixed ones return the query's order; `nil` if neither
    /// direction returns it.
    private func direction(of columns: [IndexDefinition.Column], in order: QueryOrder) -> Direction? {
        guard columns.count == order.columns.count else { return nil }
        guard let first = columns.first, let wanted = order.columns.first else {
            return order.isIDAscending ? .forward : .backward
        }
        let isBackward = first.isAscending != wanted.isAscending
        for (column, term) in zip(columns, order.columns) {
            guard column.source == term.field.source, column.form == term.form, !term.isAbsentGreatest,
                (column.isAscending != term.isAscending) == isBackward
            else {
                return nil
            }
        }
        // Entries with the same key are sorted by ascending id. The scan can reverse the ids within each key.
        return isBackward ? .backward : .forward
    }
}
