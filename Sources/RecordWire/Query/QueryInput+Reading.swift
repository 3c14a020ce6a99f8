package import RecordModel

extension QueryInput {
    /// Reads the body of `POST /query`:
    ///
    /// ```
    /// {"recordType","where"?,"args"?,"vars"?,"filterBy"?,"sort"? | "sortBy"?,"limit"?,"fields"?,"cursor"?,"count"?,
    /// "explain"?,"expand"?,"before"?,"total"?,"syncToken"?,"strict"?,"highlight"?,"highlightLength"?,"aggregate"?}
    /// ```
    ///
    /// A `null` value is the same as an absent key.
    ///
    /// - Throws: `BAD_REQUEST`, also for unknown keys; cause `TOO_LARGE` for an exceeded limit.
    package static func read(_ body: [UInt8]) throws(RecordError) -> QueryInput {
        var input = QueryInput()
        try body.withUnsafeBufferPointer { buffer throws(RecordError) in
            var reader = try RequestReader(UnsafeRawBufferPointer(buffer))
            try input.read(&reader)
            try reader.finish()
        }
        return input
    }

    private mutating func read(_ reader: inout RequestReader) throws(RecordError) {
        try reader.enterObject("The body")
        var keys = JSONKeySet()
        var hasSort = false
        while let key = try reader.nextKey(&keys) {
            if reader.json.next == UInt8(ascii: "n") {
                _ = try reader.value()
                try Self.checkKnown(key, reader)
                continue
            }
            switch reader.json.string(key) {
            case "recordType": recordType = try reader.recordTypeName()
            case "where": condition = try reader.optionalString("where")
            case "args": arguments = try reader.queryArguments()
            case "vars": variables = try reader.queryVariables()
            case "filterBy": filters = try reader.queryFilters()
            case let word where word == "sort" || word == "sortBy":
                if hasSort { throw Self.invalid("A query has 'sort' or 'sortBy', not both", key) }
                hasSort = true
                sort = word == "sort" ? try reader.querySort() : try reader.querySortDescriptors()
            case "limit":
                let token = try reader.value()
                guard let number = reader.json.int64(token), let limit = Int(exactly: number) else {
                    throw Self.invalid("'limit' must be an integer", token)
                }
                self.limit = limit
            case "fields": fields = try reader.queryFields()
            case "cursor": cursor = try reader.optionalString("cursor")
            case "before": before = try reader.optionalString("before")
            case "count": count = try reader.queryFlag("count")
            case "total": estimatesTotal = try Self.estimatesTotal(try reader.optionalString("total"))
            case "syncToken": wantsSyncToken = try reader.queryFlag("syncToken")
            case "explain": explain = try reader.queryFlag("explain")
            case "strict": strict = try reader.queryFlag("strict")
            case "expand": expand = try reader.queryExpand()
            case "highlight": highlight = try reader.queryFields("highlight")
            case "highlightLength":
                let token = try reader.value()
                guard let number = reader.json.int64(token), let length = Int(exactly: number) else {
                    throw Self.invalid("'highlightLength' must be an integer", token)
                }
                highlightLength = length
            case "aggregate": aggregate = try reader.aggregate()
            default:
                _ = try reader.value()
                try Self.checkKnown(key, reader)
            }
        }
        try checkAggregate(hasSort: hasSort)
    }

    private static let keys = [
        "recordType", "where", "args", "vars", "filterBy", "sort", "sortBy", "limit", "fields", "cursor", "count",
        "explain", "expand", "before", "total", "strict", "highlight", "highlightLength", "aggregate",
        "syncToken",
    ]

    private static func checkKnown(_ key: JSONToken, _ reader: RequestReader) throws(RecordError) {
        let name = reader.json.string(key)
        if keys.contains(name) { return }
        throw .badRequest(
            "A query has no key '\(name.prefix(64))'; its keys are \(keys.joined(separator: ", "))"
                + (advice(for: name).map { ". \($0.sentence)" } ?? ""),
            details: [("key", .text(String(name.prefix(64)))), ("offset", .number(Int64(key.start)))])
    }

    fileprivate static func invalid(_ reason: String, _ token: JSONToken) -> RecordError {
        .badRequest(reason, details: [("offset", .number(Int64(token.start)))])
    }
}

