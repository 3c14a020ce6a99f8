internal import Containers
internal import RecordModel
internal import RecordStorage

/// The cursors of several walks as one: merged in the query's order, or one after another.
struct MergedCursors {
    private struct Position {
        let cursor: WalkCursor
        let place: QueryPlace
    }

    private let cursors: [WalkCursor]
    private let order: QueryOrder
    /// If not, one follows another, as a single one does.
    private let areMerged: Bool
    /// The first that is not at its end, if one follows another.
    private var current = 0
    /// Else those that are not at their end; the least is the one that stands first.
    private var heap = Heap<Position>()
    private var hasBegun = false

    /// The caller finishes.
    ///
    /// - Parameters:
    ///   - order: That of the query.
    ///   - comesInOrder: Whether each of the cursors comes in it.
    init(_ cursors: [WalkCursor], order: QueryOrder, comesInOrder: Bool) {
        self.cursors = cursors
        self.order = order
        areMerged = comesInOrder && cursors.count > 1
    }

    /// Goes to the first record, or to the next one; merged, a record on which several walks stand comes once.
    ///
    /// - Returns: The cursor that stands on it; `nil` at the end.
    mutating func next(_ store: StoreReader, _ budget: QueryBudget) throws(RecordError) -> WalkCursor? {
        if areMerged { return try nextMerged(store, budget) }
        while current < cursors.count {
            let cursor = cursors[current]
            if try cursor.next(store, budget) { return cursor }
            current += 1
        }
        return nil
    }

    private mutating func nextMerged(_ store: StoreReader, _ budget: QueryBudget) throws(RecordError) -> WalkCursor? {
        let order = order
        let precedes = { (one: Position, other: Position) in one.place.precedes(other.place, in: order) }
        if !hasBegun {
            hasBegun = true
            for cursor in cursors where try cursor.next(store, budget) {
                heap.insert(Position(cursor: cursor, place: cursor.place), by: precedes)
            }
        } else if let done = heap.min?.place {
            while let first = heap.min, first.place == done {
                if try first.cursor.next(store, budget) {
                    heap.replaceMin(with: Position(cursor: first.cursor, place: first.cursor.place), by: precedes)
                } else {
                    _ = heap.popMin(by: precedes)
                }
            }
        }
        return heap.min?.cursor
    }

    /// Ends all statements; to be called on every path.
    func finish() {
        for cursor in cursors { cursor.finish() }
    }
}
