internal import RecordModel

/// How queries use the indexes of one kind.
///
/// `IndexedRecord.appendKeys` makes the keys of each kind, and `IndexRules` says which fields an index may have. All
/// kinds stand on the same tables of entries (`IndexTable`), which are sorted by key and record number, so that zones,
/// access lists, cursors and builds work alike for all.
protocol IndexKind: Sendable {
    /// Returns the paths to the matches of a predicate through an index.
    ///
    /// - Throws: The errors of the finder's closures.
    func paths(
        _ index: IndexDefinition, for parts: Conjuncts, in finder: AccessPathFinder
    ) throws(RecordError) -> [AccessPath]
}

extension IndexDefinition.Kind {
    /// How queries use indexes of the kind; `nil` if they do not.
    var planning: (any IndexKind)? {
        switch self {
        case .ordered: OrderedIndexes()
        case .members: MemberIndexes()
        case .parts: PartIndexes()
        // `PostingPaths` uses all indexes for words together.
        case .words: nil
        case .places: PlaceIndexes()
        case .widening: nil
        }
    }
}
