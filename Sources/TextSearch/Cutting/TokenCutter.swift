import UnicodeText

/// Cuts a text into tokens.
///
/// A word is a run of letters, marks and digits; `.` and `,` between two digits belong to it. Everything else separates
/// words, also the apostrophe and the underscore: `bob's` and `l'arbre` are found as `bob` and as `arbre`.
///
/// A run of characters of scripts without spaces (and of emoji) has a token at each character: that one and the next. The
/// token of the last is that character alone. So a search for one character is a search for a prefix, and a pair is
/// found wherever it is in the run.
struct TokenCutter<Visitor: TokenVisitor> {
    private let text: UnsafeBufferPointer<UInt8>
    private let table: UnsafeBufferPointer<UInt32>
    /// The term that is being built, with room for `TextToken.maxBytes`.
    private let term: UnsafeMutablePointer<UInt8>
    private var count = 0
    private var kind = Kind.none
    private var start = 0
    private var end = 0
    /// Whether the rest of the word is ignored.
    private var isFull = false
    /// The class of the last scalar of a word.
    private var isAfterDigit = false
    /// A `.` or `,` after a digit; 0 if there is none.
    private var pendingSeparator: UInt8 = 0
    private var position = 0
    private var needsMore = true
    /// The folded forms of segments that are not in `table`.
    private var cache: [UInt64: [SearchFolding.Entry]] = [:]

    private static var maxCached: Int { 512 }

    private enum Kind { case none, word, dense }

