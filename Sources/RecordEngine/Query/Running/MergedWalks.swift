internal import Containers
internal import RecordModel
internal import RecordStorage

/// Several walks as one, in the query's order; a record that more than one of them meets comes once.
///
/// If the walks are few and each comes in the query's order by itself, each has a statement that stands on a record, so
/// that no record is looked up by its number. Otherwise all of them are read in chunks.
struct MergedWalks {
    /// Where one of the walks stands.
    struct Position {
        let walk: Int
        let place: QueryPlace
        fileprivate let mayBeCut: Bool
    }

    /// So many statements stay open at once.
    static let maxStatements = 8

    private var direct: [(walk: DirectWalk, cursor: RecordCursor?)] = []
    private var chunked: [WalkRunner] = []
    private let order: QueryOrder
    /// The walks that are not at their end; the least is the one that stands first.
    private var heap = Heap<Position>()

    /// The caller finishes.
    init(_ walks: [DirectWalk], order: QueryOrder) {
        direct = walks.map { ($0, nil) }
        self.order = order
    }

    init(_ walks: [WalkRunner], order: QueryOrder) {
        chunked = walks
        self.order = order
    }

    /// Stands on the first record of each walk behind a place.
    mutating func start(
        after place: QueryPlace?, _ store: StoreReader, _ budget: QueryBudget
    ) throws(RecordError) {
        for number in chunked.indices { insert(try entry(number, store, budget)) }
        for number in direct.indices {
            direct[number].cursor = try direct[number].walk.start(store, after: place, lane: number)
            insert(position(number))
        }
        try budget.take(direct.count)
    }

    private mutating func insert(_ position: Position?) {
        guard let position else { return }
        let order = order
        heap.insert(position) { $0.place.precedes($1.place, in: order) }
    }

    /// What comes first of what is left; `nil` at the end.
    var first: Position? { heap.min }

    /// The record that comes first, if a statement stands on it.
    func cursor(_ first: Position) -> RecordCursor? {
        direct.isEmpty ? nil : direct[first.walk].cursor
    }

    /// Whether the key by which a record was found may be cut.
    func mayBeCut(_ first: Position) -> Bool {
        guard let cursor = cursor(first) else { return first.mayBeCut }
        return direct[first.walk].walk.hasKeys && IndexKey.mayBeCut(cursor.keyLength)
    }

    /// Goes on behind the record that comes first, on which several walks may stand.
    mutating func advance(_ store: StoreReader, _ budget: QueryBudget) throws(RecordError) {
        guard let done = heap.min?.place else { return }
        let order = order
        let precedes = { (one: Position, other: Position) in one.place.precedes(other.place, in: order) }
        while let first = heap.min, first.place == done {
            if let next = try next(first.walk, store, budget) {
                heap.replaceMin(with: next, by: precedes)
            } else {
                _ = heap.popMin(by: precedes)
            }
        }
    }

    private mutating func next(
        _ number: Int, _ store: StoreReader, _ budget: QueryBudget
    ) throws(RecordError) -> Position? {
        if direct.isEmpty {
            chunked[number].advance()
            return try entry(number, store, budget)
        }
        guard let cursor = direct[number].cursor else { return nil }
        if try !cursor.next() { finish(number) }
        return position(number)
    }

    private mutating func entry(
        _ number: Int, _ store: StoreReader, _ budget: QueryBudget
    ) throws(RecordError) -> Position? {
        guard let (place, mayBeCut) = try chunked[number].current(store, budget) else { return nil }
        return Position(walk: number, place: place, mayBeCut: mayBeCut)
    }

    /// Where a statement stands; ends it behind the ids that are wanted.
    private mutating func position(_ number: Int) -> Position? {
        let (walk, cursor) = direct[number]
        guard let cursor else { return nil }
        if walk.hasEnded(at: cursor.id) {
            finish(number)
            return nil
        }
        return Position(walk: number, place: walk.place(cursor), mayBeCut: false)
    }

    private mutating func finish(_ number: Int) {
        direct[number].cursor?.finish()
        direct[number].cursor = nil
    }

    /// Ends all statements; to be called on every path.
    mutating func finish() {
        for number in direct.indices { finish(number) }
    }
}

/// The first places of many, kept while they are gathered in any order.
struct FirstPlaces {
    private var places: [QueryPlace] = []
    private let order: QueryOrder
    private let limit: Int
    private var keyBytes = 0
    /// What a new place must precede, once there are enough.
    private var bound: QueryPlace?

    init(_ limit: Int, order: QueryOrder) {
        self.limit = limit
        self.order = order
    }

    /// Whether a place would be kept.
    func wants(_ place: QueryPlace) -> Bool {
        guard let bound else { return true }
        return place.precedes(bound, in: order)
    }

    mutating func add(_ place: QueryPlace, _ budget: QueryBudget) throws(RecordError) {
        places.append(place)
        keyBytes += place.key.count
        // Sorting twice as many as are wanted, now and then, costs less than keeping a heap.
        if places.count >= limit * 2 { try settle(budget) }
    }

    private mutating func settle(_ budget: QueryBudget) throws(RecordError) {
        try budget.sort(places.count, bytes: keyBytes)
        places.sort { $0.precedes($1, in: order) }
        if places.count > limit { places.removeLast(places.count - limit) }
        keyBytes = places.reduce(0) { $0 + $1.key.count }
        if places.count == limit { bound = places.last }
    }

    /// The places in order.
    mutating func finish(_ budget: QueryBudget) throws(RecordError) -> [QueryPlace] {
        try settle(budget)
        return places
    }
}
