import Glibc

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
    package func idf(recordsWithWord count: Int) -> Double {
        let total = Double(max(documentCount, 1))
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
            let frequency = payload.frequency(inField: index)
            if frequency == 0 { continue }
            let length = Double(payload.length(ofField: index).count)
            weighted += field.weight * Double(frequency) / (1 - Self.b + Self.b * length * field.perToken)
        }
        return idf * weighted * (Self.k1 + 1) / (Self.k1 + weighted)
    }

    /// Returns the largest value that a word can add to a score: no payload has a higher one.
    package func maxScore(idf: Double) -> Double { idf * (Self.k1 + 1) }
}