/// Readers of the values. All errors are `BAD_REQUEST`.
extension RequestReader {
    /// Reads `args`: a list.
    fileprivate mutating func queryArguments() throws(RecordError) -> [QueryArgument] {
        guard json.next == UInt8(ascii: "[") else { throw try unexpected("'args' must be a list") }
        var arguments: [QueryArgument] = []
        try enterList()
        var isFirst = true
        while try nextElement(&isFirst) {
            if arguments.count == Limits.queryArguments { throw QueryInput.tooManyArguments }
            do throws(RecordError) {
                arguments.append(try queryArgument())
            } catch {
                throw error.naming(argument: .number(Int64(arguments.count)))
            }
        }
        return arguments
    }

    /// Reads `vars`: an object.
    fileprivate mutating func queryVariables() throws(RecordError) -> [String: QueryArgument] {
        var variables: [String: QueryArgument] = [:]
        var keys = JSONKeySet()
        try enterObject("'vars'")
        while let key = try nextKey(&keys) {
            if variables.count == Limits.queryArguments { throw QueryInput.tooManyArguments }
            let name = json.string(key)
            do throws(RecordError) {
                variables[name] = try queryArgument()
            } catch {
                throw error.naming(argument: .text(String(name.prefix(64))))
            }
        }
        return variables
    }

    /// Reads `filterBy`: one filter or a list of them.
    fileprivate mutating func queryFilters() throws(RecordError) -> [FilterSyntax] {
        guard json.next == UInt8(ascii: "[") else { return [try queryFilter()] }
        var filters: [FilterSyntax] = []
        try enterList()
        var isFirst = true
        while try nextElement(&isFirst) {
            if filters.count == Limits.conditions {
                throw .badRequest(
                    "The query has too many tests", cause: .tooLarge,
                    details: [("limit", .number(Int64(Limits.conditions)))])
            }
            filters.append(try queryFilter())
        }
        return filters
    }

    /// Reads a filter (CloudKit Web Services Reference, "Filter Dictionary").
    private mutating func queryFilter() throws(RecordError) -> FilterSyntax {
        let start = json.position
        var filter = FilterSyntax(fieldName: "", comparator: "", value: .null)
        var hasValue = false
        var keys = JSONKeySet()
        try enterObject("A filter")
        while let key = try nextKey(&keys) {
            switch json.string(key) {
            case "comparator": filter.comparator = try optionalString("comparator") ?? ""
            case "fieldName": filter.fieldName = try optionalString("fieldName") ?? filter.fieldName
            case "systemFieldName": filter.fieldName = try querySystemField() ?? filter.fieldName
            case "fieldValue":
                hasValue = true
                filter.value = try queryArgument()
            case "distance": filter.distance = try queryArgument()
            case let name:
                _ = try value()
                throw QueryInput.invalid("A filter has no key '\(name.prefix(64))'", key)
            }
        }
        guard hasValue, !filter.fieldName.isEmpty, !filter.comparator.isEmpty else {
            throw .badRequest(
                "A filter needs 'fieldName', 'comparator' and 'fieldValue'",
                details: [("offset", .number(Int64(start)))])
        }
        return filter
    }

    private mutating func querySystemField() throws(RecordError) -> String? {
        let start = json.position
        guard let name = try optionalString("systemFieldName") else { return nil }
        guard let field = SystemField(systemFieldName: name) else {
            throw .badRequest(
                "'systemFieldName' is the name of a system field, such as createdTimestamp", cause: .unknownName,
                details: [("field", .text(String(name.prefix(64)))), ("offset", .number(Int64(start)))])
        }
        return field.name.description
    }

    /// Reads `sort`: a text such as `-timestamp,title`, or a list of such texts.
    fileprivate mutating func querySort() throws(RecordError) -> [SortInput] {
        guard json.next == UInt8(ascii: "[") else { return try QueryInput.sort(optionalString("sort") ?? "") }
        var terms: [SortInput] = []
        try enterList()
        var isFirst = true
        while try nextElement(&isFirst) {
            let token = try value()
            guard token.isString else { throw QueryInput.invalid("'sort' must be a text or a list of texts", token) }
            terms += try QueryInput.sort(json.string(token))
            if terms.count > Limits.sortTerms { throw QueryInput.tooManyTerms }
        }
        return terms
    }

