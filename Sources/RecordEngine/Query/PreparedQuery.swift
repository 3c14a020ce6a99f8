internal import RecordModel
internal import RecordStorage
internal import RecordWire
internal import Threads

/// A query bound to the schema, the caller's permissions and the requested page.
struct PreparedQuery {
    /// The record type without the fields that the caller may not read.
    let type: RecordTypeDefinition
    /// The fields of each record that the response shows.
    let shown: VisibleFields
    /// The zone to search; `nil` if the zone has never had a write.
    let zone: ZoneID?
    /// The zones to search besides `zone`.
    let furtherZones: [ZoneID]
    /// Whether the caller may read all records of the type in the database.
    let readsAll: Bool
    /// The predicate for records with an access list: the client's predicate. If it names fields that only creators may
    /// read, it also requires that the caller created the record.
    var condition: Predicate
    /// The predicate for records without an access list: the client's predicate and a condition for the records that
    /// the caller may read.
    var predicate: Predicate
    /// `predicate` for display, with its tests of other records, and without the numbers of deleted accounts. These
    /// numbers would reveal how many accounts were deleted.
    let asked: Predicate
    /// The queries for the tests of other records in the predicate. `TargetResolver.resolve` runs them.
    var targets: [TargetQuery]
    /// The audiences of records with an access list that the caller may read.
    let audiences: [AudienceID]
    /// Whether the query names fields that only creators may read. The query then finds only records that the caller
    /// created.
    let isRestrictedToOwn: Bool
    let sort: [SortTerm]
    /// The searches that count for the rank; empty unless the query sorts by rank. All branches and all pages of the query
    /// number the searches in this order, whatever is left of them in the predicate of a branch.
    let ranked: [SearchCondition]
    /// The predicate that determines the order of all branches and pages (`QueryPlanner.plan`); `nil` for `predicate`.
    let orderCondition: Predicate?
    /// The aggregate of the matches; `nil` for a query of records.
    let aggregation: Aggregation?
    let cursor: QueryCursor?
    /// Whether the page ends before the cursor instead of starting after it.
    let isReversed: Bool
    let binding: QueryCursor.Binding
    /// The cache key of the plan; `nil` if the plan also depends on something other than the query's text and the
    /// schema.
    let words: QueryCache.Words?
    /// The texts to show with the words found; `nil` for none.
    let highlights: Highlights.Plan?
    /// The paths of `expand`; `nil` for none.
    let expansion: ExpandPlan?
    /// The value of `now()` on all pages: the time of the first page, in milliseconds since 1970.
    let now: Int64

    var shape: IndexAdvisor.Shape {
        IndexAdvisor.Shape(
            type: type.name.text, condition: asked.shape,
            sort: sort.map(\.shape).joined(separator: ","))
    }

    /// The indexes that the query needs.
    func needs(in database: RecordDatabase) -> QueryRequirements {
        QueryRequirements(
            targets.isEmpty ? predicate : predicate.replacingTargetTests(TargetQuery.placeholder), sort: sort,
            type: type,
            createdFollowsIDs: database.createdFollowsIDs && !type.hasPreservedDates)
    }
}

