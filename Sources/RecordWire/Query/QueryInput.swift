package import Geography
package import RecordModel

/// One term of `sort` or `sortBy`, as received.
package struct SortInput: Hashable, Sendable {
    /// The name of a field, in any spelling, with its modifiers, such as `title[c]`.
    package var name: String
    /// Whether the values ascend.
    package var isAscending: Bool
    /// The place of records that lack the field; `nil` for the default.
    package var nulls: NullPlacement?
    /// The place from which the distances of a LOCATION field are sorted (`relativeLocation`); `nil` for a sort by the
    /// field's values.
    package var origin: Place?

    /// Creates a sort term on a field.
    package init(name: String, isAscending: Bool = true, nulls: NullPlacement? = nil, origin: Place? = nil) {
        self.name = name
        self.isAscending = isAscending
        self.nulls = nulls
        self.origin = origin
    }
}

/// A query as received, from the body or the URL parameters of a request.
package struct QueryInput: Hashable, Sendable {
    /// The record type. Only the body of a POST contains it.
    package var recordType: RecordTypeName?
    /// The text of `where`.
    package var condition: String?
    /// The values of the positional placeholders, in order.
    package var arguments: [QueryArgument] = []
    /// The values of the variables (`$name`), by name.
    package var variables: [String: QueryArgument] = [:]
    /// The filters. A record must match all filters and `where`.
    package var filters: [FilterSyntax] = []
    /// The terms of the sort. The most significant term is the first.
    package var sort: [SortInput] = []
    /// The requested number of records per page. The route checks the limit.
    package var limit: Int?
    /// The fields that the response contains; `nil` for all.
    package var fields: [String]?
    /// The references that the response follows.
    package var expand: [ExpandPath] = []
    /// The cursor, which contains the position after the previous page.
    package var cursor: String?
    /// The cursor before which the page ends; `nil` for a page that is read forward.
    package var before: String?
    /// Whether the response contains the number of all matches.
    package var count = false
    /// Whether the response contains an estimate of the number of all matches.
    package var estimatesTotal = false
    /// Whether the response contains the zone's sync token from before the query.
    package var wantsSyncToken = false
    /// Whether the response contains the plan.
    package var explain = false
    /// The fields whose texts the response shows with the words found.
    package var highlight: [String] = []
    /// The most characters of a text that the response shows with the words found.
    package var highlightLength: Int?
    /// Whether to reject what CloudKit's CKQuery lacks.
    package var strict = false
    /// The aggregate of the matches, instead of the records.
    package var aggregate: AggregateInput?

    /// Creates a query that matches all records.
    package init() {}

    /// Parses the value of `total`.
    ///
    /// - Throws: `BAD_REQUEST` for a value other than `estimate`.
    package static func estimatesTotal(_ text: String?) throws(RecordError) -> Bool {
        guard let text else { return false }
        guard text == "estimate" else {
            throw .badRequest(
                "'total' is estimate; the exact number is count=true", details: [("path", .text("total"))])
        }
        return true
    }

    /// The approximate size of the parts that must be parsed and bound, in bytes.
    package var size: Int {
        (condition?.utf8.count ?? 0) + arguments.reduce(0) { $0 + $1.size }
            + variables.values.reduce(0) { $0 + $1.size } + filters.reduce(0) { $0 + $1.value.size }
            + (aggregate?.having?.utf8.count ?? 0)
    }

    /// Parses the terms of a sort such as `-timestamp,title[c] nulls last`. Spaces around a term are ignored.
    ///
    /// - Throws: `BAD_REQUEST` for an empty term; cause `TOO_LARGE` for too many terms.
    package static func sort(_ text: String) throws(RecordError) -> [SortInput] {
        var terms: [SortInput] = []
        for part in commaSeparated(text) {
            // Parsing is cheap: each term is at most as long as the text, and the limit bounds the number of terms.
            if terms.count == Limits.sortTerms { throw tooManyTerms }
            terms.append(try sortTerm(part))
        }
        return terms
    }

    /// Splits a text at its commas, except those in parentheses.
    private static func commaSeparated(_ text: String) -> [Substring] {
        var parts: [Substring] = []
        var depth = 0
        var start = text.startIndex
        for index in text.utf8.indices {
            switch text.utf8[index] {
            case UInt8(ascii: "("): depth += 1
            case UInt8(ascii: ")"): depth -= 1
            case UInt8(ascii: ",") where depth <= 0:
                parts.append(text[start..<index])
                start = text.utf8.index(after: index)
            default: break
            }
        }
        return parts + [text[start...]]
    }

    static func sortTerm(_ text: some StringProtocol) throws(RecordError) -> SortInput {
        var name = trimmed(Substring(text))
        var isAscending = true
        if let sign = name.utf8.first, sign == UInt8(ascii: "-") || sign == UInt8(ascii: "+") {
            isAscending = sign == UInt8(ascii: "+")
            name = trimmed(name.dropFirst())
        }
        var nulls: NullPlacement?
        let words = name.split(separator: " ", omittingEmptySubsequences: true)
        if words.count >= 3, words[words.count - 2].lowercased() == "nulls",
            let placement = NullPlacement(rawValue: words[words.count - 1].lowercased())
        {
            nulls = placement
            name = trimmed(name[..<words[words.count - 2].startIndex])
        }
        if name.isEmpty {
            throw .badRequest("A sort is a list of fields, each with - before it to descend, such as -timestamp,title")
        }
        return SortInput(name: String(name), isAscending: isAscending, nulls: nulls)
    }

    private static func trimmed(_ text: Substring) -> Substring {
        var text = text.drop { $0 == " " }
        while text.last == " " { text.removeLast() }
        return text
    }

    static let tooManyTerms = RecordError.badRequest(
        "A sort has too many keys", cause: .tooLarge, details: [("limit", .number(Int64(Limits.sortTerms)))])
}

