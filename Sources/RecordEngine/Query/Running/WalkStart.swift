internal import RecordModel

/// Where a walk goes on behind a place in the query's order.
enum WalkStart {
    /// All of the walk lies behind the place.
    case beginning
    /// Behind an entry, in the direction of the walk.
    case behind(key: [UInt8], record: RecordNumber)
    /// All of the walk lies before the place.
    case end
}

extension IndexWalk {
    /// Where the keys of an index are walked on.
    func start(after place: QueryPlace) -> WalkStart {
        var key = Array(lower.prefix(prefixCount))
        let start = key.count
        key.append(contentsOf: place.key)
        if isBackward { IndexKey.invert(&key, from: start) }
        if key.lexicographicallyPrecedes(lower) { return isBackward ? .end : .beginning }
        if let upper, !key.lexicographicallyPrecedes(upper) { return isBackward ? .beginning : .end }
        return .behind(key: key, record: place.record)
    }

    /// The columns of the query's order in the key of an entry.
    func orderColumns(of key: some Collection<UInt8>) -> [UInt8] {
        var columns = Array(key.dropFirst(prefixCount))
        if isBackward { IndexKey.invert(&columns) }
        return columns
    }

    /// The ids that are wanted behind one of them, in the direction of the walk.
    func ids(behind record: RecordNumber?) -> IDRange {
        guard let record else { return ids }
        var rest = ids
        if isBackward { rest.below = min(ids.below, record) } else { rest.above = max(ids.above, record) }
        return rest
    }
}
