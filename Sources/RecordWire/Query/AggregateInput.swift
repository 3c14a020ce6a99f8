package import RecordModel

/// The aggregate of a query as received.
package struct AggregateInput: Hashable, Sendable {
    /// The terms of the groups' keys.
    package var groupBy: [String] = []
    /// The terms of the groups' values.
    package var values: [String] = []
    /// The condition on groups.
    package var having: String?
    /// The sort of groups, by names of columns.
    package var sort: [SortInput] = []
    /// The most groups of the response.
    package var limit: Int?
    /// The name of the time zone of buckets.
    package var timeZone: String?

    /// Creates an aggregate without terms.
    package init() {}

    /// Splits a text such as `threadname,day(createdTimestamp)` into its terms.
    package static func terms(_ text: String) -> [String] {
        // One part more than allowed, so that binding rejects a longer text.
        text.split(separator: ",", maxSplits: Aggregation.maxTerms, omittingEmptySubsequences: false).map(String.init)
    }

    /// Binds the aggregate to a record type.
    ///
    /// - Parameter userID: Returns the number of the account with a record name; `nil` if there is no such account.
    /// - Throws: BAD_REQUEST, with the causes and details of `AggregateBinder`.
    package func bind(
        to type: RecordTypeDefinition, now: Int64, userID: @escaping (String) throws(RecordError) -> UserID?
    ) throws(RecordError) -> Aggregation {
        let limit = limit ?? Aggregation.defaultLimit
        guard (1...Aggregation.maxLimit).contains(limit) else {
            throw .badRequest(
                "'limit' of an aggregate is a number from 1 to \(Aggregation.maxLimit)",
                details: [("path", .text("aggregate.limit"))])
        }
        let binder = AggregateBinder(type: type, now: now, userID: userID)
        var aggregation = try binder.bind(groupBy: groupBy, values: values, limit: limit, timeZone: timeZone)
        if let having { aggregation.having = try binder.bindHaving(having, in: aggregation) }
        guard sort.count <= Limits.sortTerms else { throw QueryInput.tooManyTerms }
        for term in sort {
            aggregation.order.append(
                try binder.order(term.name, isAscending: term.isAscending, nulls: term.nulls, in: aggregation))
        }
        return aggregation
    }

    /// Appends the parts of the aggregate, so that no two aggregates append the same bytes.
    func appendIdentity(to bytes: inout [UInt8]) {
        bytes.appendLiteral("#")
        for terms in [groupBy, values] {
            for term in terms { bytes.appendString(term) }
            bytes.appendLiteral(";")
        }
        for text in [having, timeZone] {
            if let text { bytes.appendString(text) } else { bytes.appendLiteral("-") }
        }
        for term in sort {
            bytes.append(UInt8(ascii: term.isAscending ? "<" : ">"))
            bytes.appendString(term.name)
            if let nulls = term.nulls { bytes.appendString(nulls.rawValue) }
        }
        bytes.appendInteger(Int64(limit ?? 0))
    }
}

extension AggregateInput {
    /// Reads the query parameters `aggregate`, `groupBy`, `distinct`, `having` and `timeZone`. `sort` and `limit` are
    /// then those of the groups.
    ///
    /// - Parameter parameter: Returns the value of a query parameter.
    /// - Returns: `nil` without one of the first three.
    /// - Throws: BAD_REQUEST for `having` or `timeZone` without an aggregate, and for a `limit` that is no number.
    package static func read(_ parameter: (String) -> String?) throws(RecordError) -> AggregateInput? {
        func invalid(_ name: String, _ reason: String) -> RecordError {
            .badRequest(reason, details: [("parameter", .text(name))])
        }
        let (values, keys, distinct) = (parameter("aggregate"), parameter("groupBy"), parameter("distinct"))
        guard values != nil || keys != nil || distinct != nil else {
            for name in ["having", "timeZone"] where parameter(name) != nil {
                throw invalid(name, "'\(name)' is a part of an aggregate; give 'aggregate' or 'groupBy' too")
            }
            return nil
        }
        var input = AggregateInput()
        if let values { input.values = terms(values) }
        if let keys { input.groupBy = terms(keys) }
        if let distinct { try input.setDistinct(terms(distinct)) }
        input.having = parameter("having")
        if let sort = parameter("sort") { input.sort = try QueryInput.sort(sort) }
        if let text = parameter("limit") {
            guard let limit = Int(text), (1...Aggregation.maxLimit).contains(limit) else {
                throw invalid("limit", "'limit' of an aggregate is a number from 1 to \(Aggregation.maxLimit)")
            }
            input.limit = limit
        }
        input.timeZone = parameter("timeZone")
        return input
    }
}

