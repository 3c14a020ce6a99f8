package import RecordModel

/// One key of `sort` or `sortBy`.
package struct SortInput: Hashable, Sendable {
    /// The name of a field, as it was sent.
    package var name: String
    package var isAscending: Bool

    package init(name: String, isAscending: Bool = true) {
        self.name = name
        self.isAscending = isAscending
    }
}

/// What a query says, whatever the route: its body, or the parameters of its address.
package struct QueryInput: Hashable, Sendable {
    /// In the body of a POST only.
    package var recordType: RecordTypeName?
    /// The text of `where`.
    package var condition: String?
    /// The values of its placeholders, in their order.
    package var arguments: [QueryArgument] = []
    /// The values of its `$name`s.
    package var variables: [String: QueryArgument] = [:]
    /// All of them must hold, and the condition too.
    package var filters: [FilterSyntax] = []
    /// The keys of the sort, the first one deciding first.
    package var sort: [SortInput] = []
    /// As it was sent; the route knows what is allowed.
    package var limit: Int?
    /// The fields that the answer shall show; `nil` for all.
    package var fields: [String]?
    /// Where the page before ended.
    package var cursor: String?
    /// Whether all matches are counted.
    package var count = false
    /// Whether the answer tells its plan.
    package var explain = false

    package init() {}

    /// About how much there is to read and to bind, in bytes.
    package var size: Int {
        (condition?.utf8.count ?? 0) + arguments.reduce(0) { $0 + $1.size }
            + variables.values.reduce(0) { $0 + $1.size } + filters.reduce(0) { $0 + $1.value.size }
    }

    /// Reads the keys of a text: `-timestamp,title`. Spaces around a key do not count.
    ///
    /// - Throws: `BAD_REQUEST` for an empty key, and with cause `TOO_LARGE` for too many.
    package static func sort(_ text: String) throws(RecordError) -> [SortInput] {
        var terms: [SortInput] = []
        for part in text.split(separator: ",", omittingEmptySubsequences: false) {
            // Each is at most as long as the whole, and there are few.
            if terms.count == Limits.sortTerms { throw tooManyTerms }
            terms.append(try sortTerm(part))
        }
        return terms
    }

    static func sortTerm(_ text: some StringProtocol) throws(RecordError) -> SortInput {
        var name = trimmed(Substring(text))
        var isAscending = true
        if let sign = name.utf8.first, sign == UInt8(ascii: "-") || sign == UInt8(ascii: "+") {
            isAscending = sign == UInt8(ascii: "+")
            name = trimmed(name.dropFirst())
        }
        if name.isEmpty {
            throw .badRequest("A sort is a list of fields, each with - before it to descend, such as -timestamp,title")
        }
        return SortInput(name: String(name), isAscending: isAscending)
    }

    private static func trimmed(_ text: Substring) -> Substring {
        var text = text.drop { $0 == " " }
        while text.last == " " { text.removeLast() }
        return text
    }

    static let tooManyTerms = RecordError.badRequest(
        "A sort has too many keys", cause: .tooLarge, details: [("limit", .number(Int64(Limits.sortTerms)))])
}

/// A query that knows the fields of its type.
package struct BoundQuery: Hashable, Sendable {
    /// Simplified.
    package var predicate: Predicate
    /// Each field once.
    package var sort: [SortTerm]

    package init(predicate: Predicate, sort: [SortTerm] = []) {
        self.predicate = predicate
        self.sort = sort
    }
}

extension QueryInput {
    /// Binds condition, filters and sort to a type.
    ///
    /// - Parameters:
    ///   - now: What `now()` means, in milliseconds since 1970-01-01 UTC.
    ///   - userID: The number of the account with a record name; `nil` if there is none.
    /// - Throws: `BAD_REQUEST`, as `PredicateSyntax.parse` and `PredicateBinder` do.
    package func bind(
        to type: RecordTypeDefinition, now: Int64, userID: @escaping (String) throws(RecordError) -> UserID?
    ) throws(RecordError) -> BoundQuery {
        let binder = PredicateBinder(type: type, now: now, userID: userID)
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
            let term = try binder.sortTerm(input.name, isAscending: input.isAscending)
            // A second key on one field decides nothing.
            if !terms.contains(where: { $0.field == term.field }) { terms.append(term) }
        }
        return BoundQuery(predicate: Predicate.and([condition, filtered]).simplified(), sort: terms)
    }
}
