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
            let places = tokens.places.sorted { $0.precedes($1, in: bytes) }
            var frequencies = [Int](repeating: 0, count: lengths.count)
            for (index, place) in places.enumerated() {
                frequencies[place.field] += 1
                if index + 1 < places.count, place.equals(places[index + 1], in: bytes) { continue }
                postings.append(
                    Posting(
                        term: Array(bytes[place.range]),
                        payload: PostingPayload(frequencies: frequencies, lengths: lengths)))
                for field in frequencies.indices { frequencies[field] = 0 }
            }
        }
        return postings
    }

    /// The terms of all tokens, one after the other.
    private struct Tokens: TokenVisitor, Sendable {
        var bytes: [UInt8] = []
        var places: [Place] = []
        var field = 0

        mutating func visit(_ token: TokenView) -> Bool {
            places.append(Place(start: bytes.count, term: token.term, field: field))
            bytes += token.term
            return true
        }
    }

    private struct Place: Sendable {
        let start: Int
        /// The first eight bytes of the term, the first of them highest, with zeros after a short term. No term contains
        /// a zero, so heads that differ are in the order of the terms.
        let head: UInt64
        let count: UInt8
        let ofField: UInt8

        init(start: Int, term: UnsafeBufferPointer<UInt8>, field: Int) {
            self.start = start
            var head: UInt64 = 0
            for index in 0..<min(term.count, 8) { head |= UInt64(term[index]) << UInt64(56 - 8 * index) }
            self.head = head
            count = UInt8(term.count)
            ofField = UInt8(field)
        }

        var range: Range<Int> { start..<start + Int(count) }
        var field: Int { Int(ofField) }
        private var isLong: Bool { count > 8 }

        func precedes(_ other: Place, in bytes: UnsafeBufferPointer<UInt8>) -> Bool {
            if head != other.head { return head < other.head }
            guard isLong, other.isLong else { return !isLong && other.isLong }
            return bytes[range].dropFirst(8).lexicographicallyPrecedes(bytes[other.range].dropFirst(8))
        }

        func equals(_ other: Place, in bytes: UnsafeBufferPointer<UInt8>) -> Bool {
            guard head == other.head, count == other.count else { return false }
            return !isLong || bytes[range].dropFirst(8).elementsEqual(bytes[other.range].dropFirst(8))
        }
    }
}
