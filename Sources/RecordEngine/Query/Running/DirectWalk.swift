internal import RecordModel
internal import RecordStorage

/// A walk whose own order is the query's, so that one statement can hand out its records.
struct DirectWalk {
    private let walk: IndexWalk
    private let home: RowHome
    private let type: TypeID

    /// - Returns: `nil` for a walk that needs more than one statement: ties that must be put in order, a single name.
    init?(_ walk: IndexWalk, home: RowHome, type: TypeID, order: QueryOrder) {
        if walk.isBackward, order.isIDAscending, !order.isByID { return nil }
        if case .name = walk.source { return nil }
        self.walk = walk
        self.home = home
        self.type = type
    }

    var hasKeys: Bool {
        if case .index = walk.source { true } else { false }
    }

    /// Stands on the first record behind a place.
    ///
    /// - Parameter lane: Walks that go on at once have different ones.
    func start(_ store: StoreReader, after place: QueryPlace?, lane: Int = 0) throws(RecordError) -> RecordCursor? {
        guard case .index(let index) = walk.source else {
            var creator: Int64?
            if case .creator(let id) = walk.source { creator = id }
            let ids = walk.ids(behind: place?.record)
            return try store.scanning.records(
                home: home, type: type, creator: creator, within: (ids.above, ids.below), isBackward: walk.isBackward,
                lane: lane)
        }
        var position: (key: [UInt8], record: RecordNumber)?
        switch start(after: place) {
        case .beginning: break
        case .behind(let key, let record): position = (key, record)
        case .end: return nil
        }
        return try store.indexes.records(
            index.id, home: home, IndexReading.KeyRange(lower: walk.lower, upper: walk.upper), after: position,
            isBackward: walk.isBackward, lane: lane)
    }

    private func start(after place: QueryPlace?) -> WalkStart {
        if walk.isOneKey {
            // All entries have one key; where to begin is a matter of ids alone.
            let ids = walk.ids(behind: place?.record)
            if walk.isBackward ? ids.below == .highest : ids.above == .lowest { return .beginning }
            return .behind(key: walk.lower, record: walk.isBackward ? ids.below : ids.above)
        }
        return place.map(walk.start) ?? .beginning
    }

    /// Whether the walk may go beyond the ids that are wanted.
    var hasEnd: Bool { walk.isBackward ? walk.ids.above != .lowest : walk.ids.below != .highest }

    /// Whether the ids that are wanted lie behind the walk.
    func hasEnded(at id: RecordNumber) -> Bool {
        walk.isBackward ? id <= walk.ids.above : id >= walk.ids.below
    }

    /// The place of the record under a cursor.
    func place(_ cursor: RecordCursor) -> QueryPlace {
        guard hasKeys else { return QueryPlace(key: [], record: cursor.id) }
        return QueryPlace(key: walk.orderColumns(of: cursor.key), record: cursor.id)
    }
}
