import UnicodeText

/// Suggestions for misspelled words.
enum Suggestion {
    /// Returns the known word nearest to `word`, or `nil` if no word is near.
    ///
    /// A word is near by its letters, or if both words have the same last part, such as `port` and `server.port`.
    static func nearest(to word: String, among known: [String]) -> String? {
        NearestWord.find(word, among: known, allowing: 2) ?? known.first { lastPart($0) == lastPart(word) }
    }

    /// Returns the last part of a name: `port` for `server.port` and for `FOGBASE_SERVER_PORT`.
    private static func lastPart(_ word: String) -> String {
        word.lowercased().split { $0 == "." || $0 == "_" || $0 == "-" }.last.map(String.init) ?? ""
    }

    /// Returns ` Did you mean X?`, or an empty text if no known word is near.
    static func sentence(for word: String, among known: [String]) -> String {
        nearest(to: word, among: known).map { " Did you mean \($0)?" } ?? ""
    }
}
