package import TextSearch

/// A search for words in the texts of a record.
package struct SearchCondition: Hashable, Sendable {
    /// The fields that are searched, each a STRING or a STRING_LIST.
    package var fields: [FieldDefinition]
    /// Whether the condition searches all SEARCHABLE fields: `SELF CONTAINS`.
    package var isOfRecord: Bool
    /// The words.
    package var words: SearchText
    /// The words as the client wrote them.
    package var text: String

    /// Creates a search.
    package init(_ words: SearchText, text: String, in fields: [FieldDefinition], isOfRecord: Bool = false) {
        self.words = words
        self.text = text
        self.fields = fields
        self.isOfRecord = isOfRecord
    }

    /// Returns whether the texts of a record match.
    package func evaluate(_ subject: some PredicateSubject) -> Bool {
        words.matches(fields.flatMap { subject.texts(of: $0) })
    }

    /// Whether a record must have all words.
    var needsAll: Bool { words.mode == .all }

    /// Whether no record matches, because there is nothing to look for or nowhere to look.
    var isImpossible: Bool { words.words.isEmpty || fields.isEmpty }

    /// The work of cutting one byte of a text into words, in units of about 1 ns.
    package static let workPerByte = 12
}

extension PredicateSubject {
    /// Returns the text of a STRING, or the members of a STRING_LIST.
    package func texts(of field: FieldDefinition) -> [[UInt8]] {
        let values =
            field.type.isList ? members(of: .field(field)) : value(of: .field(field)).map { [$0] } ?? []
        return values.compactMap { if case .text(let text) = $0 { text } else { nil } }
    }
}

extension Predicate {
    /// The number of tokens of all searches.
    var searchTerms: Int {
        switch self {
        case .search(let search): search.words.words.reduce(0) { $0 + $1.terms.count }
        case .and(let parts), .or(let parts): parts.reduce(0) { $0 + $1.searchTerms }
        case .not(let part): part.searchTerms
        case .constant, .condition: 0
        }
    }

    /// The searches that contribute to the rank of a match: those that are not negated, in order, without duplicates.
    package var searches: [SearchCondition] {
        switch self {
        case .search(let search): return [search]
        case .and(let parts), .or(let parts):
            var found: [SearchCondition] = []
            for search in parts.flatMap(\.searches) where !found.contains(search) { found.append(search) }
            return found
        case .constant, .condition, .not: return []
        }
    }
}
