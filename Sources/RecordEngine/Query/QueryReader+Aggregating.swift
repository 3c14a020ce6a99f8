internal import RecordModel
internal import RecordStorage
internal import RecordWire

/// Queries whose response has groups instead of records.
extension QueryReader {
    /// Runs one attempt at an aggregate.
    ///
    /// - Throws: As `run`; BAD_REQUEST with cause UNKNOWN_NAME for an unknown time zone, TOO_LARGE for too many groups
    ///   or a sum outside the range of its type.
    func respond(
        _ aggregation: Aggregation, _ query: PreparedQuery, _ request: QueryRequest, _ notices: [QueryNotice],
        _ budget: QueryBudget, isOnPool: Bool
    ) throws(RecordError) -> RecordPage {
        var page = request.emptyPage
        let timeZone = try Self.timeZone(aggregation.timeZone)
        var table = GroupTable(aggregation, in: timeZone)
        var parts: [QueryBranch] = []
        var matched = 0
        if let zone = query.zone {
            let runner = try runnerOfAll(query, zone: zone, budget, estimatesAll: request.input.explain)
            var aggregates = AggregateRunner(aggregation, runner, of: query.type, userName: reader.userNames.name)
            (table, matched) = try aggregates.fill { GroupTable(aggregation, in: timeZone) }
            parts = aggregates.parts
        }
        try budget.sort(table.count, bytes: table.size)
        let (groups, hasMore) = try table.finish { work throws(RecordError) in try budget.spend(work) }
        page.groups = try document(groups, hasMore: hasMore, aggregation, budget)
        page.notices = notices
        // The groups are few even if each record was needed, so the advice compares with the matches.
        note(query, parts, budget, returned: matched, isOnPool: isOnPool)
        if request.input.explain, !parts.isEmpty {
            page.plan =
                PlanDocument(
                    parts, asked: query.asked, targets: query.targets, type: query.type, examined: budget.examined,
                    returned: groups.count, nanoseconds: budget.elapsed, isOnPool: isOnPool,
                    showsFigures: Authorization.authorize(request.caller, .readSchema) == .allowed,
                    showsScans: query.readsAll,
                    isAmongOthers: request.address.scope != .publicDatabase && database.environment == .production
                ).json
        }
        return page
    }

    private static func timeZone(_ name: String?) throws(RecordError) -> AggregateTimeZone {
        guard let name else { return .utc }
        guard let zone = TimeZoneDirectory.file(name).flatMap(AggregateTimeZone.init(file:)) else {
            throw ScheduleTimes.unknown(name, cause: .unknownName)
        }
        return zone
    }

    /// The start of the response. The list also ends at the size of a page.
    private func document(
        _ groups: [AggregateGroup], hasMore: Bool, _ aggregation: Aggregation, _ budget: QueryBudget
    ) throws(RecordError) -> [UInt8] {
        var document = AggregateDocument(aggregation, userName: reader.userNames.name)
        var hasMore = hasMore
        for group in groups {
            let start = document.json.count
            if start > database.limits.pageBytes {
                hasMore = true
                break
            }
            try document.append(group)
            try budget.didCopy(document.json.count - start)
        }
        document.finish(hasMore: hasMore)
        return document.json
    }
}
