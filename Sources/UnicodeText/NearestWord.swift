/// Finds the known word that a misspelled one may mean.
package enum NearestWord {
    /// The numbers of known words and of characters of a word that are compared. The words may be a caller's input.
    private static let (mostWords, mostCharacters) = (1_000, 64)

    /// Returns the known word nearest to a word; `nil` if no word is near.
    ///
    /// A word is near if at most a third of its characters are missing, extra, swapped or different.
    ///
    /// - Parameters:
    ///   - least: The number of such characters that a short word may have too.
    ///   - form: Returns the form in which words are compared.
    package static func find(
        _ word: String, among known: [String], allowing least: Int, by form: (String) -> String = { $0.lowercased() }
    ) -> String? {
        let typed = Array(form(word))
        var best: (word: String, distance: Int)?
        for candidate in known.prefix(mostWords) {
            let other = Array(form(candidate))
            guard typed.count <= mostCharacters, other.count <= mostCharacters else { continue }
            let distance = distance(typed, other)
            if distance <= max(least, other.count / 3), distance < best?.distance ?? .max {
                best = (candidate, distance)
            }
        }
        return best?.word
    }

    /// Returns how many insertions, deletions, replacements and swaps of adjacent characters are needed to turn one word
    /// into the other.
    package static func distance(_ left: [Character], _ right: [Character]) -> Int {
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
