package import RecordModel

/// The body of `records/query` (CloudKit Web Services Reference, "Fetching Records Using a Query").
package struct CloudKitQueryBody: Sendable {
    /// Type, filters, sort, limit, fields and cursor. `nil` for a body without a query.
    package var query: QueryInput?
    /// The zone; `nil` for the default zone, or for all zones if `isZoneWide` is true.
    package var zone: CloudKitZoneID?
    /// Whether the query searches all zones of the database.
    package var isZoneWide = false
    /// Whether numbers are strings in the response.
    package var numbersAsStrings = false

    /// The most results of one response.
    package static let maxResults = 200

    /// Reads the body. A limit above `maxResults` is the same as `maxResults`.
    ///
    /// - Throws: `BAD_REQUEST`.
    package static func read(_ body: [UInt8]) throws(RecordError) -> CloudKitQueryBody {
        var read = CloudKitQueryBody()
        var limit: Int?
        var fields: [String]?
        var marker: String?
        try CloudKitReader.readBody(body) { reader, key throws(RecordError) in
            switch key {
            case "query": read.query = try reader.query()
            case "zoneID": read.zone = try reader.zone()
            case "zoneWide": read.isZoneWide = try reader.flag("zoneWide") ?? false
            case "resultsLimit": limit = try reader.limit()
            case "continuationMarker": marker = try reader.string("continuationMarker")
            case "desiredKeys": fields = try reader.fieldNames()
            case "numbersAsStrings", "numberAsStrings":
                read.numbersAsStrings = try reader.flag("numbersAsStrings") ?? false
            default: _ = try reader.value()
            }
        }
        read.query?.limit = min(limit ?? maxResults, maxResults)
        read.query?.fields = fields
        read.query?.cursor = marker
        return read
    }
}

extension CloudKitReader {
    /// Reads a query dictionary (CloudKit Web Services Reference, "Query Dictionary").
    ///
    /// - Returns: `nil` for null.
    /// - Throws: `BAD_REQUEST`, also for a query without a record type.
    mutating func query() throws(RecordError) -> QueryInput? {
        if try null() { return nil }
        var query = QueryInput()
        try object("'query'") { reader, key throws(RecordError) in
            switch key {
            case "recordType": query.recordType = try reader.request.recordTypeName()
            case "filterBy":
                try reader.objects("filterBy", limit: Limits.conditions) { reader throws(RecordError) in
                    query.filters.append(try reader.filter())
                }
            case "sortBy":
                try reader.objects("sortBy", limit: Limits.sortTerms) { reader throws(RecordError) in
                    query.sort.append(try reader.sortTerm())
                }
            default: _ = try reader.value()
            }
        }
        guard query.recordType != nil else { throw .unexpectedInput("'query' needs 'recordType'") }
        return query
    }

    /// Reads a filter (CloudKit Web Services Reference, "Filter Dictionary").
    private mutating func filter() throws(RecordError) -> FilterSyntax {
        var filter = FilterSyntax(fieldName: "", comparator: "", value: .null)
        var hasValue = false
        try object("A filter") { reader, key throws(RecordError) in
            switch key {
            case "comparator": filter.comparator = Self.comparator(try reader.string("comparator") ?? "")
            case "fieldName": filter.fieldName = try reader.string("fieldName") ?? filter.fieldName
            case "systemFieldName": filter.fieldName = try reader.systemField() ?? filter.fieldName
            case "fieldValue":
                hasValue = reader.json.next != UInt8(ascii: "n")
                filter.value = try reader.argument("fieldValue")
            case "distance": filter.distance = try reader.distance()
            default: _ = try reader.value()
            }
        }
        guard !filter.comparator.isEmpty, hasValue else {
            throw .unexpectedInput("a filter needs 'comparator' and 'fieldValue'")
        }
        // A search without a field searches all SEARCHABLE fields.
        guard !filter.fieldName.isEmpty || filter.comparator.hasSuffix("_TOKENS") else {
            throw .unexpectedInput("a filter needs 'fieldName' or 'systemFieldName'")
        }
        if filter.comparator == "IN" || filter.comparator == "NOT_IN" {
            guard case .list = filter.value else { throw .unexpectedInput() }
        }
        return filter
    }

    /// Returns CloudKit's spelling of a comparator. A code generator in use writes the NOT of list comparators inside.
    private static func comparator(_ word: String) -> String {
        if word.hasPrefix("LIST_NOT_") { return "NOT_LIST_" + word.dropFirst("LIST_NOT_".count) }
        return word == "LIST_MEMBER_NOT_BEGINS_WITH" ? "NOT_LIST_MEMBER_BEGINS_WITH" : word
    }

    private mutating func systemField() throws(RecordError) -> String? {
        guard let name = try string("systemFieldName") else { return nil }
        guard let field = SystemField(systemFieldName: name) else {
            throw .unexpectedInput("'systemFieldName' must name a system field, such as createdTimestamp")
        }
        return field.name.description
    }

    private mutating func distance() throws(RecordError) -> QueryArgument? {
        let token = try value()
        switch token.kind {
        case .null: return nil
        case .integer, .fraction:
            if let meters = json.double(token) { return .double(meters) }
        default: break
        }
        throw .unexpectedInput("'distance' must be a number of meters")
    }

    /// Reads a sort descriptor (CloudKit Web Services Reference, "Sort Descriptor Dictionary").
    private mutating func sortTerm() throws(RecordError) -> SortInput {
        var term = SortInput(name: "")
        try object("A sort descriptor") { reader, key throws(RecordError) in
            switch key {
            case "fieldName": term.name = try reader.string("fieldName") ?? term.name
            case "systemFieldName": term.name = try reader.systemField() ?? term.name
            case "ascending": term.isAscending = try reader.flag("ascending") ?? true
            case "relativeLocation":
                switch try reader.argument("relativeLocation") {
                case .null: break
                case .location(let place): term.origin = place
                default: throw .cloudKitMismatch(.location)
                }
            default: _ = try reader.value()
            }
        }
        guard !term.name.isEmpty else { throw .unexpectedInput("a sort descriptor needs 'fieldName'") }
        return term
    }
}
