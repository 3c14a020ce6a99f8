internal import RecordModel
internal import RecordStorage

/// Reads one walk in chunks, in the query's order where the walk has it.
///
/// No statement stays open between two chunks: each goes on by key from where the last one ended.
struct WalkRunner {
    private let walk: IndexWalk
    private let home: RowHome
    private let type: TypeID
    /// Whether the ids of one key must ascend although the keys are walked backward.
    private let reordersTies: Bool
    private var state: State
    private var entries = EntryBuffer()
    private var next = 0
    private var chunk: Int

    private enum State {
        /// Behind a position, which is none at the beginning.
        case after((key: [UInt8], record: RecordNumber)?)
        /// Inside the records of one key, walked forward; keys before it follow.
        case inKey([UInt8], after: RecordNumber)
        case done
    }

    /// The most entries of one chunk.
    private static let largestChunk = 1_024

    /// - Parameters:
    ///   - place: Where the last page ended; `nil` for the first.
    ///   - chunk: How many entries are likely to be wanted.
    init(_ walk: IndexWalk, home: RowHome, type: TypeID, order: QueryOrder, after place: QueryPlace?, chunk: Int) {
        self.walk = walk
        self.home = home
        self.type = type
        self.chunk = min(max(chunk, 4), Self.largestChunk)
        reordersTies = walk.isBackward && order.isIDAscending && !order.isByID
        state = .after(nil)
        guard let place else { return }
        guard case .index = walk.source else {
            state = .after(([], place.record))
            return
        }
        switch walk.start(after: place) {
        case .beginning: break
        case .behind(let key, let record):
            state = reordersTies ? .inKey(key, after: record) : .after((key, record))
        case .end: state = .done
        }
    }

    /// The entry at which the walk stands: the columns of the order, and the record.
    ///
    /// - Returns: `nil` at the end.
    mutating func current(
        _ store: StoreReader, _ budget: QueryBudget
    ) throws(RecordError) -> (place: QueryPlace, mayBeCut: Bool)? {
        while next >= entries.count {
            if case .done = state { return nil }
            try fill(store)
            // A walk that finds nothing was a look-up all the same.
            try budget.take(max(1, entries.count))
        }
        let key = entries.key(next)
        let place = QueryPlace(key: walk.orderColumns(of: key), record: entries.records[next])
        return (place, IndexKey.mayBeCut(key.count))
    }

    mutating func advance() {
        next += 1
    }

    private mutating func fill(_ store: StoreReader) throws(RecordError) {
        entries.removeAll()
        next = 0
        switch walk.source {
        case .index(let index): try fill(index, store.indexes)
        case .records, .creator, .name: try fill(store.scanning)
        }
        chunk = min(chunk * 4, Self.largestChunk)
    }

    private mutating func fill(_ records: RecordScanning) throws(RecordError) {
        guard case .after(let position) = state else { return }
        let ids = walk.ids(behind: position?.record)
        let range = (above: ids.above, below: ids.below)
        switch walk.source {
        case .creator(let creator):
            try records.ids(
                home: home, type: type, creator: creator, within: range, isBackward: walk.isBackward, limit: chunk,
                into: &entries)
        case .name(let name):
            try records.id(home: home, type: type, name: name, within: range, into: &entries)
            state = .done
            return
        case .records, .index:
            try records.ids(
                home: home, type: type, creator: nil, within: range, isBackward: walk.isBackward, limit: chunk,
                into: &entries)
        }
        goOn()
    }

    private mutating func fill(_ index: IndexDefinition, _ reading: IndexReading) throws(RecordError) {
        let range = IndexReading.KeyRange(lower: walk.lower, upper: walk.upper)
        switch state {
        case .done: return
        case .inKey(let key, let record):
            try reading.within(index.id, home: home, key: key, after: record, limit: chunk, into: &entries)
            if entries.count == chunk, let last = entries.records.last {
                state = .inKey(key, after: last)
            } else {
                state = .after((key, .lowest))
            }
        case .after(let position) where walk.isOneKey:
            try fillOneKey(index, reading, after: position?.record)
        case .after(let position) where walk.isBackward:
            try reading.descending(index.id, home: home, range, before: position, limit: chunk, into: &entries)
            guard reordersTies else { return goOn() }
            guard entries.count == chunk else {
                state = .done
                entries.reverseRuns()
                return
            }
            // The last key may have more records than were read: they are read again, forward.
            let last = Array(entries.key(entries.count - 1))
            var run = 1
            while run < entries.count, entries.key(entries.count - 1 - run).elementsEqual(last) { run += 1 }
            entries.removeLast(run)
            entries.reverseRuns()
            state = .inKey(last, after: .lowest)
        case .after(let position):
            try reading.ascending(index.id, home: home, range, after: position, limit: chunk, into: &entries)
            goOn()
        }
    }

    private mutating func fillOneKey(
        _ index: IndexDefinition, _ reading: IndexReading, after record: RecordNumber?
    ) throws(RecordError) {
        let range = IndexReading.KeyRange(lower: walk.lower, upper: walk.upper)
        let key = walk.lower
        let ids = walk.ids(behind: record)
        if walk.isBackward {
            try reading.descending(
                index.id, home: home, range, before: (key, ids.below), limit: chunk, into: &entries)
            dropIDs { $0 > ids.above }
        } else {
            try reading.ascending(index.id, home: home, range, after: (key, ids.above), limit: chunk, into: &entries)
            dropIDs { $0 < ids.below }
        }
    }

    /// Lets go of entries behind the range of ids, and of the rest of the walk with them.
    private mutating func dropIDs(where isInside: (RecordNumber) -> Bool) {
        let count = entries.count
        if let end = entries.records.firstIndex(where: { !isInside($0) }) {
            entries.removeLast(count - end)
            state = .done
        } else {
            goOn()
        }
    }

    /// The next chunk begins behind this one, if this one is full.
    private mutating func goOn() {
        guard entries.count == chunk, let last = entries.records.last else {
            state = .done
            return
        }
        state = .after((Array(entries.key(entries.count - 1)), last))
    }
}
