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

    /// - Parameters:
    ///   - order: That of the query.
    ///   - comesInOrder: Whether each of the cursors comes in it.
    init(_ cursors: [WalkCursor], order: QueryOrder, comesInOrder: Bool) {
        self.cursors = cursors
        self.order = order
        areMerged = comesInOrder && cursors.count > 1
    }

    /// Calls `body` with the cursor that stands on the next record, until it returns false. Merged, a record on which
    /// several walks stand comes once. All statements are ended then.
    func forEach(
        _ store: StoreReader, _ budget: QueryBudget, _ body: (WalkCursor, RecordCursor?) throws(RecordError) -> Bool
    ) throws(RecordError) {
        defer { for cursor in cursors { cursor.finish() } }
        if areMerged { return try forEachMerged(store, budget, body) }
        for cursor in cursors {
            guard try cursor.forEach(store, budget, body) else { return }
        }
    }

    private func forEachMerged(
        _ store: StoreReader, _ budget: QueryBudget, _ body: (WalkCursor, RecordCursor?) throws(RecordError) -> Bool
    ) throws(RecordError) {
        let precedes = { (one: Position, other: Position) in one.place.precedes(other.place, in: order) }
        // The cursors that are not at their end; the least is the one that stands first.
        var heap = Heap<Position>()
        for cursor in cursors where try cursor.next(store, budget) {
            heap.insert(Position(cursor: cursor, place: cursor.place), by: precedes)
        }
        while let least = heap.min {
            guard try body(least.cursor, least.cursor.record) else { return }
            while let first = heap.min, first.place == least.place {
                if try first.cursor.next(store, budget) {
                    heap.replaceMin(with: Position(cursor: first.cursor, place: first.cursor.place), by: precedes)
                } else {
                    _ = heap.popMin(by: precedes)
                }
            }
        }
    }
}
