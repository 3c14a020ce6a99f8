internal import RecordModel
internal import RecordStorage
internal import RecordWire
internal import TextSearch

/// The texts of a page's records with the words that the query has found in them: the `highlights` member of the response.
///
/// ```text
/// [{"<field>":{"parts":[{"text":"Red "},{"text":"caf\u{E9}","match":true}],"cutBefore"?:true,"cutAfter"?:true}},…]
/// ```
///
/// The list has a member for each record, in the order of the records.
struct Highlights {
    /// The fields of the query, and where their words come from.
    struct Plan: Sendable {
        fileprivate let fields: [(field: FieldDefinition, words: SearchText)]
        fileprivate let length: Int

        /// The usual length of a text, and the limits, in Unicode scalars.
        private static let usualLength = 160
        private static let lengths = 1...2_000

        /// - Returns: `nil` if the query asks for none.
        /// - Throws: BAD_REQUEST for a length out of range, and for a field that no search of the predicate searches.
        init?(_ input: QueryInput, _ predicate: Predicate) throws(RecordError) {
            guard !input.highlight.isEmpty else { return nil }
            length = input.highlightLength ?? Self.usualLength
            guard Self.lengths.contains(length) else {
                throw .badRequest(
                    "'highlightLength' is a number from \(Self.lengths.lowerBound) to \(Self.lengths.upperBound)",
                    details: [("path", .text("highlightLength"))])
            }
            var fields: [(field: FieldDefinition, words: SearchText)] = []
            for name in input.highlight where !fields.contains(where: { $0.field.name.text == name }) {
                let found = predicate.searches.lazy.compactMap { search in
                    search.fields.first { $0.name.text == name }.map { ($0, search.words) }
                }.first
                guard let found else {
                    throw .badRequest(
                        "'highlight' names the field '\(name.prefix(64))', which the query does not search for words",
                        details: [("path", .text("highlight")), ("field", .text(String(name.prefix(64))))])
                }
                fields.append(found)
            }
            self.fields = fields
        }
    }

    private let plan: Plan
    private var members: [JSONValue] = []

    init(_ plan: Plan) {
        self.plan = plan
    }

    /// Adds the texts of a record of the page.
    ///
    /// - Throws: As `QueryBudget.spend`; `INTERNAL_ERROR` if the stored fields are damaged.
    mutating func add(_ record: RecordCursor, _ budget: QueryBudget) throws(RecordError) {
        let record = try IndexedRecord(record)
        var object = JSONObject()
        for (field, words) in plan.fields {
            let bytes = min(record.bytes(of: .field(field.id)), SearchText.maxSnippetSource)
            try budget.spend(bytes * SearchCondition.workPerByte)
            let texts = try record.texts(of: field.id)
            // Of a list, the first member with a word is shown.
            let length = plan.length
            let snippets = texts.lazy.map { words.snippet(of: $0, maxCharacters: length) }
            guard let snippet = snippets.first(where: { !$0.highlights.isEmpty }) ?? snippets.first else { continue }
            object[field.name.text] = Self.json(snippet)
        }
        members.append(.object(object))
    }

    private static func json(_ snippet: TextSnippet) -> JSONValue {
        var parts: [JSONValue] = []
        var end = 0
        func append(_ range: Range<Int>, isMatch: Bool) {
            guard !range.isEmpty else { return }
            var part = JSONObject([("text", .string(String(decoding: snippet.text[range], as: UTF8.self)))])
            if isMatch { part["match"] = true }
            parts.append(.object(part))
        }
        for highlight in snippet.highlights {
            append(end..<highlight.lowerBound, isMatch: false)
            append(highlight, isMatch: true)
            end = highlight.upperBound
        }
        append(end..<snippet.text.count, isMatch: false)
        var json = JSONObject([("parts", .array(parts))])
        if snippet.isCutBefore { json["cutBefore"] = true }
        if snippet.isCutAfter { json["cutAfter"] = true }
        return .object(json)
    }

    /// The JSON of the page's texts.
    ///
    /// - Parameter isReversed: Whether the records were added from the last one to the first one.
    func json(isReversed: Bool) -> JSONValue { .array(isReversed ? members.reversed() : members) }
}
