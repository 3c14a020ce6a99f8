internal import Containers
internal import RecordModel
internal import RecordStorage

/// Several walks as one, in the query's order; a record that more than one of them meets comes once.
struct MergedWalks {
    private var walks: [WalkRunner]
    private typealias Standing = (walk: Int, place: QueryPlace, mayBeCut: Bool)
    /// The walks that are not at their end; the least is the one that stands first.
    private var heap = Heap<Standing>()
    private let order: QueryOrder
    private var hasStarted = false
    private var last: QueryPlace?

    init(_ walks: [WalkRunner], order: QueryOrder) {
        self.walks = walks
        self.order = order
    }

    /// Goes to the next record.
    ///
    /// - Returns: Its place, and which of the walks has met it; `nil` at the end.
    mutating func next(
        _ store: StoreReader, _ budget: QueryBudget
    ) throws(RecordError) -> (place: QueryPlace, mayBeCut: Bool, walk: Int)? {
        if walks.count == 1 {
            guard let found = try walks[0].current(store, budget) else { return nil }
            walks[0].advance()
            return (found.place, found.mayBeCut, 0)
        }
        if !hasStarted {
            hasStarted = true
            for number in walks.indices { try push(number, store, budget) }
        }
        let order = order
        let precedes = { (one: Standing, other: Standing) in one.place.precedes(other.place, in: order) }
        while let first = heap.min {
            walks[first.walk].advance()
            if let (place, mayBeCut) = try walks[first.walk].current(store, budget) {
                heap.replaceMin(with: (first.walk, place, mayBeCut), by: precedes)
            } else {
                _ = heap.popMin(by: precedes)
            }
            if first.place == last { continue }
            last = first.place
            return (first.place, first.mayBeCut, first.walk)
        }
        return nil
    }

    private mutating func push(_ number: Int, _ store: StoreReader, _ budget: QueryBudget) throws(RecordError) {
        guard let (place, mayBeCut) = try walks[number].current(store, budget) else { return }
        let order = order
        heap.insert((number, place, mayBeCut)) { $0.place.precedes($1.place, in: order) }
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
