internal import RecordModel

/// The entries of several words or parts of texts, combined: the records of a scan of postings.
indirect enum PostingTree: Hashable, Sendable {
    case leaf(PostingLeaf)
    /// The records that all branches have. There is at least one branch.
    case all([PostingTree])
    /// Records that all branches have, and perhaps more: a reader may leave out branches, because the records
    /// are tested anyway. There is at least one branch.
    case most([PostingTree])
    /// The records that at least one branch has. There is at least one branch.
    case any([PostingTree])

    /// The leaves, from left to right.
    var leaves: [PostingLeaf] {
        switch self {
        case .leaf(let leaf): [leaf]
        case .all(let branches), .most(let branches), .any(let branches): branches.flatMap(\.leaves)
        }
    }

    /// The most leaves that are read as separate scans.
    private static let mostMerged = 6

    /// The leaves, if the records are those of at least one of a few leaves with one key each; `nil` otherwise.
    var mergedLeaves: [PostingLeaf]? {
        let isAny =
            switch self {
            case .leaf: true
            case .any(let branches): branches.allSatisfy { $0.mergedLeaves != nil }
            case .all, .most: false
            }
        let leaves = leaves
        return isAny && leaves.count <= Self.mostMerged && leaves.allSatisfy(\.isOneKey) ? leaves : nil
    }

    /// The indexes of the leaves, each once.
    var indexes: [IndexDefinition] {
        var found: [IndexDefinition] = []
        for leaf in leaves where !found.contains(leaf.index) { found.append(leaf.index) }
        return found
    }

    /// Returns a number of rows of the tree: the sum of the branches of an `any`, and the least of the branches of an
    /// `all`.
    func rows(of leaf: (PostingLeaf) throws(RecordError) -> Int) throws(RecordError) -> Int {
        switch self {
        case .leaf(let one): return try leaf(one)
        case .any(let branches):
            var sum = 0
            for branch in branches { sum += try branch.rows(of: leaf) }
            return sum
        case .all(let branches), .most(let branches):
            var least = Int.max
            for branch in branches { least = min(least, try branch.rows(of: leaf)) }
            return least
        }
    }
}

/// A range of keys in an index, whose records are read by id.
struct PostingLeaf: Hashable, Sendable {
    /// Which word of which field the entries are for.
    struct Label: Hashable, Sendable {
        /// The place of the search among those that count for the rank (`PreparedQuery.ranked`).
        var search: Int
        /// The place of the word in the search.
        var word: Int
        /// The place of the field in the search.
        var field: Int
    }

    var index: IndexDefinition
    /// The range of keys, from `lower` up to but not including `upper` (`nil`: to the end).
    var lower: [UInt8]
    var upper: [UInt8]?
    /// Whether all entries in the range have the same key, and so are sorted by id.
    var isOneKey: Bool
    /// Whether each record of the leaf must be tested against the whole predicate.
    var isInexact = false
    /// `nil` if the entries do not count for the rank.
    var label: Label?
}
