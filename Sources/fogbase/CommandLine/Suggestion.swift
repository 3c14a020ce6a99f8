/// Finds the known word that somebody may have meant.
enum Suggestion {
    /// The known word nearest to `word`, or `nil` if none is near.
    ///
    /// Near means: at most a third of its letters are missing, superfluous, swapped or other ones, two in a short word;
    /// or that it ends with the same part, as `port` and `server.port` do.
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

    /// `port` of `server.port` and `FOGBASE_SERVER_PORT`.
    private static func lastPart(_ word: String) -> String {
        word.lowercased().split { $0 == "." || $0 == "_" || $0 == "-" }.last.map(String.init) ?? ""
    }

    /// ` Did you mean X?`, or nothing.
    static func sentence(for word: String, among known: [String]) -> String {
        nearest(to: word, among: known).map { " Did you mean \($0)?" } ?? ""
    }

    /// How many insertions, deletions, replacements and swaps of neighbours turn one word into the other.
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
