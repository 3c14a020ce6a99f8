internal import RecordModel
internal import RecordStorage

/// A few direct walks as one, in the query's order: each has a statement of its own that stands on a record, so that no
/// record is looked up by its number. A record that more than one of them meets comes once.
struct MergedCursors {
    private struct Lane {
        let walk: DirectWalk
        let part: QueryPart
        let cursor: RecordCursor
        /// Of the record; out of date in the only lane, which is compared with none.
        var place: QueryPlace
    }

    /// So many statements stay open at once; more walks than that are merged by numbers.
    static let maxLanes = 8

    private var lanes: [Lane] = []
    private let order: QueryOrder

    /// Stands on the first record of each walk; those that meet none are left out. The caller finishes.
    init(
        _ walks: [(walk: DirectWalk, part: QueryPart)], after place: QueryPlace?, order: QueryOrder,
        _ store: StoreReader
    ) throws(RecordError) {
        self.order = order
        for (number, (walk, part)) in walks.enumerated() {
            do throws(RecordError) {
                guard let cursor = try walk.start(store, after: place, lane: number) else { continue }
                if walk.hasEnded(at: cursor.id) {
                    cursor.finish()
                    continue
                }
                lanes.append(Lane(walk: walk, part: part, cursor: cursor, place: walk.place(cursor)))
            } catch {
                finish()
                throw error
            }
        }
    }

    /// The lane of the record that comes first; `nil` at the end.
    var first: Int? {
        if lanes.count == 1 { return 0 }
        var best: Int?
        for number in lanes.indices {
            if let known = best, !lanes[number].place.precedes(lanes[known].place, in: order) { continue }
            best = number
        }
        return best
    }

    func cursor(_ lane: Int) -> RecordCursor { lanes[lane].cursor }
    func place(_ lane: Int) -> QueryPlace { lanes[lane].walk.place(lanes[lane].cursor) }
    func part(_ lane: Int) -> QueryPart { lanes[lane].part }

    /// Whether the key by which a record was found may be cut.
    func mayBeCut(_ lane: Int) -> Bool {
        lanes[lane].walk.hasKeys && IndexKey.mayBeCut(lanes[lane].cursor.keyLength)
    }

    /// Goes on behind the record of a lane, which comes first.
    mutating func advance(_ lane: Int, _ store: StoreReader) throws(RecordError) {
        guard lanes.count > 1 else { return try step(lane, store) }
        let done = lanes[lane].place
        try step(lane, store)
        // Others may stand on the same record.
        for other in lanes.indices.reversed() where lanes[other].place == done { try step(other, store) }
    }

    private mutating func step(_ lane: Int, _ store: StoreReader) throws(RecordError) {
        let cursor = lanes[lane].cursor
        if try cursor.next(), !lanes[lane].walk.hasEnded(at: cursor.id) {
            if lanes.count > 1 { lanes[lane].place = lanes[lane].walk.place(cursor) }
        } else {
            cursor.finish()
            lanes.remove(at: lane)
        }
    }

    /// Ends all statements; to be called on every path.
    func finish() {
        for lane in lanes { lane.cursor.finish() }
    }
}
