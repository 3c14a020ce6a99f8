internal import RecordModel
internal import TextSearch

/// Makes the path to the matches of all searches for words and within texts of a predicate together, through the indexes
/// that a type has for them. The path reads the records that have all words and parts, by id.
struct PostingPaths {
    let type: RecordTypeDefinition
    let parts: Conjuncts

    /// Returns the path; `nil` if no conjunct is served by postings.
    func path(in finder: AccessPathFinder) throws(RecordError) -> AccessPath? {
        var branches: [PostingTree] = []
        var covered: Set<Int> = []
        var isInexact = false
        for search in parts.searches {
            guard let (tree, isProved) = tree(of: search.search, in: finder) else { continue }
            branches.append(tree)
            covered.insert(search.part)
            isInexact = isInexact || !isProved
        }
        for part in parts.textParts {
            guard let tree = tree(of: part.field, part.text) else { continue }
            branches.append(tree)
            covered.insert(part.part)
            isInexact = true
        }
        guard !branches.isEmpty else { return nil }
        let created = try finder.creation(parts)
        covered.formUnion(created.covered)
        if branches.count == 1, !isInexact, let leaves = branches[0].mergedLeaves,
            !finder.order.columns.contains(where: \.field.isRank)
        {
            return merge(of: leaves, covering: covered, created, finder)
        }
        let scan = IndexScan(
            source: .postings(branches.count == 1 ? branches[0] : .all(branches)),
            isBackward: !finder.order.isIDAscending, ids: created.ids, condition: parts.together(covered),
            isOneKey: true, isInexact: isInexact)
        return AccessPath(scans: [scan], covered: covered, isInOrder: finder.order.isByID)
    }

    /// Returns the path that merges scans of single keys. Such scans read records with their entries in one statement,
    /// which costs less than a lookup per record.
    private func merge(
        of leaves: [PostingLeaf], covering covered: Set<Int>, _ created: (ids: IDRange, covered: Set<Int>),
        _ finder: AccessPathFinder
    ) -> AccessPath {
        let scans = leaves.map { leaf in
            IndexScan(
                source: .index(leaf.index), lower: leaf.lower, upper: leaf.upper, prefixCount: leaf.lower.count,
                isBackward: !finder.order.isIDAscending, ids: created.ids,
                condition: parts.together(leaf.isInexact ? created.covered : covered), isOneKey: true,
                isInexact: leaf.isInexact)
        }
        // Of one word and one field: a record with too many words has no entry for the word.
        return AccessPath(
            scans: scans, covered: covered, isInOrder: finder.order.isByID, hasOverlaps: leaves.count > 2)
    }

    // MARK: Words

    /// Returns the postings of a search, and whether they prove a match; `nil` if a field has no ready index.
    private func tree(
        of search: SearchCondition, in finder: AccessPathFinder
    ) -> (PostingTree, isProved: Bool)? {
        var indexes: [IndexDefinition] = []
        for field in search.fields {
            guard let index = type.wordIndex(of: field, where: \.isReady) else { return nil }
            indexes.append(index)
        }
        let number = finder.ranked.firstIndex(of: search)
        var isProved = true
        let words = search.words.words.enumerated().map { place, word -> PostingTree in
            isProved = isProved && word.isProvedByIndex
            let terms = word.indexTerms.map { term -> PostingTree in
                let leaves = indexes.enumerated().map { field, index in
                    let label = number.map { PostingLeaf.Label(search: $0, word: place, field: field) }
                    return PostingTree.leaf(leaf(term, index, word.isProvedByIndex ? label : nil))
                }
                return leaves.count == 1 ? leaves[0] : .any(leaves)
            }
            return terms.count == 1 ? terms[0] : .all(terms)
        }
        let tree: PostingTree =
            words.count == 1 ? words[0] : search.words.mode == .all ? .all(words) : .any(words)
        // Records with too many words are tested one by one.
        return (.any([tree] + indexes.map { .leaf(self.overflow(TextTerms.overflow, $0)) }), isProved)
    }

    private func leaf(_ term: SearchWord.Term, _ index: IndexDefinition, _ label: PostingLeaf.Label?) -> PostingLeaf {
        var key: [UInt8] = []
        if term.isPrefix {
            IndexKey.append(prefix: term.bytes, isAscending: index.isAscending, to: &key)
        } else {
            IndexKey.append(.text(term.bytes), isAscending: index.isAscending, to: &key)
        }
        let bounds = KeyBounds.all(under: key)
        return PostingLeaf(
            index: index, lower: bounds.lower, upper: bounds.upper, isOneKey: !term.isPrefix, label: label)
    }

    private func overflow(_ text: [UInt8], _ index: IndexDefinition) -> PostingLeaf {
        var key: [UInt8] = []
        IndexKey.append(.text(text), isAscending: index.isAscending, to: &key)
        let bounds = KeyBounds.all(under: key)
        return PostingLeaf(
            index: index, lower: bounds.lower, upper: bounds.upper, isOneKey: true, isInexact: true)
    }

    // MARK: Parts

    /// Returns the postings of a text that consists of several parts; `nil` if it does not, or if there is no ready
    /// index.
    private func tree(of field: IndexedField, _ text: [UInt8]) -> PostingTree? {
        guard case .parts(let texts) = TextParts.search(for: text), let column = field.textColumn,
            let index = type.indexes.first(where: { $0.kind == .parts && $0.isReady && $0.columns == [column] })
        else { return nil }
        let leaves = texts.map { text in
            var leaf = overflow(text, index)
            leaf.isInexact = false
            return PostingTree.leaf(leaf)
        }
        return .any([.most(leaves), .leaf(overflow([], index))])
    }
}

extension IndexDefinition {
    /// Whether the values of the first column ascend.
    fileprivate var isAscending: Bool { columns.first?.isAscending ?? true }
}
