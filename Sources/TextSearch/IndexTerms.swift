/// The distinct terms of a record with their payloads: what an index stores for it.
///
/// ```swift
/// var terms = IndexTerms(fieldCount: 2)
/// terms.add(title, field: 0)
/// terms.add(body, field: 1)
/// for posting in terms.postings { … }
/// ```
package struct IndexTerms: Sendable {
    /// A term of a record.
    package struct Posting: Hashable, Sendable {
        /// Folded UTF-8, as in ``TextToken/term``.
        package let term: [UInt8]
        package let payload: PostingPayload
    }

    /// The number of tokens of each field.
    package private(set) var lengths: [Int]
    private var tokens = Tokens()

    /// Creates the terms of an empty record.
    ///
    /// - Parameter fieldCount: At most ``PostingPayload/maxFields``.
    package init(fieldCount: Int = 1) {
        precondition(
            fieldCount <= PostingPayload.maxFields, "an index has at most \(PostingPayload.maxFields) fields")
        lengths = [Int](repeating: 0, count: fieldCount)
    }

    /// Adds the terms of a text.
    ///
    /// - Parameters:
    ///   - text: UTF-8.
    ///   - field: From 0. A field may have several texts, such as the members of a list.
    /// - Complexity: Linear in the length of the text.
    package mutating func add(_ text: [UInt8], field: Int = 0) {
        let before = tokens.places.count
        tokens.field = field
        text.withUnsafeBufferPointer { TokenCutter.cut($0, into: &tokens) }
        lengths[field] += tokens.places.count - before
    }

    /// The distinct terms in the order of their bytes.
    ///
    /// - Complexity: O(n log n) for n tokens.
    package var postings: [Posting] {
        var postings: [Posting] = []
        tokens.bytes.withUnsafeBufferPointer { bytes in
            let places = tokens.places.sorted { Self.precedes(bytes[$0.range], bytes[$1.range]) }
            var frequencies = [Int](repeating: 0, count: lengths.count)
            for (index, place) in places.enumerated() {
                frequencies[place.field] += 1
                if index + 1 < places.count, bytes[place.range].elementsEqual(bytes[places[index + 1].range]) {
                    continue
                }
                postings.append(
                    Posting(
                        term: Array(bytes[place.range]),
                        payload: PostingPayload(frequencies: frequencies, lengths: lengths)))
                for field in frequencies.indices { frequencies[field] = 0 }
            }
        }
        return postings
    }

    private static func precedes(
        _ left: Slice<UnsafeBufferPointer<UInt8>>, _ right: Slice<UnsafeBufferPointer<UInt8>>
    ) -> Bool {
        left.lexicographicallyPrecedes(right)
    }

    /// The terms of all tokens, one after the other.
    private struct Tokens: TokenVisitor, Sendable {
        var bytes: [UInt8] = []
        var places: [Place] = []
        var field = 0

        mutating func visit(_ token: TokenView) -> Bool {
            places.append(Place(start: bytes.count, count: UInt8(token.term.count), ofField: UInt8(field)))
            bytes += token.term
            return true
        }
    }

    private struct Place: Sendable {
        let start: Int
        let count: UInt8
        let ofField: UInt8

        var range: Range<Int> { start..<start + Int(count) }
        var field: Int { Int(ofField) }
    }
}