    static func cut(_ text: UnsafeBufferPointer<UInt8>, into visitor: inout Visitor) {
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: TextToken.maxBytes) { term in
            guard let base = term.baseAddress else { return }
            SearchFolding.table.withUnsafeBufferPointer { table in
                var cutter = TokenCutter(text: text, table: table, term: base)
                cutter.run(&visitor)
            }
        }
    }

    private init(
        text: UnsafeBufferPointer<UInt8>, table: UnsafeBufferPointer<UInt32>, term: UnsafeMutablePointer<UInt8>
    ) {
        self.text = text
        self.table = table
        self.term = term
    }

    private mutating func run(_ visitor: inout Visitor) {
        var index = 0
        while index < text.count, needsMore {
            let byte = text[index]
            if byte >= 0x80 {
                index = takeSegment(at: index, &visitor)
            } else if byte.isASCIIAlphanumeric {
                index = takeWord(at: index, &visitor)
            } else {
                takeSeparator(byte, &visitor)
                index += 1
            }
        }
        finish(&visitor)
    }

    /// Takes ASCII letters and digits.
    @inline(__always) private mutating func takeWord(at first: Int, _ visitor: inout Visitor) -> Int {
        beginWord(at: first, isDigit: text[first] < 0x3A, &visitor)
        var index = first
        var room = isFull ? 0 : TextToken.maxBytes - count
        while index < text.count {
            let byte = text[index]
            guard byte.isASCIIAlphanumeric else { break }
            if room > 0 {
                // Digits have the bit already.
                term[count] = byte | 0x20
                count += 1
                room -= 1
            } else {
                isFull = true
            }
            index += 1
        }
        isAfterDigit = text[index - 1] < 0x3A
        end = index
        return index
    }

    private mutating func takeSeparator(_ byte: UInt8, _ visitor: inout Visitor) {
        if kind == .word, isAfterDigit, pendingSeparator == 0, byte == 0x2E || byte == 0x2C {
            pendingSeparator = byte
        } else {
            finish(&visitor)
        }
    }

    /// Starts a word or goes on with the current one.
    private mutating func beginWord(at index: Int, isDigit: Bool, _ visitor: inout Visitor) {
        if pendingSeparator != 0 {
            if isDigit {
                append(pendingSeparator)
                pendingSeparator = 0
            } else {
                finish(&visitor)
            }
        }
        if kind != .word {
            finish(&visitor)
            kind = .word
            start = index
        }
    }

    private mutating func append(_ byte: UInt8) {
        if isFull || count == TextToken.maxBytes {
            isFull = true
        } else {
            term[count] = byte
            count += 1
        }
    }

    /// Takes a segment that starts with a character outside ASCII.
    private mutating func takeSegment(at first: Int, _ visitor: inout Visitor) -> Int {
        let (value, length) = text.scalar(at: first)
        var next = first + length
        // Most segments are one character, or one with marks that do not count.
        while next < text.count, text[next] >= 0xCC {
            let mark = text.scalar(at: next)
            guard SearchFolding.isAlwaysRemoved(mark.value) else { break }
            next += mark.length
        }
        if isBoundary(next) {
            if SearchFolding.isPlainDense(value) {
                takeDense(value, first, next, &visitor)
                return next
            }
            if let index = SearchFolding.tableIndex(of: value) {
                let entry = SearchFolding.Entry(bits: table[index])
                if entry.bits != 0 {
                    take(entry.value, entry.scalarClass, first, next, &visitor)
                    return next
                }
            }
            if SearchFolding.isAlwaysRemoved(value) {
                takeRemoved(next)
                return next
            }
        }
        next = first + length
        var key = UInt64(value)
        while !isBoundary(next) {
            let scalar = text.scalar(at: next)
            key = key >> 42 == 0 ? key << 21 | UInt64(scalar.value) : .max
            next += scalar.length
        }
        takeFolded(first, next, key, &visitor)
        return next
    }

    private func isBoundary(_ index: Int) -> Bool {
        guard index < text.count, text[index] >= 0x80 else { return true }
        return TextSegments.mayStart(with: text.scalar(at: index).value)
    }

    /// Takes a segment through the folding of strings, which takes about a microsecond, or from the cache.
    ///
    /// - Parameter key: The scalars, if there are three at most; otherwise the largest number.
    private mutating func takeFolded(_ first: Int, _ next: Int, _ key: UInt64, _ visitor: inout Visitor) {
        var entries: [SearchFolding.Entry] = []
        if let known = cache[key] {
            entries = known
        } else {
            SearchFolding.fold(String(decoding: text[first..<next], as: UTF8.self)) { entries.append(.init($0)) }
            if key != .max {
                if cache.count == Self.maxCached { cache.removeAll(keepingCapacity: true) }
                cache[key] = entries
            }
        }
        for entry in entries { take(entry.value, entry.scalarClass, first, next, &visitor) }
        if entries.isEmpty { takeRemoved(next) }
    }

    /// Takes marks and invisible characters that folding removes. They belong to the character before them.
    private mutating func takeRemoved(_ next: Int) {
        if kind != .none, pendingSeparator == 0 { end = next }
    }

    private mutating func take(
        _ value: UInt32, _ scalarClass: ScalarClass, _ first: Int, _ next: Int, _ visitor: inout Visitor
    ) {
        switch scalarClass {
        case .separator:
            takeSeparator(value < 0x80 ? UInt8(value) : 0, &visitor)
        case .dense:
            takeDense(value, first, next, &visitor)
        case .mark where kind == .dense:
            takeDense(value, first, next, &visitor)
        case .mark where kind == .none || pendingSeparator != 0:
            finish(&visitor)
        case .letter, .digit, .mark:
            beginWord(at: first, isDigit: scalarClass == .digit, &visitor)
            if scalarClass != .mark { isAfterDigit = scalarClass == .digit }
            appendScalar(value)
            end = next
        }
    }

    private mutating func takeDense(_ value: UInt32, _ first: Int, _ next: Int, _ visitor: inout Visitor) {
        if kind == .dense {
            let headCount = count
            appendScalar(value)
            emit(end: next, headEnd: end, &visitor)
            let tail = count - headCount
            for index in 0..<tail { term[index] = term[headCount + index] }
            count = tail
        } else {
            finish(&visitor)
            kind = .dense
            appendScalar(value)
        }
        start = first
        end = next
    }

    /// Appends UTF-8 if there is room for all of it.
    private mutating func appendScalar(_ value: UInt32) {
        let length = value < 0x80 ? 1 : value < 0x800 ? 2 : value < 0x10000 ? 3 : 4
        guard !isFull, count + length <= TextToken.maxBytes else {
            isFull = true
            return
        }
        if length == 1 {
            term[count] = UInt8(value)
        } else {
            // The first byte starts with as many ones as there are bytes.
            term[count] = UInt8(truncatingIfNeeded: 0xF00 >> length) | UInt8(value >> UInt32(6 * (length - 1)))
            for index in 1..<length {
                term[count + index] = 0x80 | UInt8(value >> UInt32(6 * (length - 1 - index)) & 0x3F)
            }
        }
        count += length
    }

    /// Ends the current word or run.
    private mutating func finish(_ visitor: inout Visitor) {
        if kind == .none { return }
        emit(end: end, headEnd: end, &visitor)
        kind = .none
        count = 0
        isFull = false
        isAfterDigit = false
        pendingSeparator = 0
    }

    private mutating func emit(end: Int, headEnd: Int, _ visitor: inout Visitor) {
        guard needsMore else { return }
        needsMore = visitor.visit(
            TokenView(
                term: UnsafeBufferPointer(start: term, count: count), position: position, start: start, end: end,
                headEnd: headEnd, isDense: kind == .dense))
        position += 1
    }
}

extension UInt8 {
    @inline(__always) fileprivate var isASCIIAlphanumeric: Bool {
        (self | 0x20) &- 0x61 < 26 || self &- 0x30 < 10
    }
}

extension UnsafeBufferPointer<UInt8> {
    /// Decodes the scalar at an index. An invalid byte counts as U+FFFD.
    @inline(__always) func scalar(at index: Int) -> (value: UInt32, length: Int) {
        let first = UInt32(self[index])
        if first < 0x80 { return (first, 1) }
        let length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2
        guard first >= 0xC2, first <= 0xF4, index + length <= count else { return (0xFFFD, 1) }
        var value = first & (0x7F >> UInt32(length))
        for offset in 1..<length {
            let byte = UInt32(self[index + offset])
            guard byte & 0xC0 == 0x80 else { return (0xFFFD, 1) }
            value = value << 6 | byte & 0x3F
        }
        let isLongest = length == 2 || value >= (length == 3 ? 0x800 : 0x10000)
        guard isLongest, value <= 0x10FFFF, value & 0x1F_F800 != 0xD800 else { return (0xFFFD, 1) }
        return (value, length)
    }
}
