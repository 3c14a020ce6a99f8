// Searches for words: `Query<Post>().search("red bell").sortedByRank().highlighting(.title)`.

internal import RecordWire

/// Which of its words a search needs.
public enum SearchedWords: Hashable, Sendable {
    /// All words, in any order and in any of the searched fields.
    case all
    /// At least one word.
    case any

    var operation: String { self == .all ? "CONTAINS_ALL_TOKENS" : "CONTAINS_ANY_TOKENS" }
}

extension Query {
    /// Returns the query with a search for words in all fields that the schema marks as SEARCHABLE.
    ///
    /// Case, width and diacritics do not count. `bell*` finds words that start with `bell`, and `"red bell"` the two words
    /// one after the other. A type without SEARCHABLE fields is an error.
    ///
    /// - Parameters:
    ///   - words: The words, separated by spaces.
    ///   - needed: Which of the words a record must have.
    public func search(_ words: String, for needed: SearchedWords = .all) -> Query {
        filter("SELF \(needed.operation) %@", words)
    }

    /// Returns the query with a search for words in one field, a string or a list of strings.
    ///
    /// - Parameters:
    ///   - words: The words, separated by spaces.
    ///   - field: The field.
    ///   - needed: Which of the words a record must have.
    public func search(_ words: String, in field: Model.Fields, for needed: SearchedWords = .all) -> Query {
        filter("%K \(needed.operation) %@", field.rawValue, words)
    }

    /// Returns the query with the best matches of its searches first.
    ///
    /// - Parameter weights: How much the words count in some fields: 0 to 1,000, and 1 in all others.
    public func sortedByRank(weights: [Model.Fields: Double] = [:]) -> Query {
        let terms = weights.map { "\($0.key.rawValue)^\($0.value)" }.sorted()
        return sorted(byName: "rank(\(terms.joined(separator: ",")))", false)
    }

    /// Returns the query with the words found in ``Page/highlights``.
    ///
    /// - Parameters:
    ///   - fields: Fields that the query searches.
    ///   - length: The most characters of each text, 1 to 2,000.
    public func highlighting(_ fields: Model.Fields..., length: Int = 160) -> Query {
        var query = self
        query.highlightedFields = fields.map(\.rawValue)
        query.highlightLength = length
        return query
    }
}

/// A part of a text with the words of a search marked.
public struct Highlight: Hashable, Sendable {
    /// A piece of the text.
    public struct Part: Hashable, Sendable {
        /// The piece.
        public var text: String
        /// Whether the piece is a word that was searched.
        public var isMatch: Bool

        /// Creates a piece.
        public init(text: String, isMatch: Bool) {
            self.text = text
            self.isMatch = isMatch
        }
    }

    /// The pieces, which follow each other without a space between them.
    public var parts: [Part]
    /// Whether the text of the record begins earlier.
    public var isCutBefore: Bool
    /// Whether the text of the record goes on.
    public var isCutAfter: Bool

    /// Creates a marked text.
    public init(parts: [Part], isCutBefore: Bool = false, isCutAfter: Bool = false) {
        self.parts = parts
        self.isCutBefore = isCutBefore
        self.isCutAfter = isCutAfter
    }

    /// The text without marks.
    public var text: String { parts.map(\.text).joined() }
}

extension Highlight {
    /// Reads a member of `highlights` in a response.
    init(_ tree: JSONValue) {
        self.init(
            parts: (tree["parts"]?.array ?? []).map {
                Part(text: $0["text"]?.string ?? "", isMatch: $0["match"] == true)
            }, isCutBefore: tree["cutBefore"] == true, isCutAfter: tree["cutAfter"] == true)
    }
}
