internal import RecordModel
internal import RecordWire

/// A cache of bound queries and their plans, by query text. Clients request popular pages repeatedly with the same
/// text. Parsing, binding and planning take a fifth of the time of such a page.
///
/// Bound queries and plans are cached only if they depend on nothing but text and schema. Queries that name the time or
/// an account are not cached, nor are plans chosen by statistics. Each cache belongs to one thread and one schema; a
/// new schema needs a new cache.
struct QueryCache {
    /// A cache key: the query's text and the id of the type.
    struct Words: Hashable {
        let type: TypeID
        let identity: [UInt8]

        /// - Parameter identity: `QueryInput.identity`.
        /// - Returns: `nil` for a query that is not cached.
        init?(_ input: QueryInput, identity: [UInt8], type: TypeID) {
            guard identity.count <= QueryCache.mostBytes, !input.mayUseNow else { return nil }
            self.type = type
            self.identity = identity
        }
    }

    private struct Known {
        let bound: BoundQuery
        var plan: QueryPlan?
    }

    /// The generation of the queries used since the generations last changed. The other generation holds older queries.
    private var recent: [Words: Known] = [:]
    private var older: [Words: Known] = [:]

    private var recentBytes = 0

    /// The limits of each of the two generations. The limit on bytes of text also limits the memory of bound queries.
    /// Any client can send queries that never repeat.
    private static let mostRecent = 512
    private static let mostRecentBytes = 64 << 10
    private static let mostBytes = 1_024
    private static let mostScans = 2

    /// Returns the bound query for a text, and moves it to the recent generation; `nil` if it is not cached.
    mutating func bound(_ words: Words) -> BoundQuery? {
        if let known = recent[words] { return known.bound }
        guard let known = older.removeValue(forKey: words) else { return nil }
        keep(known, for: words)
        return known.bound
    }

    /// Returns the cached plan of a query. Call this only after `bound` has found the query or `keep` has added it.
    func plan(_ words: Words) -> QueryPlan? {
        recent[words]?.plan
    }

    /// Caches a bound query.
    mutating func keep(_ bound: BoundQuery, for words: Words) {
        keep(Known(bound: bound), for: words)
    }

    private mutating func keep(_ known: Known, for words: Words) {
        if recent.count >= Self.mostRecent || recentBytes + words.identity.count > Self.mostRecentBytes {
            older = recent
            recent = [:]
            recentBytes = 0
        }
        if recent.updateValue(known, forKey: words) == nil { recentBytes += words.identity.count }
    }

    /// Caches the plan of a cached query. Ignores plans with many scans, and plans of queries that are not cached.
    mutating func keep(_ plan: QueryPlan, for words: Words) {
        guard plan.scans.count <= Self.mostScans else { return }
        recent[words]?.plan = plan
    }
}
