/// The choice of the part of a text that a snippet shows.
enum SnippetWindow {
    /// Returns the range of the occurrences that fit into a snippet and have the most different words, then the most
    /// occurrences, then the first place. Without occurrences, it is empty and at the beginning.
    static func best(
        of found: [SearchText.Occurrence], wordCount: Int, limit: Int, ruler: ScalarRuler
    ) -> Range<Int> {
        let sorted = found.sorted {
            ($0.range.lowerBound, $0.range.upperBound, $0.word) < ($1.range.lowerBound, $1.range.upperBound, $1.word)
        }
        var best: (words: Int, count: Int, range: Range<Int>) = (0, 0, 0..<0)
        var inside = [Int](repeating: 0, count: wordCount)
        var distinct = 0
        var first = 0
        // Occurrences may contain others, so the end of the window is the largest of the ends so far. A window that has
        // moved past that occurrence is judged as if it still contained it, which only makes it look longer.
        var end = 0
        for (index, occurrence) in sorted.enumerated() {
            end = max(end, occurrence.range.upperBound)
            inside[occurrence.word] += 1
            if inside[occurrence.word] == 1 { distinct += 1 }
            while first < index, ruler.scalars(in: sorted[first].range.lowerBound..<end) > limit {
                inside[sorted[first].word] -= 1
                if inside[sorted[first].word] == 0 { distinct -= 1 }
                first += 1
            }
            let count = index - first + 1
            if (distinct, count) > (best.words, best.count) {
                best = (distinct, count, sorted[first].range.lowerBound..<end)
            }
        }
        return best.range
    }

    /// Adds words before and after a window until the snippet is full. The window ends up in the middle, or closer to an
    /// end of the text.
    static func widened(_ window: Range<Int>, tokens: [Range<Int>], limit: Int, ruler: ScalarRuler) -> Range<Int> {
        let size = ruler.scalars(in: window)
        if size >= limit { return window.lowerBound..<ruler.index(window.lowerBound, movedBy: limit) }
        // What one side does not need is for the other side.
        let after = ruler.scalars(in: window.upperBound..<ruler.end)
        let before = max((limit - size) / 2, limit - size - after)
        var start = ruler.index(window.lowerBound, movedBy: -before)
        if start > 0 {
            // The first word that starts there or later.
            let token = tokens.firstIndex(startingAtOrAfter: start)
            start = token < tokens.count ? min(tokens[token].lowerBound, window.lowerBound) : window.lowerBound
        }
        var end = ruler.index(start, movedBy: limit)
        if end < ruler.end {
            // The end of the last word that fits, with the punctuation up to the next word if that fits.
            let token = tokens.firstIndex(startingAtOrAfter: end)
            if token > 0, tokens[token - 1].upperBound > end {
                let previous = token > 1 ? tokens[token - 2].upperBound : 0
                end = previous > start ? max(previous, window.upperBound) : end
            }
        }
        return start..<end
    }
}

extension [Range<Int>] {
    /// Returns the index of the first range of an ascending array that starts at a place or later; `count` if there is
    /// none.
    fileprivate func firstIndex(startingAtOrAfter place: Int) -> Int {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if self[middle].lowerBound < place { low = middle + 1 } else { high = middle }
        }
        return low
    }
}

/// Counts Unicode scalars in the beginning of a text.
struct ScalarRuler {
    private let text: [UInt8]
    /// The end of the part of the text that counts. It is not inside a scalar.
    let end: Int
    /// The number of scalars before each block of 64 bytes.
    private let counts: [Int]

    init(_ text: [UInt8], limit: Int) {
        var end = min(text.count, limit)
        while end > 0, end < text.count, text[end] & 0xC0 == 0x80 { end -= 1 }
        self.text = text
        self.end = end
        var counts: [Int] = []
        var count = 0
        for index in 0..<end {
            if index % 64 == 0 { counts.append(count) }
            if text[index] & 0xC0 != 0x80 { count += 1 }
        }
        counts.append(count)
        self.counts = counts
    }

    private func scalars(before index: Int) -> Int {
        let block = index / 64
        guard index < end else { return counts.last ?? 0 }
        return counts[block] + text[block * 64..<index].count { $0 & 0xC0 != 0x80 }
    }

    func scalars(in range: Range<Int>) -> Int {
        scalars(before: range.upperBound) - scalars(before: range.lowerBound)
    }

    /// Returns the index some scalars later, or earlier if negative; at most the ends of the text.
    func index(_ index: Int, movedBy distance: Int) -> Int {
        var (index, rest) = (index, distance)
        while rest > 0, index < end {
            index += 1
            while index < end, text[index] & 0xC0 == 0x80 { index += 1 }
            rest -= 1
        }
        while rest < 0, index > 0 {
            index -= 1
            while index > 0, text[index] & 0xC0 == 0x80 { index -= 1 }
            rest += 1
        }
        return index
    }

    /// Returns a range without the ASCII spaces at its ends.
    func trimmed(_ range: Range<Int>) -> Range<Int> {
        var (start, end) = (range.lowerBound, range.upperBound)
        while start < end, text[start] <= 0x20 { start += 1 }
        while end > start, text[end - 1] <= 0x20 { end -= 1 }
        return start..<end
    }

    /// Whether a part of the text has anything but ASCII spaces.
    func hasText(in range: Range<Int>) -> Bool { text[range].contains { $0 > 0x20 } }
}