    /// Reads `sortBy`: one sort descriptor or a list of them.
    fileprivate mutating func querySortDescriptors() throws(RecordError) -> [SortInput] {
        guard json.next == UInt8(ascii: "[") else { return [try querySortDescriptor()] }
        var terms: [SortInput] = []
        try enterList()
        var isFirst = true
        while try nextElement(&isFirst) {
            if terms.count == Limits.sortTerms { throw QueryInput.tooManyTerms }
            terms.append(try querySortDescriptor())
        }
        return terms
    }

    /// Reads a sort descriptor (CloudKit Web Services Reference, "Sort Descriptor Dictionary").
    private mutating func querySortDescriptor() throws(RecordError) -> SortInput {
        let start = json.position
        var term = SortInput(name: "")
        var keys = JSONKeySet()
        try enterObject("A sort descriptor")
        while let key = try nextKey(&keys) {
            switch json.string(key) {
            case "fieldName": term.name = try optionalString("fieldName") ?? term.name
            case "systemFieldName": term.name = try querySystemField() ?? term.name
            case "ascending": term.isAscending = try queryFlag("ascending", ifNull: true)
            case "nulls":
                guard let word = try optionalString("nulls") else { continue }
                guard let nulls = NullPlacement(rawValue: word) else {
                    throw QueryInput.invalid("'nulls' is \"first\" or \"last\"", key)
                }
                term.nulls = nulls
            case "relativeLocation":
                switch try queryArgument() {
                case .null: continue
                case .location(let place): term.origin = place
                default: throw QueryInput.invalid("'relativeLocation' is a LOCATION", key)
                }
            case let name:
                _ = try value()
                throw QueryInput.invalid("A sort descriptor has no key '\(name.prefix(64))'", key)
            }
        }
        guard !term.name.isEmpty else {
            throw .badRequest("A sort descriptor needs 'fieldName'", details: [("offset", .number(Int64(start)))])
        }
        return term
    }

    /// Reads a list of field names, or one text with commas as in a URL.
    fileprivate mutating func queryFields(_ key: StaticString = "fields") throws(RecordError) -> [String] {
        var names: [String] = []
        if json.next == UInt8(ascii: "[") {
            try enterList()
            var isFirst = true
            while try nextElement(&isFirst) {
                let token = try value()
                guard token.isString else {
                    throw QueryInput.invalid("'\(key)' must be a list of names", token)
                }
                names.append(json.string(token))
                // The limit bounds the work, because each record of the response looks up each name.
                if names.count > Limits.fieldsPerType { break }
            }
        } else {
            let token = try value()
            guard token.isString else { throw QueryInput.invalid("'\(key)' must be a list of names", token) }
            names = json.string(token).split(separator: ",", maxSplits: Limits.fieldsPerType).map(String.init)
        }
        guard names.count <= Limits.fieldsPerType else {
            throw .badRequest(
                "'\(key)' has more members than a record may have fields", cause: .tooLarge,
                details: [("limit", .number(Int64(Limits.fieldsPerType)))])
        }
        return names
    }

    /// Reads `expand`: a text such as `author,comments.author`, or a list of such texts.
    fileprivate mutating func queryExpand() throws(RecordError) -> [ExpandPath] {
        guard json.next == UInt8(ascii: "[") else {
            guard let text = try optionalString("expand") else { return [] }
            return try QueryInput.expand(text)
        }
        var texts: [String] = []
        try enterList()
        var isFirst = true
        while try nextElement(&isFirst) {
            let token = try value()
            guard token.isString else { throw QueryInput.invalid("'expand' must be a text or a list of texts", token) }
            texts.append(json.string(token))
        }
        return try QueryInput.expand(texts)
    }

    fileprivate mutating func queryFlag(_ key: StaticString, ifNull: Bool = false) throws(RecordError) -> Bool {
        let token = try value()
        switch token.kind {
        case .trueWord: return true
        case .falseWord: return false
        case .null: return ifNull
        default: throw QueryInput.invalid("'\(key)' must be a Boolean", token)
        }
    }
}
