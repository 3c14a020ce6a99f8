internal import RecordModel
internal import RecordWire

/// What queries mean that were asked before, by their words: a page that everybody looks at is asked for in the same words
/// again and again, and to read, bind and plan them takes a fifth of its time.
///
/// Only what hangs on words and schema alone is kept: no query that names the time or an account, and no plan that was
/// weighed by what the data is like. Belongs to one thread, and to one schema: whoever gets another one makes it anew.
struct KnownQueries {
    /// Words and the type they are bound to, as it is without hidden fields.
    struct Words: Hashable {
        let type: TypeID
        let identity: [UInt8]

        /// - Parameter identity: As `QueryInput.identity`.
        /// - Returns: `nil` for a query that is not kept.
        init?(_ input: QueryInput, identity: [UInt8], type: TypeID) {
            guard identity.count <= KnownQueries.mostBytes, !input.mayAskForNow else { return nil }
            self.type = type
            self.identity = identity
        }
    }

    private struct Known {
        let bound: BoundQuery
        var plan: QueryPlan?
    }

    /// Those that were asked since the last change of generations, and those before that were not asked again yet.
    private var recent: [Words: Known] = [:]
    private var older: [Words: Known] = [:]

    private var recentBytes = 0

    /// Twice as many queries are kept, and so many bytes of words, which bound what else is kept of them: anybody may ask
    /// for what nobody asks for again.
    private static let mostRecent = 512
    private static let mostRecentBytes = 64 << 10
    private static let mostBytes = 1_024
    private static let mostWalks = 2

    mutating func bound(_ words: Words) -> BoundQuery? {
        if let known = recent[words] { return known.bound }
        guard let known = older.removeValue(forKey: words) else { return nil }
        keep(known, for: words)
        return known.bound
    }

    /// The plan for pages of a query that `bound` has just found or that has just been kept.
    func plan(_ words: Words) -> QueryPlan? {
        recent[words]?.plan
    }

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

    /// Of a query that is kept; for another one, and of many walks, it does nothing.
    mutating func keep(_ plan: QueryPlan, for words: Words) {
        guard plan.walks.count <= Self.mostWalks else { return }
        recent[words]?.plan = plan
    }
}
