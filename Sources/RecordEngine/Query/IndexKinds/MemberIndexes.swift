internal import RecordModel

/// Indexes with one entry per distinct member of a list. They serve tests of at least one member.
struct MemberIndexes: IndexKind {
    func paths(
        _ index: IndexDefinition, for parts: Conjuncts, in finder: AccessPathFinder
    ) throws(RecordError) -> [AccessPath] {
        let order = finder.order
        guard let column = index.columns.first, let field = finder.type.indexedField(of: column) else { return [] }
        var found: [AccessPath] = []
        for part in parts.listParts where part.field == field {
            var covered: Set<Int> = [part.part]
            var ids = IDRange()
            var bounds: [(lower: [UInt8], upper: [UInt8]?)] = []
            var areKeys = true
            switch part.test {
            case .equals(let value): bounds = [one(value, column)]
            case .isIn(let values):
                guard values.count <= AccessPathFinder.maxScans else { continue }
                bounds = values.map { one($0, column) }
            case .isWithin(let range):
                bounds = [KeyBounds.within(range, column: column, under: [])]
                areKeys = false
            case .hasPrefix(let prefix):
                bounds = [KeyBounds.beginning(with: prefix, column: column, under: [])]
                areKeys = false
            case .isNull, .contains, .matches, .isInside, .leadsTo: continue
            }
            if areKeys {
                let created = try finder.creation(parts)
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
