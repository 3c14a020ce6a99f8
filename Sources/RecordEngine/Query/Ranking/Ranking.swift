internal import RecordModel
internal import RecordWire
internal import TextSearch

/// How a query ranks its matches: the searches that count, and the statistics of their words. The statistics stay the same
/// on all pages of a walk, because the cursor contains them.
struct Ranking: Hashable, Sendable {
    /// The searches in the order in which `PostingLeaf.Label` numbers them.
    let searches: [SearchCondition]
    /// The numbers from statistics: for each search the inverse of the average length of each field, then how much each
    /// word counts.
    let numbers: [Double]
    /// The weights of the fields of each search.
    private let weights: [[Double]]
    /// The place in `numbers` of the first field of each search.
    private let starts: [Int]

    /// The number of words of all searches.
    var wordCount: Int { searches.reduce(0) { $0 + $1.words.words.count } }

    /// - Parameter numbers: The numbers of an earlier page.
    /// - Returns: `nil` if the numbers belong to another query.
    init?(_ searches: [SearchCondition], _ weights: RankWeights, numbers: [Double]) {
        guard numbers.count == Self.count(of: searches) else { return nil }
        self.searches = searches
        self.numbers = numbers
        self.weights = searches.map { search in search.fields.map(weights.weight) }
        var starts: [Int] = []
        var count = 0
        for search in searches {
            starts.append(count)
            count += Self.count(of: [search])
        }
        self.starts = starts
    }

    /// The number of statistics that the ranking by some searches needs: one for each field and each word.
    static func count(of searches: [SearchCondition]) -> Int {
        searches.reduce(0) { $0 + $1.fields.count + $1.words.words.count }
    }

    /// The statistics for callers that may not read all records of the type: every word counts the same, and all fields
    /// have one average length. Real statistics would reveal which words unreadable records have.
    static func neutralNumbers(for searches: [SearchCondition]) -> [Double] {
        searches.flatMap { search in
            search.fields.map { _ in 1 / neutralLength } + search.words.words.map { _ in 1 }
        }
    }

    /// The average length of a field in `neutralNumbers`, in tokens.
    private static let neutralLength = 32.0

    /// The rank of a record, computed from its texts.
    ///
    /// - Throws: As `QueryBudget.spend`; `INTERNAL_ERROR` if the stored fields are damaged.
    func rank(of record: IndexedRecord, _ budget: QueryBudget) throws(RecordError) -> Double {
        var sum = 0.0
        for (number, search) in searches.enumerated() {
            var matcher = SearchMatcher(search.words, fieldCount: search.fields.count)
            for (place, field) in search.fields.enumerated() {
                try budget.spend(record.bytes(of: .field(field.id)) * SearchCondition.workPerByte)
                for text in try record.texts(of: field.id) { matcher.add(text, field: place) }
            }
            for word in search.words.words.indices {
                var occurrences = 0.0
                for place in search.fields.indices {
                    let payload = PostingPayload(
                        frequencies: [matcher.frequency(ofWord: word, inField: place)],
                        lengths: [matcher.lengths[place]])
                    occurrences += self.occurrences(payload, search: number, field: place)
                }
                sum += score(occurrences, search: number, word: word)
            }
        }
        return sum
    }

    /// The rank of the current record of a scan of postings, which has the words of all searches.
    func rank(of postings: PostingReader, _ sums: inout RankSums) -> Double {
        sums.removeAll()
        postings.forEachWord { label, payload in
            sums.add(occurrences(payload, search: label.search, field: label.field), label)
        }
        var sum = 0.0
        sums.forEach { search, word, occurrences in sum += score(occurrences, search: search, word: word) }
        return sum
    }

    /// What a word's occurrences in one field count. A label that the ranking lacks counts nothing.
    private func occurrences(_ payload: PostingPayload, search: Int, field: Int) -> Double {
        guard weights.indices.contains(search), weights[search].indices.contains(field) else { return 0 }
        return BM25.occurrences(payload, weight: weights[search][field], perToken: numbers[starts[search] + field])
    }

    private func score(_ occurrences: Double, search: Int, word: Int) -> Double {
        guard occurrences > 0, searches.indices.contains(search), searches[search].words.words.indices.contains(word)
        else { return 0 }
        let idf = numbers[starts[search] + weights[search].count + word]
        return BM25.score(idf: idf, occurrences: occurrences)
    }
}

/// The occurrences of each word of a record, reused from one record to the next.
struct RankSums {
    private var entries: [(search: Int, word: Int, occurrences: Double)] = []

    mutating func removeAll() {
        entries.removeAll(keepingCapacity: true)
    }

    /// Adds the occurrences in a field. The fields of one word come one after the other, in their order.
    mutating func add(_ occurrences: Double, _ label: PostingLeaf.Label) {
        if let last = entries.indices.last, entries[last].search == label.search, entries[last].word == label.word {
            entries[last].occurrences += occurrences
        } else {
            entries.append((label.search, label.word, occurrences))
        }
    }

    /// Calls `body` with each word, in the order of the searches, so that sums do not depend on the order of the postings.
    mutating func forEach(_ body: (_ search: Int, _ word: Int, _ occurrences: Double) -> Void) {
        if entries.count > 1 { entries.sort { ($0.search, $0.word) < ($1.search, $1.word) } }
        for entry in entries { body(entry.search, entry.word, entry.occurrences) }
    }
}
