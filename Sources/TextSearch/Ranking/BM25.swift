#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// The rank of a record for a search: Okapi BM25 with weighted fields (BM25F; Robertson and Zaragoza 2009, section 3.6).
///
/// The score of a record is the sum over the words of
///
/// ```
/// idf · t · (k1 + 1) / (k1 + t)
/// idf = ln(1 + (N − n + 0.5) / (n + 0.5))
/// t   = Σ weight · frequency / (1 − b + b · length / average length)     over the fields
/// ```
///
/// where N is the number of records and n the number of those with the word. With one field of weight 1 this is BM25. A score
/// is never negative. The same numbers give the same score on each machine that computes `log` equally.
package struct BM25: Sendable {
    /// The number of records: N.
    package let documentCount: Int
    private let fields: [Field]

    private struct Field {
        var weight: Double
        /// 1 / average length.
        var perToken: Double
    }

    /// How soon more occurrences of a word stop to count.
    package static let k1 = 1.2
    /// How much a longer field counts less: 0 not at all, 1 in proportion.
    package static let b = 0.75

    /// Creates the ranking of an index.
    ///
    /// - Parameters:
    ///   - documentCount: The number of records.
    ///   - weights: How much an occurrence in each field counts. Negative weights count as 0.
    ///   - averageLengths: The average number of tokens of each field. An average of 0 counts as 1.
    package init(documentCount: Int, weights: [Double], averageLengths: [Double]) {
        self.documentCount = documentCount
        fields = zip(weights, averageLengths).map { weight, average in
            Field(weight: max(weight, 0), perToken: average > 0 ? 1 / average : 1)
        }
    }

    /// Returns how much a word counts: more if fewer records have it.
    ///
    /// - Parameter count: The number of records with the word: n. More than all counts as all.
    package func idf(recordsWithWord count: Int) -> Double { Self.idf(recordsWithWord: count, of: documentCount) }

    /// Returns how much a word counts: more if fewer records have it.
    ///
    /// - Parameters:
    ///   - count: The number of records with the word: n. More than all counts as all.
    ///   - total: The number of records: N.
    package static func idf(recordsWithWord count: Int, of total: Int) -> Double {
        let total = Double(max(total, 1))
        let count = min(Double(max(count, 0)), total)
        return log(1 + (total - count + 0.5) / (count + 0.5))
    }

    /// Returns what a word adds to the score of a record.
    ///
    /// - Parameters:
    ///   - idf: From ``idf(recordsWithWord:)``.
    ///   - payload: The frequencies of the word in the record, and the lengths of the fields.
    package func score(idf: Double, _ payload: PostingPayload) -> Double {
        var weighted = 0.0
        for (index, field) in fields.prefix(PostingPayload.maxFields).enumerated() {
            weighted += Self.occurrences(payload, field: index, weight: field.weight, perToken: field.perToken)
        }
        return Self.score(idf: idf, occurrences: weighted)
    }

    /// Returns what the occurrences of a word in one field count: its part of t.
    ///
    /// - Parameters:
    ///   - payload: The frequency of the word, and the length of the field.
    ///   - field: The place of the field in the payload.
    ///   - weight: How much an occurrence counts.
    ///   - perToken: 1 / average length of the field.
    package static func occurrences(
        _ payload: PostingPayload, field: Int = 0, weight: Double, perToken: Double
    ) -> Double {
        let frequency = payload.frequency(inField: field)
        if frequency == 0 { return 0 }
        let length = Double(payload.length(ofField: field).count)
        return weight * Double(frequency) / (1 - b + b * length * perToken)
    }

    /// Returns what a word adds to the score of a record.
    ///
    /// - Parameters:
    ///   - idf: From ``idf(recordsWithWord:)``.
    ///   - occurrences: The sum of ``occurrences(_:field:weight:perToken:)`` over the fields: t.
    package static func score(idf: Double, occurrences: Double) -> Double {
        idf * occurrences * (k1 + 1) / (k1 + occurrences)
    }

    /// Returns the largest value that a word can add to a score: no payload has a higher one.
    package func maxScore(idf: Double) -> Double { idf * (Self.k1 + 1) }
}
