internal import RecordModel

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
