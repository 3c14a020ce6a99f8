/// Finds the word that a misspelled one may mean.
enum Nearest {
    /// Returns the known name nearest to a name: the same letters and digits, or at most a third of them different.
    static func name(to name: String, among known: [String]) -> String? {
        let typed = Array(folded(name))
        var best: (name: String, distance: Int)?
        for candidate in known.prefix(1_000) {
            let other = Array(folded(candidate))
            guard typed.count <= 64, other.count <= 64 else { continue }
            let distance = distance(typed, other)
            if distance <= max(1, other.count / 3), distance < best?.distance ?? .max { best = (candidate, distance) }
        }
        return best?.name
    }

    /// Letters and digits in lowercase.
    static func folded(_ name: String) -> String {
        let scalars = name.lowercased().unicodeScalars.filter { scalar in
            scalar.properties.isAlphabetic || scalar.properties.numericType != nil
        }
        return String(String.UnicodeScalarView(scalars))
    }

    /// The number of insertions, deletions and replacements that turn one text into the other.
    private static func distance(_ left: [Character], _ right: [Character]) -> Int {
        var previous = Array(0...right.count)
        for (row, letter) in left.enumerated() {
            var current = [row + 1]
            for (column, other) in right.enumerated() {
                current.append(
                    min(previous[column + 1] + 1, current[column] + 1, previous[column] + (letter == other ? 0 : 1)))
            }
            previous = current
        }
        return previous[right.count]
    }
}
