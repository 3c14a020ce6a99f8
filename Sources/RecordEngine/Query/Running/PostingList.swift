internal import RecordModel
internal import RecordStorage
internal import TextSearch

/// The records of one leaf of a `PostingTree`, in the order of ids, or against it.
///
/// The list reads its entries in chunks, and no statement is open between two of them. Skipping to a record beyond the
/// chunk is a new seek in the index.
final class PostingList {
    let leaf: PostingLeaf
    /// The step of the current record in the direction of the scan; `nil` at the end.
    private(set) var current: PostingStep?
    private let home: RowHome
    private let isBackward: Bool
    private var steps: [PostingStep] = []
    private var payloads: [Int64] = []
    private var position = 0
    /// Whether there are no entries behind the chunk.
    private var isLast = false
    private var chunkSize = 8
    /// Whether the whole range was read.
    private var isGathered = false

    private static let largestChunk = 4_096

    /// Counts the entries that the lists of one scan hold in memory.
    private let memory: Memory

    /// The entries of ranges of several keys, such as of all words with a prefix, of all lists of one scan.
    final class Memory {
        /// The most entries.
        static let limit = 1_000_000
        var entries = 0
    }

    init(_ leaf: PostingLeaf, home: RowHome, isBackward: Bool, memory: Memory) {
        self.leaf = leaf
        self.memory = memory
        self.home = home
        self.isBackward = isBackward
    }

    /// The payload of the current entry.
    var payload: PostingPayload { PostingPayload(rawValue: payloads[position]) }

    /// Whether there are no more records.
    private(set) var isEnded = false

    /// Moves to the first record at or after a step. Steps do not descend from one call to the next.
    ///
    /// - Returns: The step of the record; `nil` at the end.
    /// - Throws: As `QueryBudget.take`.
    @discardableResult
    func seek(
        _ step: PostingStep, _ store: StoreReader, _ budget: QueryBudget
    ) throws(RecordError) -> PostingStep? {
        if let current, current >= step { return current }
        if !leaf.isOneKey, !isGathered { try gather(store, budget) }
        while true {
            if let last = steps.last, last >= step {
                skip(to: step)
                current = steps[position]
                return current
            }
            guard !isLast else {
                current = nil
                isEnded = true
                return nil
            }
            // Long chunks pay where most of their entries are wanted.
            chunkSize =
                steps.isEmpty || position * 2 >= steps.count
                ? min(chunkSize * 2, Self.largestChunk) : max(chunkSize / 2, 8)
            try read(from: step, store, budget)
        }
    }

    /// Moves within the chunk, which has a record at or after the step.
    private func skip(to step: PostingStep) {
        // The next record is the most frequent one.
        if position < steps.count, steps[position] < step { position += 1 }
        if steps[position] >= step { return }
        var (low, high) = (position + 1, steps.count - 1)
        while low < high {
            let middle = (low + high) / 2
            if steps[middle] < step { low = middle + 1 } else { high = middle }
        }
        position = low
    }

    private func read(from step: PostingStep, _ store: StoreReader, _ budget: QueryBudget) throws(RecordError) {
        steps.removeAll(keepingCapacity: true)
        payloads.removeAll(keepingCapacity: true)
        position = 0
        isLast = true
        let range = IndexScanner.KeyRange(lower: leaf.lower, upper: leaf.upper)
        let before = step.recordBefore(isBackward: isBackward)
        let row = try store.indexes.scan(
            leaf.index.id, home: home, range, after: before.map { (leaf.key, $0) }, isBackward: isBackward,
            reading: leaf.rows)
        if let row {
            defer { row.finish() }
            repeat {
                steps.append(PostingStep(row.id, isBackward: isBackward))
                if leaf.rows == .payloads { payloads.append(row.payload) }
                if steps.count == chunkSize {
                    isLast = false
                    break
                }
            } while try row.next()
        }
        try budget.take(max(1, steps.count))
    }

    /// Reads a range of several keys, whose entries are not sorted by id.
    private func gather(_ store: StoreReader, _ budget: QueryBudget) throws(RecordError) {
        isGathered = true
        isLast = true
        var found: [(step: PostingStep, payload: Int64)] = []
        let range = IndexScanner.KeyRange(lower: leaf.lower, upper: leaf.upper)
        let row = try store.indexes.scan(
            leaf.index.id, home: home, range, after: nil, isBackward: false, reading: leaf.rows)
        if let row {
            defer { row.finish() }
            repeat {
                memory.entries += 1
                guard memory.entries <= Memory.limit else { throw .tooManyWordsFound }
                found.append((PostingStep(row.id, isBackward: isBackward), leaf.rows == .payloads ? row.payload : 0))
                try budget.take(1)
            } while try row.next()
        }
        try budget.sort(found.count, bytes: found.count * 8)
        found.sort { $0.step < $1.step }
        for entry in found {
            if entry.step == steps.last, let known = payloads.popLast() {
                payloads.append(
                    PostingPayload(rawValue: known).merged(with: PostingPayload(rawValue: entry.payload)).rawValue)
            } else {
                steps.append(entry.step)
                payloads.append(entry.payload)
            }
        }
    }
}

/// The place of a record in the direction of a scan: a number that ascends from one record to the next.
struct PostingStep: Hashable, Comparable, Sendable {
    private let value: Int64

    static func < (left: PostingStep, right: PostingStep) -> Bool { left.value < right.value }

    private init(value: Int64) {
        self.value = value
    }

    init(_ record: RecordNumber, isBackward: Bool) {
        value = isBackward ? ~record.rawValue : record.rawValue
    }

    /// The place before all records.
    static let first = PostingStep(value: .min)

    /// The next place. Record numbers never reach the last one.
    var next: PostingStep { PostingStep(value: value &+ 1) }

    /// The record at the place.
    func record(isBackward: Bool) -> RecordNumber {
        RecordNumber(rawValue: isBackward ? ~value : value)
    }

    /// The record number before the place; `nil` at the first place.
    func recordBefore(isBackward: Bool) -> RecordNumber? {
        guard value != .min else { return nil }
        return PostingStep(value: value - 1).record(isBackward: isBackward)
    }
}

extension PostingLeaf {
    fileprivate var rows: ScanCursor.Rows { index.kind.hasPayloads ? .payloads : .entries }

    /// The key of all entries, if they have the same.
    fileprivate var key: [UInt8] { lower }
}

extension RecordError {
    static let tooManyWordsFound = RecordError.badRequest(
        "More than \(PostingList.Memory.limit) words of records start with words of the search. Search for longer words",
        cause: .queryTooExpensive)
}
