internal import TextSearch

extension PredicateBinder {
    /// Binds a search for words.
    ///
    /// - Parameters:
    ///   - field: The field to search; `nil` for all SEARCHABLE fields.
    ///   - mode: Which of the words a record must have.
    /// - Throws: `BAD_REQUEST`, with the cause `TYPE_MISMATCH` for a field or an argument that is no text, `TOO_LARGE`
    ///   for too many words, and `NOT_INDEXED` if no field is SEARCHABLE.
    func search(
        _ field: QueryField?, at location: PredicateLocation, _ mode: SearchText.Mode, for value: LocatedValue
    ) throws(RecordError) -> Predicate {
        guard case .string(let text) = value.argument, value.members == nil else {
            throw .condition(
                "A search needs the words as a text", cause: .typeMismatch, field: field?.name ?? "SELF",
                at: value.location, found: value.members == nil ? value.argument.typeName : "a list",
                expected: "STRING")
        }
        let words: SearchText
        do throws(SearchTextError) { words = try SearchText(text, mode: mode) } catch {
            throw .condition(
                error.sentence, cause: .tooLarge, field: field?.name ?? "SELF", at: value.location,
                found: text.clipped, expected: "at most \(SearchText.maxWords) words")
        }
        guard let field else {
            let fields = type.searchableFields
            guard !fields.isEmpty else {
                throw .condition(
                    "No field of \(type.name) that you may read is SEARCHABLE. Add SEARCHABLE to the options of the "
                        + "fields that SELF searches", cause: .notIndexed, field: "SELF", at: location, found: "SELF",
                    expected: "a type with SEARCHABLE fields")
            }
            return .search(SearchCondition(words, text: text, in: fields, isOfRecord: true))
        }
        guard case .field(let definition) = field, definition.type.element == .string else {
            throw .condition(
                "Field '\(field.name)' of type \(field.type.schemaName) cannot be searched for words",
                cause: .typeMismatch, field: field.name, at: location, found: field.type.schemaName,
                expected: "STRING or STRING_LIST")
        }
        return .search(SearchCondition(words, text: text, in: [definition]))
    }

    /// Returns a predicate whose searches have no more tokens together than one search may have.
    ///
    /// - Throws: `BAD_REQUEST` with the cause `TOO_LARGE`.
    func limitingSearches(_ predicate: Predicate) throws(RecordError) -> Predicate {
        guard predicate.searchTerms <= SearchText.maxTerms else {
            throw .conditionTooLarge(
                "The searches of the condition have too many words together", limit: SearchText.maxTerms,
                at: PredicateLocation())
        }
        return predicate
    }
}

extension PredicateBinding {
    /// Binds a search of all SEARCHABLE fields: `SELF CONTAINS 'word'`.
    mutating func search(_ comparison: PredicateSyntax.Comparison) throws(RecordError) -> Predicate {
        let location = PredicateLocation(offset: comparison.offset)
        let mode: SearchText.Mode
        switch comparison.operation {
        case .contains: mode = .any
        case .containsTokens(let wanted): mode = wanted
        default:
            throw .condition(
                "SELF can only be searched for words", at: location, found: "another operator",
                expected: "CONTAINS, CONTAINS_ANY_TOKENS or CONTAINS_ALL_TOKENS")
        }
        guard comparison.quantifier == nil else {
            throw .condition(
                "A quantifier stands before a list field", at: PredicateLocation(offset: comparison.left.offset),
                found: "SELF", expected: "SELF alone")
        }
        let right = try resolve(comparison.right, isValue: true)
        guard case .value(let value) = right else {
            throw .condition(
                "A search needs a text", at: PredicateLocation(offset: comparison.right.offset), found: "a field",
                expected: "a text")
        }
        return try binder.search(nil, at: location, mode, for: value)
    }
}
