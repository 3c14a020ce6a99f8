/// The differences that a comparison of texts ignores.
package struct TextFolding: OptionSet, Hashable, Sendable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    /// Case, width, font and ligatures are ignored, and so are invisible characters (`nfkcCasefold`).
    package static let caseInsensitive = TextFolding(rawValue: 1)
    /// Accents and similar marks are ignored (`withoutDiacritics`).
    package static let diacriticInsensitive = TextFolding(rawValue: 2)

    /// Returns a text without the differences. Two texts are equal in a comparison if the results have the same bytes.
    ///
    /// - Parameter text: UTF-8. Invalid sequences count as U+FFFD.
    package func fold(_ text: [UInt8]) -> [UInt8] {
        fold(text) { _ in }
    }

    /// Returns the beginning of a text without the differences, and charges the work as it is done.
    ///
    /// - Parameters:
    ///   - text: UTF-8. Invalid sequences count as U+FFFD.
    ///   - count: The number of bytes after which the result may end. It may also be longer.
    ///   - charge: Receives work in units of about 1 ns, at most about 0.1 ms of work after it is done.
    /// - Throws: The errors of `charge`.
    package func fold<Failure: Error>(
        _ text: [UInt8], first count: Int = .max, _ charge: (_ work: Int) throws(Failure) -> Void
    ) throws(Failure) -> [UInt8] {
        if isEmpty { return text }
        if text.allSatisfy({ $0 < 0x80 }) {
            try charge(2 * text.count)
            guard contains(.caseInsensitive) else { return text }
            return text.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }
        }
        return try text.withUnsafeBufferPointer { bytes throws(Failure) in
            var folder = Folder(self, capacity: min(count, bytes.count))
            try folder.append(bytes, from: 0, until: count, charge)
            return folder.result
        }
    }

    /// Returns the end of a text without the differences, and charges the work as it is done.
    ///
    /// - Parameters:
    ///   - text: UTF-8. Invalid sequences count as U+FFFD.
    ///   - count: The number of bytes with which the result may begin. It may also be longer.
    ///   - charge: As in `fold(_:first:_:)`.
    /// - Throws: The errors of `charge`.
    package func fold<Failure: Error>(
        _ text: [UInt8], last count: Int, _ charge: (_ work: Int) throws(Failure) -> Void
    ) throws(Failure) -> [UInt8] {
        if isEmpty { return count < text.count ? Array(text.suffix(count)) : text }
        return try text.withUnsafeBufferPointer { bytes throws(Failure) in
            var length = max(count, 64)
            while true {
                let start = length < bytes.count ? bytes.segmentStart(upTo: bytes.count - length) : 0
                var folder = Folder(self, capacity: bytes.count - start)
                try folder.append(bytes, from: start, until: .max, charge)
                if start == 0 || folder.result.count >= count { return folder.result }
                length *= 4
            }
        }
    }
}

/// Folds texts by their segments. Most segments are one scalar and recur, so their foldings are kept.
private struct Folder {
    private(set) var result: [UInt8] = []
    private let folding: TextFolding
    /// Whether the text is so long that segments recur.
    private let keepsSegments: Bool
    private var knownSegments: [UInt64] = []
    private var knownFoldings: [[UInt8]] = []
    private var work = 0

    /// The longest segment, in bytes. A longer run of marks, which no language needs, is folded in several parts.
    private static let longestSegment = 4_096
    /// The work after which it is charged.
    private static let workUntilCharge = 1 << 15

    init(_ folding: TextFolding, capacity: Int) {
        self.folding = folding
        keepsSegments = capacity > 64
        result.reserveCapacity(capacity)
    }

    /// Appends the folded text from an offset on, until the result has `limit` bytes.
    mutating func append<Failure: Error>(
        _ text: UnsafeBufferPointer<UInt8>, from start: Int, until limit: Int,
        _ charge: (_ work: Int) throws(Failure) -> Void
    ) throws(Failure) {
        var index = start
        while index < text.count, result.count < limit {
            if work >= Self.workUntilCharge {
                try charge(work)
                work = 0
            }
            let next = text.segmentEnd(from: index, atMost: Self.longestSegment)
            append(UnsafeBufferPointer(rebasing: text[index..<next]))
            index = next
        }
        try charge(work)
        work = 0
    }

    private mutating func append(_ segment: UnsafeBufferPointer<UInt8>) {
        let first = segment[0]
        work += 8 * segment.count
        if segment.count == 1, first < 0x80 {
            let isCapital = (0x41...0x5A).contains(first) && folding.contains(.caseInsensitive)
            return result.append(isCapital ? first | 0x20 : first)
        }
        // E4 to E9 begin Han, which folding does not change.
        if segment.count == 3, (0xE4...0xE9).contains(first) { return result.append(contentsOf: segment) }
        guard keepsSegments, segment.count <= 8 else { return result.append(contentsOf: folded(segment)) }
        let key = segment.reduce(0) { $0 << 8 | UInt64($1) }
        let slot = Int((key &* 0x9E37_79B9_7F4A_7C15) >> 58)
        if knownSegments.isEmpty {
            knownSegments = Array(repeating: 0, count: 64)
            knownFoldings = Array(repeating: [], count: 64)
        }
        if knownSegments[slot] != key {
            knownFoldings[slot] = folded(segment)
            knownSegments[slot] = key
        }
        work += 8 * knownFoldings[slot].count
        result.append(contentsOf: knownFoldings[slot])
    }

    private mutating func folded(_ segment: UnsafeBufferPointer<UInt8>) -> [UInt8] {
        var text = String(decoding: segment, as: UTF8.self)
        if folding.contains(.caseInsensitive) { text = text.nfkcCasefold }
        if folding.contains(.diacriticInsensitive) { text = text.withoutDiacritics }
        let folded = Array(text.utf8)
        work += 256 + 256 * segment.count + 64 * folded.count
        return folded
    }
}

extension UnsafeBufferPointer<UInt8> {
    /// The end of the segment that starts at an offset.
    fileprivate func segmentEnd(from start: Int, atMost most: Int) -> Int {
        var end = start + scalar(at: start).length
        while end < count {
            if self[end] < 0x80 { return end }
            let (value, length) = scalar(at: end)
            // A byte of an invalid sequence stays with the bytes before it, as decoding needs them together.
            let isLoose = length == 1 && self[end] & 0xC0 == 0x80
            if end - start + length > most || !isLoose && TextSegments.mayStart(with: value) { return end }
            end += length
        }
        return end
    }

    /// The last offset up to another at which a segment starts.
    fileprivate func segmentStart(upTo offset: Int) -> Int {
        var start = offset
        while start > 0 {
            if self[start] & 0xC0 != 0x80, TextSegments.mayStart(with: scalar(at: start).value) { return start }
            start -= 1
        }
        return 0
    }

    /// The scalar at an offset, and its length in bytes. A byte that starts no valid sequence counts as U+FFFD.
    private func scalar(at index: Int) -> (value: UInt32, length: Int) {
        let first = UInt32(self[index])
        let length =
            switch first {
            case 0..<0x80: 1
            case 0xC2..<0xE0: 2
            case 0xE0..<0xF0: 3
            case 0xF0..<0xF5: 4
            default: 0
            }
        guard length > 0, index + length <= count else { return (0xFFFD, 1) }
        if length == 1 { return (first, 1) }
        var value = first & (0x7F >> UInt32(length))
        for byte in self[(index + 1)..<(index + length)] {
            guard byte & 0xC0 == 0x80 else { return (0xFFFD, 1) }
            value = value << 6 | UInt32(byte & 0x3F)
        }
        return (value, length)
    }
}
