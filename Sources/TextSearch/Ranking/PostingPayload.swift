/// How often a term occurs in each field of a record, and how long these fields are: what an index stores with a term and
/// a record for the rank.
///
/// ```
/// bit 0      6        14     20        28 …
///     ┌──────┬────────┬──────┬────────┬──
///     │ freq │ length │ freq │ length │ …    up to 4 fields, the first in the lowest bits
///     └──────┴────────┴──────┴────────┴──
/// ```
///
/// A field without the term has zeros, so a record with the term in the first field only takes 14 bits. The number is
/// never negative and has at most 56 bits.
package struct PostingPayload: Hashable, Sendable {
    package let rawValue: Int64

    /// The largest number of fields.
    package static let maxFields = 4
    /// The largest frequency. A larger one counts as this: the score would hardly change.
    package static let maxFrequency = 63

    private static let bitsPerField = 14
    private static let frequencyBits = 6

    /// Creates a payload from what an index stores.
    package init(rawValue: Int64) {
        self.rawValue = rawValue
    }

    /// Packs frequencies and lengths.
    ///
    /// - Parameters:
    ///   - frequencies: How often the term occurs in each field. Those after the fourth are ignored.
    ///   - lengths: The number of tokens of each field.
    package init(frequencies: [Int], lengths: [Int]) {
        var value: Int64 = 0
        for (field, (frequency, length)) in zip(frequencies, lengths).prefix(Self.maxFields).enumerated()
        where frequency > 0 {
            let bits = Int64(FieldLength(length).code) << Self.frequencyBits | Int64(min(frequency, Self.maxFrequency))
            value |= bits << (field * Self.bitsPerField)
        }
        rawValue = value
    }

    /// Returns how often the term occurs in a field: 0 to ``maxFrequency``.
    package func frequency(inField field: Int) -> Int {
        Int(rawValue >> (field * Self.bitsPerField)) & Self.maxFrequency
    }

    /// Returns the length of a field; 0 if the term does not occur in it.
    package func length(ofField field: Int) -> FieldLength {
        FieldLength(code: UInt8(truncatingIfNeeded: rawValue >> (field * Self.bitsPerField + Self.frequencyBits)))
    }

    /// Returns the payload of both terms together, for a prefix: the sum of the frequencies in each field.
    ///
    /// - Parameter other: The payload of another term in the same record.
    package func merged(with other: PostingPayload) -> PostingPayload {
        var value: Int64 = 0
        for field in 0..<Self.maxFields {
            let frequency = min(frequency(inField: field) + other.frequency(inField: field), Self.maxFrequency)
            // A field has the same length in both, or zero where it lacks the term.
            let length = max(length(ofField: field).code, other.length(ofField: field).code)
            value |= (Int64(length) << Self.frequencyBits | Int64(frequency)) << (field * Self.bitsPerField)
        }
        return PostingPayload(rawValue: value)
    }
}
