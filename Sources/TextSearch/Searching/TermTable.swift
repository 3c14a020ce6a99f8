/// The terms of a search, for comparing tokens with all of them at once. Each term has a bit; those of a word are
/// successive.
struct TermTable: Sendable {
    /// The bits of the first terms of words.
    private(set) var firsts = Bits()
    /// The bits of the last terms of words.
    private(set) var lasts = Bits()
    /// The word of each bit.
    private(set) var wordOfBit: [UInt8] = []

    /// A distinct term with its bits.
    private struct Entry {
        var term: SearchWord.Term
        var hash: UInt32
        var bits: Bits
    }

    private var entries: [Entry] = []
    /// A hash table with open addressing: indices of `entries` plus 1, or 0.
    private var slots = [UInt8](repeating: 0, count: Self.slotCount)
    /// The lengths of prefixes, ascending.
    private var prefixLengths: [Int] = []
    /// Whether an entry starts with a byte.
    private var isFirstByte = [Bool](repeating: false, count: 256)

    /// Twice as many as there are terms at most.
    private static let slotCount = 256

    init(words: [SearchWord]) {
        for (number, word) in words.enumerated() {
            for (index, term) in word.terms.enumerated() {
                let bit = Bits(bit: wordOfBit.count)
                wordOfBit.append(UInt8(number))
                if index == 0 { firsts.formUnion(bit) }
                if index == word.terms.count - 1 { lasts.formUnion(bit) }
                add(term, bit)
            }
        }
        prefixLengths = Set(entries.filter(\.term.isPrefix).map(\.term.bytes.count)).sorted()
    }

    private mutating func add(_ term: SearchWord.Term, _ bit: Bits) {
        if let index = entries.firstIndex(where: {
            $0.term.bytes == term.bytes && $0.term.isPrefix == term.isPrefix
        }) {
            entries[index].bits.formUnion(bit)
            return
        }
        var hash = Hash()
        for byte in term.bytes { hash.add(byte) }
        var slot = hash.slot
        while slots[slot] != 0 { slot = (slot + 1) % Self.slotCount }
        entries.append(Entry(term: term, hash: hash.value, bits: bit))
        slots[slot] = UInt8(entries.count)
        isFirstByte[Int(term.bytes.first ?? 0)] = true
    }

    /// Returns the bits of the terms that a token fulfills.
    func bits(of token: UnsafeBufferPointer<UInt8>) -> Bits {
        guard let first = token.first, isFirstByte[Int(first)] else { return Bits() }
        var result = Bits()
        var hash = Hash()
        var done = 0
        for length in prefixLengths where length <= token.count {
            while done < length {
                hash.add(token[done])
                done += 1
            }
            find(token, length, isPrefix: true, hash, &result)
        }
        while done < token.count {
            hash.add(token[done])
            done += 1
        }
        find(token, done, isPrefix: false, hash, &result)
        return result
    }

    private func find(
        _ token: UnsafeBufferPointer<UInt8>, _ length: Int, isPrefix: Bool, _ hash: Hash, _ result: inout Bits
    ) {
        var slot = hash.slot
        while slots[slot] != 0 {
            let entry = entries[Int(slots[slot]) - 1]
            if entry.hash == hash.value, entry.term.isPrefix == isPrefix, entry.term.bytes.count == length,
                entry.term.bytes.elementsEqual(token[..<length])
            {
                result.formUnion(entry.bits)
                return
            }
            slot = (slot + 1) % Self.slotCount
        }
    }

    /// FNV-1a.
    private struct Hash {
        var value: UInt32 = 0x811C_9DC5

        mutating func add(_ byte: UInt8) { value = (value ^ UInt32(byte)) &* 0x0100_0193 }
        var slot: Int { Int((value ^ value >> 16) & 0xFF) }
    }
}

/// A bit for each term of a search: `SearchText.maxTerms` of them.
struct Bits: Hashable, Sendable {
    private(set) var low: UInt64 = 0
    private(set) var high: UInt64 = 0

    init() {}

    init(bit: Int) {
        if bit < 64 { low = 1 << UInt64(bit) } else { high = 1 << UInt64(bit - 64) }
    }

    @inline(__always) var isEmpty: Bool { low | high == 0 }

    @inline(__always) mutating func formUnion(_ other: Bits) {
        low |= other.low
        high |= other.high
    }

    @inline(__always) mutating func formIntersection(_ other: Bits) {
        low &= other.low
        high &= other.high
    }

    /// Moves each bit to the next one.
    @inline(__always) mutating func shift() {
        high = high << 1 | low >> 63
        low <<= 1
    }

    /// Removes the lowest bit and returns its number; `nil` if there is none.
    mutating func popFirst() -> Int? {
        if low != 0 {
            let bit = low.trailingZeroBitCount
            low &= low &- 1
            return bit
        }
        if high != 0 {
            let bit = high.trailingZeroBitCount
            high &= high &- 1
            return bit + 64
        }
        return nil
    }
}