extension QueryReader {
    /// Binds a query. Checks the caller's permissions before the query's text.
    ///
    /// - Parameters:
    ///   - keepsWords: Whether to cache the bound query and its plan by its text.
    ///   - known: The bound query, if the request contains none as text.
    /// - Returns: `nil` for a type that does not exist yet in development.
    /// - Throws: NOT_FOUND for an unknown type in production; AUTHENTICATION_REQUIRED or ACCESS_DENIED if the caller
    ///   may read none of the type; BAD_REQUEST for a predicate or sort that does not fit the type, with cause
    ///   TOKEN_INVALID for a cursor of another caller or query.
    func bind(
        _ request: QueryRequest, keepsWords: Bool = true, known: BoundQuery? = nil
    ) throws(RecordError) -> PreparedQuery? {
        guard let whole = schema[request.typeName] else {
            try schema.rejectFormerName(request.typeName)
            guard database.environment == .development else {
                throw .unknownType(request.typeName)
            }
            return nil
        }
        let visibility = Visibility(of: whole, for: request.caller, in: request.address.scope)
        let permitted = visibility.reads
        if permitted == .none {
            throw .rejected(request.caller, .read, .records(request.typeName))
        }
        let zones = try request.zones(by: reader)
        let zone = zones.first
        var audiences: [AudienceID] = []
        for zone in zones {
            audiences += try reader.audiences(of: whole, for: request.caller, in: request.address.scope, zone: zone)
        }
        // Conditions and sorts reveal a field's values, just as reading does. A caller that may read only its own
        // records and those that access lists open may still name fields that only creators may read. The query then
        // searches only the records that the caller created.
        let access = visibility.fields
        let readable = whole.without(access?.unreadable(isOwn: permitted.isOwn) ?? [])
        var type = readable
        let identity = request.input.identity
        // Widening a field changes its index keys. Preserved dates and a clock that went back change the order of
        // creation. Cursors from before such a change are invalid.
        let isDisordered = type.hasPreservedDates || !reader.createdFollowsIDs
        let widened = isDisordered || type.indexes.contains { $0.columns.contains(where: \.readsAsDouble) }
        let binding = QueryCursor.Binding(
            zone: request.isZoneWide ? .unassigned : zone ?? .unassigned, type: type.id, caller: request.caller,
            identity: widened
                ? identity + [isDisordered ? 1 : 0] + type.fields.map(\.type.rawValue) : identity)
        let listing = ListingCursor.Binding(zone: binding.zone, type: whole.id, caller: request.caller)
        guard request.input.before == nil || request.input.cursor == nil else { throw .twoCursors }
        let isReversed = request.input.before != nil
        let cursor = try (request.input.before ?? request.input.cursor).map { text throws(RecordError) in
            if request.isListing {
                let id = try ListingCursor.open(text, listing, with: database.keys)
                return QueryCursor(position: QueryPosition(key: [], record: id), now: WallClock.milliseconds)
            }
            return try QueryCursor.open(text, binding, with: database.keys)
        }
        let now = cursor?.now ?? WallClock.milliseconds
        let words =
            access == nil && keepsWords ? QueryCache.Words(request.input, identity: identity, type: type.id) : nil
        try request.input.checkStrictness(of: type)
        let bound = if let known { known } else { try self.bound(request, words, to: type, now: now) }
        var condition = try naming(deletedAccountsIn: bound.predicate)
        var predicate = condition
        var asked = bound.predicate
        var isRestrictedToOwn = false
        if case .own(let user) = permitted {
            // A participant of a share finds nothing among the other records of the zone.
            let own =
                permitted == .onlyListed
                ? .constant(false)
                : Predicate.condition(Condition(.system(.createdUserRecordName), .equals(.account(user))))
            predicate = Predicate.and([own, predicate]).simplified()
            asked = Predicate.and([own, asked]).simplified()
            if let access, permitted != .onlyListed {
                let hidden = access.unreadable(isOwn: false)
                isRestrictedToOwn = bound.names(hidden)
                if isRestrictedToOwn {
                    condition = predicate
                } else if !audiences.isEmpty {
                    type = whole.without(hidden)
                }
            }
        }
        return PreparedQuery(
            type: type,
            shown: VisibleFields(request.input.fields, of: whole, visibility, as: request.face),
            zone: zone, furtherZones: Array(zones.dropFirst()), readsAll: permitted == .all, condition: condition,
            predicate: predicate,
            asked: asked, targets: try TargetResolver(queries: self, request: request).queries(of: bound.predicate),
            audiences: audiences, isRestrictedToOwn: isRestrictedToOwn, sort: bound.sort,
            ranked: bound.sort.contains(where: \.field.isRank) ? bound.predicate.searches : [],
            // What tests of other records find may change from one page to the next, so it has no part in the order.
            orderCondition: audiences.isEmpty && !bound.predicate.hasTargetTests ? nil : condition,
            aggregation: bound.aggregation, cursor: cursor, isReversed: isReversed, binding: binding,
            words: permitted == .all && !isReversed && audiences.isEmpty
                && !bound.predicate.namesDeletedAccounts && !bound.predicate.hasTargetTests
                ? words : nil,
            highlights: try Highlights.Plan(request.input, bound.predicate),
            expansion: try expandPlan(request, of: readable),
            now: now)
    }

    /// Parses and binds the query's text, or returns the cached result.
    private func bound(
        _ request: QueryRequest, _ words: QueryCache.Words?, to type: RecordTypeDefinition, now: Int64
    ) throws(RecordError) -> BoundQuery {
        if let words, let known = reader.queryCache.bound(words) { return known }
        var namesAccounts = false
        let resolver = TargetResolver(queries: self, request: request)
        let bound = try request.input.bind(to: type, now: now, targets: resolver.types) { name throws(RecordError) in
            namesAccounts = true
            return try self.writerID(named: name)
        }
        // A test of another record depends on other types and the caller's permissions for them.
        if let words, !namesAccounts, !bound.predicate.hasTargetTests { reader.queryCache.keep(bound, for: words) }
        return bound
    }

    /// Adds the numbers of the deleted accounts to conditions on `_deleted`. Adds none if there are too many.
    private func naming(deletedAccountsIn predicate: Predicate) throws(RecordError) -> Predicate {
        let tests = predicate.deletedAccountTests
        guard tests > 0 else { return predicate }
        let table = store.deletedAccounts
        // Each condition on `_deleted` gets the numbers of all deleted accounts.
        let most = min(database.limits.deletedAccountsByNumber, Limits.conditionMembers / tests)
        let numbers = try table.numbers(limit: most + 1)
        return numbers.count > most ? predicate : predicate.naming(deletedAccounts: numbers).simplified()
    }

    /// The number of the account that a condition names as a record's creator or modifier.
    private func writerID(named name: String) throws(RecordError) -> UserID? {
        if name == SystemUser.deleted { return .gone }
        for special in [UserID.nobody, .administrator] where SystemUser.name(special) == name {
            return special
        }
        guard let name = UserRecordName(name) else { return nil }
        // `AccountReader.id(of:)` would refresh the snapshot. The type and the indexes belong to the current snapshot.
        return try store.accounts.find(recordName: name.text)?.id
    }
}

extension BoundQuery {
    /// Whether a condition, a sort term or an aggregate uses one of these fields.
    fileprivate func names(_ fields: [Int]) -> Bool {
        (predicate.fields + sort.map(\.field) + (aggregation?.fields ?? [])).contains { field in
            field.definition.map { fields.contains($0.id) } ?? false
        }
    }
}
