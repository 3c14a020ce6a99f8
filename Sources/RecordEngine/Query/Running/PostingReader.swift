internal import RecordModel
internal import RecordStorage
internal import TextSearch

/// Reads the records of a `PostingTree` in the order of ids, or against it.
final class PostingReader {
    /// A part of the tree, with its lists.
    private indirect enum Node {
        case list(PostingList)
        case all([Node])
        case any([Node])
    }

    private let tree: PostingTree
    private let home: RowHome
    private let isBackward: Bool
    /// The last place to return; `nil` for no bound.
    private let end: PostingStep?
    private var isStarted = false
    /// The tree without the lists that have ended; `nil` before the first record and after the last one.
    private var root: Node?
    private var lists: [PostingList] = []
    private let memory = PostingList.Memory()
    private(set) var current: PostingStep?
    private var start: PostingStep

    /// The numbers of entries that are counted to find the branch with the fewest records: more if all have the first.
    private static let countedEntries = [256, 4_096]
    /// The most branches of a `most` that are read if a branch has few records: then testing a record costs less than
    /// skipping in more lists.
    private static let readBranches = 3

    /// - Parameters:
    ///   - ids: The ids to return.
    ///   - position: The record after which to start; `nil` for the beginning.
    init(_ tree: PostingTree, home: RowHome, ids: IDRange, isBackward: Bool, after position: RecordNumber?) {
        self.tree = tree
        self.home = home
        self.isBackward = isBackward
        let (first, last) = isBackward ? (ids.below, ids.above) : (ids.above, ids.below)
        start = .first
        if first != .lowest, first != .highest {
            start = max(start, PostingStep(first, isBackward: isBackward).next)
        }
        if let position { start = max(start, PostingStep(position, isBackward: isBackward).next) }
        end = last == .lowest || last == .highest ? nil : PostingStep(last, isBackward: isBackward)
    }

    /// Makes the lists of a tree. The first branch of an intersection has the fewest records, because its records are the
    /// ones that the other branches are asked for.
    private func node(
        _ tree: PostingTree, _ store: StoreReader, _ budget: QueryBudget
    ) throws(RecordError) -> Node {
        switch tree {
        case .leaf(let leaf):
            let list = PostingList(leaf, home: home, isBackward: isBackward, memory: memory)
            lists.append(list)
            return .list(list)
        case .any(let branches): return .any(try nodes(branches, store, budget))
        case .all(let branches): return .all(try nodes(try sorted(branches, store, budget).branches, store, budget))
        case .most(let branches):
            let (branches, least) = try sorted(branches, store, budget)
            let isShort = least < Self.countedEntries[0]
            return .all(try nodes(isShort ? Array(branches.prefix(Self.readBranches)) : branches, store, budget))
        }
    }

    private func nodes(
        _ branches: [PostingTree], _ store: StoreReader, _ budget: QueryBudget
    ) throws(RecordError) -> [Node] {
        var nodes: [Node] = []
        for branch in branches { nodes.append(try node(branch, store, budget)) }
        return nodes
    }

    /// Returns branches by their number of records, and the least number, up to a limit.
    private func sorted(
        _ branches: [PostingTree], _ store: StoreReader, _ budget: QueryBudget
    ) throws(RecordError) -> (branches: [PostingTree], least: Int) {
        guard branches.count > 1 else { return (branches, .max) }
        var counted: [(branch: PostingTree, rows: Int)] = []
        for limit in Self.countedEntries where counted.allSatisfy({ $0.rows >= Self.countedEntries[0] }) {
            counted.removeAll()
            for branch in branches {
                let rows = try branch.rows { leaf throws(RecordError) in
                    let rows = try store.indexes.count(
                        leaf.index.id, home: home, IndexScanner.KeyRange(lower: leaf.lower, upper: leaf.upper),
                        limit: limit)
                    try budget.take(rows / 8)
                    return rows
                }
                counted.append((branch, rows))
            }
        }
        counted.sort { $0.rows < $1.rows }
        return (counted.map(\.branch), counted[0].rows)
    }

    /// Removes the lists that have come to their end, so that the rest takes fewer steps.
    private func prune() {
        lists.removeAll { $0.isEnded }
        root = root.flatMap(Self.pruned)
    }

    private static func pruned(_ node: Node) -> Node? {
        switch node {
        case .list(let list): return list.isEnded ? nil : node
        case .all(let branches):
            let left = branches.compactMap(pruned)
            return left.count == branches.count ? .all(left) : nil
        case .any(let branches):
            let left = branches.compactMap(pruned)
            return left.count > 1 ? .any(left) : left.first
        }
    }

    /// The current record.
    var record: RecordNumber? { current?.record(isBackward: isBackward) }

    /// Whether the current record must be tested, because its entry does not tell whether it matches.
    var isInexact: Bool { lists.contains { $0.leaf.isInexact && $0.current == current } }

    /// Calls `body` with each word of the current record that counts for the rank, and its payload.
    func forEachWord(_ body: (PostingLeaf.Label, PostingPayload) -> Void) {
        for list in lists where list.current == current {
            if let label = list.leaf.label { body(label, list.payload) }
        }
    }

    /// Moves to the next record, at first to the first one.
    ///
    /// - Returns: `false` if there are no more records.
    /// - Throws: As `QueryBudget.take`.
    func next(_ store: StoreReader, _ budget: QueryBudget) throws(RecordError) -> Bool {
        if let current { start = current.next }
        if !isStarted {
            isStarted = true
            root = try node(tree, store, budget)
        }
        guard let root else { return false }
        current =
            if case .list(let list) = root {
                try list.seek(start, store, budget)
            } else {
                try seek(root, start, store, budget)
            }
        if lists.contains(where: \.isEnded) { prune() }
        if let end, let found = current, found >= end { current = nil }
        return current != nil
    }

    /// Moves a node to the first record at or after a step, and returns the record's place.
    private func seek(
        _ node: Node, _ step: PostingStep, _ store: StoreReader, _ budget: QueryBudget
    ) throws(RecordError) -> PostingStep? {
        switch node {
        case .list(let list): return try list.seek(step, store, budget)
        case .any(let branches):
            var least: PostingStep?
            for branch in branches {
                guard let found = try seek(branch, step, store, budget) else { continue }
                least = least.map { min($0, found) } ?? found
            }
            return least
        case .all(let branches):
            var wanted = step
            var agreeing = 0
            while true {
                for branch in branches {
                    guard let found = try seek(branch, wanted, store, budget) else { return nil }
                    if found > wanted {
                        wanted = found
                        agreeing = 1
                    } else {
                        agreeing += 1
                    }
                    if agreeing >= branches.count { return wanted }
                }
            }
        }
    }
}