/// A query bound to a record type.
package struct BoundQuery: Hashable, Sendable {
    /// The predicate, simplified.
    package var predicate: Predicate
    /// The terms of the sort. No two terms have the same field in the same form.
    package var sort: [SortTerm]
    /// The aggregate of the matches; `nil` for a query of records.
    package var aggregation: Aggregation?

    /// Creates a bound query from a predicate and sort terms.
    package init(predicate: Predicate, sort: [SortTerm] = []) {
        self.predicate = predicate
        self.sort = sort
    }
}

extension QueryInput {
    /// Binds predicate, filters and sort to a record type.
    ///
    /// - Parameters:
    ///   - now: The value of `now()`, in milliseconds since 1970-01-01 UTC.
    ///   - targets: Returns the types to which references may lead; `nil` if the predicate cannot test other records.
    ///   - userID: Returns the number of the account with a record name; `nil` if there is no such account.
    /// - Throws: `BAD_REQUEST`, with the causes and details of `PredicateSyntax.parse` and `PredicateBinder`.
    package func bind(
        to type: RecordTypeDefinition, now: Int64, targets: PredicateBinder.Targets? = nil,
        userID: @escaping (String) throws(RecordError) -> UserID?
    ) throws(RecordError) -> BoundQuery {
        let binder = PredicateBinder(type: type, now: now, targets: targets, userID: userID)
        let syntax = try PredicateSyntax.parse(condition ?? "")
        guard syntax.conditions + filters.count <= Limits.conditions else {
            throw .badRequest(
                "The query has too many tests", cause: .tooLarge,
                details: [("limit", .number(Int64(Limits.conditions)))])
        }
        let condition = try binder.bind(syntax, positional: arguments, named: variables)
        let filtered = try binder.bind(filters)
        guard sort.count <= Limits.sortTerms else { throw Self.tooManyTerms }
        var terms: [SortTerm] = []
        for input in sort {
            let term =
                if let origin = input.origin {
                    try binder.distanceTerm(
                        of: input.name, from: origin, isAscending: input.isAscending, nulls: input.nulls)
                } else {
                    try binder.sortTerm(input.name, isAscending: input.isAscending, nulls: input.nulls)
                }
            // A second term for the same field has no effect.
            if !terms.contains(where: { $0.indexedField == term.indexedField }) { terms.append(term) }
        }
        let predicate = Predicate.and([condition, filtered])
        if terms.contains(where: \.field.isRank), predicate.searches.isEmpty {
            throw .badRequest(
                "A sort by rank() needs a search, such as SELF CONTAINS 'word', that is not negated",
                details: [("path", .text("sort"))])
        }
        var bound = BoundQuery(predicate: predicate.simplified(), sort: terms)
        bound.aggregation = try aggregate?.bind(to: type, now: now, userID: userID)
        return bound
    }
}