extension QueryInput {
    /// Rejects options that apply only to records. An aggregate has its own sort and limit.
    ///
    /// - Parameter hasSort: Whether the query has the key `sort` or `sortBy`.
    /// - Throws: BAD_REQUEST.
    package func checkAggregate(hasSort: Bool) throws(RecordError) {
        guard aggregate != nil else { return }
        let stray: (String, String)? =
            if cursor != nil || before != nil {
                (cursor == nil ? "before" : "cursor", "the response has all groups up to 'limit'")
            } else if !expand.isEmpty {
                ("expand", "groups refer to no records")
            } else if !highlight.isEmpty {
                ("highlight", "groups have no texts")
            } else if estimatesTotal {
                ("total", "ask for the value count")
            } else if fields != nil {
                ("fields", "'groupBy' and 'values' of the aggregate name the fields")
            } else if count {
                ("count", "ask for the value count")
            } else if hasSort {
                ("sort", "sort the groups with 'sort' of the aggregate")
            } else if limit != nil {
                ("limit", "limit the groups with 'limit' of the aggregate")
            } else {
                nil
            }
        guard let (key, advice) = stray else { return }
        throw .badRequest(
            "A query with an aggregate has no '\(key)': \(advice)", details: [("key", .text(key))])
    }
}

extension RequestReader {
    /// Reads the object `aggregate`:
    ///
    /// ```
    /// {"groupBy"?,"values"?,"distinct"?,"having"?,"sort"?,"limit"?,"timeZone"?}
    /// ```
    ///
    /// `groupBy`, `values` and `distinct` are lists of texts, or one text with commas. `distinct` is `groupBy` without
    /// values.
    ///
    /// - Throws: BAD_REQUEST, also for unknown keys.
    mutating func aggregate() throws(RecordError) -> AggregateInput {
        var input = AggregateInput()
        var keys = JSONKeySet()
        var distinct: [String]?
        let start = json.position
        try enterObject("'aggregate'")
        while let key = try nextKey(&keys) {
            if json.next == UInt8(ascii: "n") {
                _ = try value()
                continue
            }
            switch json.string(key) {
            case "groupBy": input.groupBy = try aggregateTerms("groupBy")
            case "values": input.values = try aggregateTerms("values")
            case "distinct": distinct = try aggregateTerms("distinct")
            case "having": input.having = try optionalString("having")
            case "sort": input.sort = try aggregateSort()
            case "limit":
                let token = try value()
                guard let number = json.int64(token), let limit = Int(exactly: number) else {
                    throw .badRequest("'limit' must be an integer", details: [("offset", .number(Int64(token.start)))])
                }
                input.limit = limit
            case "timeZone": input.timeZone = try optionalString("timeZone")
            case let name:
                throw .badRequest(
                    "An aggregate has no key '\(name.prefix(64))'; its keys are groupBy, values, distinct, having, sort, limit, timeZone",
                    details: [("key", .text(String(name.prefix(64)))), ("offset", .number(Int64(key.start)))])
            }
        }
        if let distinct { try input.setDistinct(distinct, offset: start) }
        return input
    }

    private mutating func aggregateSort() throws(RecordError) -> [SortInput] {
        var terms: [SortInput] = []
        for text in try aggregateTerms("sort") {
            if terms.count == Limits.sortTerms { throw QueryInput.tooManyTerms }
            terms.append(try QueryInput.sortTerm(text))
        }
        return terms
    }

    /// Reads a list of texts, or one text with commas.
    private mutating func aggregateTerms(_ key: StaticString) throws(RecordError) -> [String] {
        func invalid(_ token: JSONToken) -> RecordError {
            .badRequest(
                "'\(key)' must be a text or a list of texts", details: [("offset", .number(Int64(token.start)))])
        }
        guard json.next == UInt8(ascii: "[") else {
            let token = try value()
            guard token.isString else { throw invalid(token) }
            return AggregateInput.terms(json.string(token))
        }
        var terms: [String] = []
        try enterList()
        var isFirst = true
        while try nextElement(&isFirst) {
            let token = try value()
            guard token.isString else { throw invalid(token) }
            if terms.count <= Aggregation.maxTerms { terms.append(json.string(token)) }
        }
        return terms
    }
}

extension AggregateInput {
    /// Sets the keys of an aggregate without values.
    ///
    /// - Parameter offset: The position of the aggregate in the body, for the error; `nil` in a URL.
    /// - Throws: BAD_REQUEST if the aggregate has `groupBy` or `values`.
    package mutating func setDistinct(_ terms: [String], offset: Int? = nil) throws(RecordError) {
        guard groupBy.isEmpty, values.isEmpty else {
            throw .badRequest(
                "'distinct' goes without 'groupBy' and 'values': it is 'groupBy' alone",
                details: offset.map { [("offset", .number(Int64($0)))] } ?? [("parameter", .text("distinct"))])
        }
        groupBy = terms
    }
}
