internal import RecordModel

/// Indexes with one entry per distinct part of a text. They serve CONTAINS.
struct PartIndexes: IndexKind {
    func paths(
        _ index: IndexDefinition, for parts: Conjuncts, in finder: AccessPathFinder
    ) throws(RecordError) -> [AccessPath] {
        guard let column = index.columns.first, let field = finder.type.indexedField(of: column) else { return [] }
        var found: [AccessPath] = []
        for part in parts.textParts where part.field == field {
            switch TextParts.search(for: part.text) {
            case .prefix(let text):
                var key: [UInt8] = []
                IndexKey.append(prefix: text, isAscending: column.isAscending, to: &key)
                found.append(
                    try path(index, KeyBounds.all(under: key), isOneKey: false, covering: part.part, parts, finder))
            case .part(let text):
                found.append(
                    try path(
                        index, KeyBounds.all(under: key(text, column)), isOneKey: true, covering: part.part, parts,
                        finder))
            // `PostingPaths` combines the parts.
            case .parts: continue
            }
        }
        return found
    }

    /// Returns the path to the texts with some parts, and to the records that have too many parts for the index.
    ///
    /// - Parameter covered: The conjunct that all texts found by their parts satisfy; `nil` for none.
    private func path(
        _ index: IndexDefinition, _ bounds: (lower: [UInt8], upper: [UInt8]?), isOneKey: Bool, covering covered: Int?,
        _ parts: Conjuncts, _ finder: AccessPathFinder
    ) throws(RecordError) -> AccessPath {
        guard let column = index.columns.first else { return AccessPath(scans: [], isInOrder: false) }
        let created = try finder.creation(parts)
        let all = created.covered.union(covered.map { [$0] } ?? [])
        // Only scans of one key are limited to the ids of a time.
        let isCreated = isOneKey ? all : all.subtracting(created.covered)
        let scan = IndexScan(
            source: .index(index), lower: bounds.lower, upper: bounds.upper, prefixCount: bounds.lower.count,
            isBackward: !finder.order.isIDAscending, ids: isOneKey ? created.ids : IDRange(),
            condition: parts.together(isCreated), isOneKey: isOneKey)
        let long = KeyBounds.all(under: key([], column))
        let others = IndexScan(
            source: .index(index), lower: long.lower, upper: long.upper, prefixCount: long.lower.count,
            isBackward: !finder.order.isIDAscending, ids: isOneKey ? created.ids : IDRange(),
            condition: parts.together(isOneKey ? created.covered : []), isOneKey: true, isInexact: true)
        return AccessPath(
            scans: [scan, others], covered: isCreated, isInOrder: isOneKey && finder.order.isByID,
            hasOverlaps: !isOneKey)
    }

    private func key(_ text: [UInt8], _ column: IndexDefinition.Column) -> [UInt8] {
        var key: [UInt8] = []
        IndexKey.append(.text(text), isAscending: column.isAscending, to: &key)
        return key
    }
}
