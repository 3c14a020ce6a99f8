/// Suggestions for misspelled words.
enum Suggestion {
    /// Returns the known word nearest to `word`, or `nil` if no word is near.
    ///
    /// A word is near if at most a third of its letters (two in a short word) are missing, extra, swapped or different.
    /// It is also near if both words have the same last part, such as `port` and `server.port`.
    static func nearest(to word: String, among known: [String]) -> String? {
        let typed = Array(word.lowercased().utf8)
        var best: (word: String, distance: Int)?
        for candidate in known {
            let distance = distance(typed, Array(candidate.lowercased().utf8))
            let allowed = max(2, candidate.utf8.count / 3)
            if distance <= allowed, distance < best?.distance ?? .max { best = (candidate, distance) }
        }
        return best?.word ?? known.first { lastPart($0) == lastPart(word) }
    }

    /// Returns the last part of a name: `port` for `server.port` and for `FOGBASE_SERVER_PORT`.
    private static func lastPart(_ word: String) -> String {
        word.lowercased().split { $0 == "." || $0 == "_" || $0 == "-" }.last.map(String.init) ?? ""
    }

    /// Returns ` Did you mean X?`, or an empty text if no known word is near.
    static func sentence(for word: String, among known: [String]) -> String {
        nearest(to: word, among: known).map { " Did you mean \($0)?" } ?? ""
    }

    /// Returns how many insertions, deletions, replacements and swaps of adjacent letters are needed to turn one word
    /// into the other.
    static func distance(_ left: [UInt8], _ right: [UInt8]) -> Int {
        guard !left.isEmpty else { return right.count }
        var older: [Int] = []
        var previous = Array(0...right.count)
        for (row, letter) in left.enumerated() {
            var current = [row + 1]
            for (column, other) in right.enumerated() {
                var cost = min(
                    previous[column + 1] + 1, current[column] + 1, previous[column] + (letter == other ? 0 : 1))
                if row > 0, column > 0, letter == right[column - 1], left[row - 1] == other {
                    cost = min(cost, older[column - 1] + 1)
                }
                current.append(cost)
            }
            older = previous
            previous = current
        }
        return previous[right.count]
    }
}
