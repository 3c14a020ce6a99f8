internal import RecordModel
internal import RecordStorage
internal import TextSearch
internal import Threads

/// Makes the ranking of a query from the statistics of its type's indexes.
struct RankStatistics {
    let queries: QueryReader
    let zone: ZoneID
    let budget: QueryBudget

    /// The number of entries that are counted for one word. Above it, statistics of the index tell the number.
    private static let countedEntries = 4_096
    /// The most numbers of a ranking, because its cursors contain them.
    private static let maxNumbers = 256
    /// The number of records whose lengths are read for the average, from each end of the index.
    private static let sampledRecords = 64

    /// Returns the ranking of a query that sorts by rank: by the current statistics, or that of the walk's first page if
    /// there is a cursor. Returns `nil` for other sorts.
    ///
    /// The statistics are those of the zone's records without an access list. Callers that may not read all of these
    /// records get a ranking without statistics.
    ///
    /// - Throws: As `QueryBudget.take`; BAD_REQUEST with cause TOKEN_INVALID for a cursor without the ranking.
    func ranking(of query: PreparedQuery, sort: [SortTerm]) throws(RecordError) -> Ranking? {
        guard case .rank(let weights)? = sort.first(where: \.field.isRank)?.field else { return nil }
        let searches = query.ranked
        guard Ranking.count(of: searches) <= Self.maxNumbers else {
            throw .badRequest(
                "rank() counts at most \(Self.maxNumbers) words and fields. Search for fewer words, or in fewer fields",
                cause: .tooLarge, details: [("limit", .number(Int64(Self.maxNumbers)))])
        }
        let numbers: [Double]
        if let cursor = query.cursor {
            numbers = cursor.ranking
        } else if query.readsAll {
            numbers = try self.numbers(for: searches, in: query.type)
        } else {
            numbers = Ranking.neutralNumbers(for: searches)
        }
        guard let ranking = Ranking(searches, weights, numbers: numbers) else { throw .cursorRejected }
        return ranking
    }

    private func numbers(
        for searches: [SearchCondition], in type: RecordTypeDefinition
    ) throws(RecordError) -> [Double] {
        var numbers: [Double] = []
        for search in searches {
            let indexes = search.fields.map { type.wordIndex(of: $0, where: \.isReady) }
            var total = 1
            for index in indexes {
                guard let index else {
                    numbers.append(1)
                    continue
                }
                let every = range(of: TextTerms.everyRecord, isPrefix: false)
                total = max(total, try count(every, in: index))
                numbers.append(1 / max(1, try averageLength(every, in: index)))
            }
            for word in search.words.words {
                // A record with a word has all terms of the word, so the rarest one bounds their number.
                var least = Int.max
                for term in word.indexTerms {
                    var records = 0
                    for index in indexes.compactMap(\.self) {
                        records += try count(range(of: term.bytes, isPrefix: term.isPrefix), in: index)
                    }
                    least = min(least, records)
                }
                numbers.append(BM25.idf(recordsWithWord: least, of: total))
            }
        }
        return numbers
    }

    private func range(of text: [UInt8], isPrefix: Bool) -> IndexScanner.KeyRange {
        var key: [UInt8] = []
        if isPrefix {
            IndexKey.append(prefix: text, isAscending: true, to: &key)
        } else {
            IndexKey.append(.text(text), isAscending: true, to: &key)
        }
        let bounds = KeyBounds.all(under: key)
        return IndexScanner.KeyRange(lower: bounds.lower, upper: bounds.upper)
    }

    private func count(_ range: IndexScanner.KeyRange, in index: IndexDefinition) throws(RecordError) -> Int {
        let found = try queries.store.indexes.count(
            index.id, home: .zone(zone), range, limit: Self.countedEntries)
        try budget.take(1 + found / 8)
        if found < Self.countedEntries { return found }
        let known = queries.database.queries.statistics.withLock { $0[index.id] }
        return max(found, known?.estimate(home: .zone(zone), lower: range.lower, upper: range.upper) ?? found * 4)
    }

    private func averageLength(_ range: IndexScanner.KeyRange, in index: IndexDefinition) throws(RecordError) -> Double
    {
        var sum = 0
        var count = 0
        for isBackward in [false, true] {
            let row = try queries.store.indexes.scan(
                index.id, home: .zone(zone), range, after: nil, isBackward: isBackward, reading: .payloads)
            guard let row else { break }
            defer { row.finish() }
            var left = Self.sampledRecords
            repeat {
                sum += FieldLength(code: UInt8(truncatingIfNeeded: row.payload)).count
                count += 1
                left -= 1
                guard left > 0 else { break }
            } while try row.next()
        }
        try budget.take(1 + count / 8)
        return count == 0 ? 1 : Double(sum) / Double(count)
    }
}
