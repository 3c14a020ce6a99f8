// Searches for words: `Query(Search<Post>("red bell").ranked().highlighting(.title))`.

internal import RecordWire

/// Which of its words a search needs.
public enum SearchedWords: Hashable, Sendable {
    /// All words, in any order and in any of the searched fields.
    case all
    /// At least one word.
    case any

    var operation: String { self == .all ? "CONTAINS_ALL_TOKENS" : "CONTAINS_ANY_TOKENS" }
}

/// A search for words, the order of its matches, and the texts that come with them.
///
/// ```swift
/// let search = Search<Post>("red bell*").ranked(weights: [.title: 3]).highlighting(.title)
/// let page = try await database.fetch(Query(search).limit(to: 20))
/// ```
public struct Search<Model: RecordDecodable>: Sendable {
    /// The condition that a record matches the search.
    let filter: Filter<Model>
    /// The sort by rank; `nil` for the order of creation.
    private(set) var sort: String?
    private(set) var highlights: Highlights?

    /// What a response shows of the words found.
    struct Highlights: Hashable, Sendable {
        var fields: [String]
        var length: Int

        func add(to body: inout JSONObject) {
            body["highlight"] = .array(fields.map(JSONValue.string))
            body["highlightLength"] = .integer(Int64(length))
        }
    }

    /// Creates a search.
    ///
    /// Case, width and diacritics do not count. `bell*` finds words that start with `bell`, and `"red bell"` the two words
    /// one after the other.
    ///
    /// - Parameters:
    ///   - words: The words, separated by spaces.
    ///   - field: The field to search, a string or a list of strings; `nil` for all fields that the schema marks as
    ///     SEARCHABLE. A type without such fields is an error then.
    ///   - needed: Which of the words a record must have.
    public init(_ words: String, in field: Model.Fields? = nil, for needed: SearchedWords = .all) {
        filter =
            if let field {
                Filter("%K \(needed.operation) %@", field.rawValue, words)
            } else {
                Filter("SELF \(needed.operation) %@", words)
            }
    }

    /// Returns the search with its best matches first.
    ///
    /// - Parameter weights: How much the words count in some fields: 0 to 1,000, and 1 in all others.
    public func ranked(weights: [Model.Fields: Double] = [:]) -> Search {
        var search = self
        search.sort = "-rank(\(weights.map { "\($0.key.rawValue)^\($0.value)" }.sorted().joined(separator: ",")))"
        return search
    }

    /// Returns the search with the words found in ``Page/highlights``.
    ///
    /// - Parameters:
    ///   - fields: Fields that are searched.
    ///   - length: The most characters of each text, 1 to 2,000.
    public func highlighting(_ fields: Model.Fields..., length: Int = 160) -> Search {
        var search = self
        search.highlights = Highlights(fields: fields.map(\.rawValue), length: length)
        return search
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
