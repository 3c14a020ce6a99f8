internal import Containers
internal import RecordModel
internal import RecordStorage

/// Reads several scans as one, either merged in the query's order or one after another.
struct MergedCursors {
    private struct Position {
        let cursor: IndexScanCursor
        let position: QueryPosition
    }

    private let cursors: [IndexScanCursor]
    private let order: QueryOrder
    /// Whether the cursors are merged. If false, they run one after another.
    private let areMerged: Bool

    /// - Parameters:
    ///   - order: The order of the query.
    ///   - comesInOrder: Whether each cursor returns records in the query's order.
    init(_ cursors: [IndexScanCursor], order: QueryOrder, comesInOrder: Bool) {
        self.cursors = cursors
        self.order = order
        areMerged = comesInOrder && cursors.count > 1
    }

    /// Calls `body` with the cursor on the next record, until `body` returns false. If several scans find the same
    /// record, a merge returns it once. Finishes all statements before it returns.
    ///
    /// - Throws: As `QueryBudget.take`, and the errors of `body`.
    func forEach(
        _ store: StoreReader, _ budget: QueryBudget,
        _ body: (IndexScanCursor, RecordCursor?) throws(RecordError) -> Bool
    ) throws(RecordError) {
        defer { for cursor in cursors { cursor.finish() } }
        if areMerged { return try forEachMerged(store, budget, body) }
        for cursor in cursors {
            guard try cursor.forEach(store, budget, body) else { return }
        }
    }

    private func forEachMerged(
        _ store: StoreReader, _ budget: QueryBudget,
        _ body: (IndexScanCursor, RecordCursor?) throws(RecordError) -> Bool
    ) throws(RecordError) {
        let precedes = { (one: Position, other: Position) in one.position.precedes(other.position, in: order) }
        // The heap holds the cursors that have more rows, without the one that is read. Its minimum is the cursor with the
        // next position.
        var waiting = Heap<Position>()
        for cursor in cursors where try cursor.next(store, budget) {
            waiting.insert(Position(cursor: cursor, position: cursor.position), by: precedes)
        }
        while let first = waiting.popMin(by: precedes) {
            let cursor = first.cursor
            var position = first.position
            var bound = waiting.min?.position
            // Often many rows of one cursor follow each other. They leave the heap as it is.
            while true {
                guard try body(cursor, cursor.record) else { return }
                while bound == position, let other = waiting.min?.cursor {
                    if try other.next(store, budget) {
                        waiting.replaceMin(with: Position(cursor: other, position: other.position), by: precedes)
                    } else {
                        _ = waiting.popMin(by: precedes)
                    }
                    bound = waiting.min?.position
                }
                guard try cursor.next(store, budget) else { break }
                position = cursor.position
                if let bound, bound.precedes(position, in: order) {
                    waiting.insert(Position(cursor: cursor, position: position), by: precedes)
                    break
                }
            }
        }
    }
}
