internal import RecordModel
internal import RecordWire

/// The query route. It scans all records of the type and uses no index.
struct InMemoryQuery {
    let call: InMemoryCall

    func respond(in database: inout InMemoryDatabase) throws -> TransportResponse {
        let input = try input(database.limits)
        if !input.highlight.isEmpty { throw InMemoryError.notThere("texts with the words found") }
        if input.sort.contains(where: { $0.name.hasPrefix("rank(") }) { throw InMemoryError.notThere("ranks") }
        if input.explain { throw InMemoryError.notThere("plans of queries") }
        let limit = try database.limits.pageLength(input.limit)
        guard let typeName = input.recordType else {
            throw RecordError.badRequest("The body needs 'recordType', the type whose records are asked for")
        }
        guard let type = database.schema[typeName] else {
            if input.aggregate != nil { return TransportResponse(json: ["groups": []]) }
            var members: [(String, JSONValue)] = [("records", [])]
            if input.count { members.append(("count", 0)) }
            if input.estimatesTotal { members.append(("total", ["value": 0, "relation": "exact"])) }
            if !input.expand.isEmpty { members.append(("expanded", ["records": []])) }
            return TransportResponse(json: .object(JSONObject(members)))
        }
        var records = try call.records(of: type, in: database)
        let owner = "query \(call.caller.writerID) \(call.zone) \(String(decoding: input.identity, as: UTF8.self))"
        var (moment, last): (Int64, InMemoryRecord?) = (database.now, nil)
        guard input.cursor == nil || input.before == nil else {
            throw RecordError.badRequest("A page starts after 'cursor' or ends before 'before'. Give one of them")
        }
        let isBackward = input.before != nil
        if let cursor = input.before ?? input.cursor {
            guard case .query(let record, let start)? = database.positions[cursor, owner] else {
                throw RecordError.invalidCursor
            }
            (moment, last) = (start, record)
        }
        try input.checkStrictness(of: type)
        let targets = InMemoryTargets(call: call, database: database)
        let condition = try InMemoryCondition(input, of: type, now: moment, targets)
        if let aggregation = condition.aggregation {
            if let zone = aggregation.timeZone, zone != "UTC" { throw InMemoryError.notThere("time zones but UTC") }
            let groups = try condition.groups(of: records, aggregation)
            return TransportResponse(json: try JSONValue.parse(groups + [UInt8(ascii: "}")]))
        }
        records.removeAll { !condition.holds(for: $0) }
        let count = records.count
        records.sort(by: condition.isBefore)
        if let last {
            records.removeAll { isBackward ? !condition.isBefore($0, last) : !condition.isBefore(last, $0) }
        }
        var shown = call
        shown.fields = input.fields
        var page = try InMemoryPage(
            records, limit: limit, isBackward: isBackward, isFirst: last == nil, of: database, shown)
        page.close { database.positions.keep(.query(after: $0, now: moment), owner) }
        if input.count { page.append(count: count) }
        if input.estimatesTotal { page.append(total: count) }
        if !input.expand.isEmpty {
            var expansion = InMemoryExpansion(call, in: database)
            page.append(expanded: try expansion.json(input.expand, of: page.records, type: type))
        }
        return TransportResponse(json: page.finish())
    }

    private func input(_ limits: DatabaseLimits) throws(RecordError) -> QueryInput {
        let request = call.request
        if request.method == "POST" { return try QueryInput.read(request.body) }
        var input = try request.condition
        input.aggregate = try request.aggregate
        if input.aggregate == nil {
            if let sort = request["sort"] { input.sort = try QueryInput.sort(sort) }
            input.limit = try request.limit(limits)
        }
        input.fields = request.shownFields
        input.cursor = request["cursor"]
        input.before = request["before"]
        input.estimatesTotal = try QueryInput.estimatesTotal(request["total"])
        input.expand = try request["expand"].map(QueryInput.expand) ?? []
        input.count = try request.word("count")
        input.explain = try request.word("explain")
        input.highlight = (request["highlight"] ?? "").split(separator: ",").map(String.init)
        input.strict = try request.word("strict")
        try input.checkAggregate(hasSort: false)
        return input
    }
}

extension InMemoryRequest {
    /// The aggregate of a GET query; `nil` if there is none.
    var aggregate: AggregateInput? {
        get throws(RecordError) { try AggregateInput.read { name in self[name] } }
    }

    /// The record type, predicate and arguments of a bulk change or a GET query.
    var condition: QueryInput {
        get throws(RecordError) {
            var input = QueryInput()
            input.recordType = try typeName
            input.condition = self["where"]
            input.arguments = try QueryInput.arguments(all("arg"))
            return input
        }
    }
}
