package import RecordModel
internal import RecordStorage
internal import RecordWire

/// A request for a page of a type's records in creation order.
package struct ListRequest: PageRequest {
    let typeName: RecordTypeName
    let address: DatabaseAddress
    /// The sender of the request.
    package var caller: Caller
    /// The network of the request, if known; see `PoolUser`.
    package var network: ClientNetwork?
    let fields: [String]?
    let limit: Int
    let cursor: String?
    let opening: StaticString

    /// Creates a request.
    ///
    /// - Parameters:
    ///   - fields: The fields to show; `nil` for all.
    ///   - limit: 1 to the configured page size.
    ///   - cursor: The cursor that the previous page of the same caller and listing returned.
    ///   - opening: The protocol's text before the records.
    package init(
        type typeName: RecordTypeName, in address: DatabaseAddress, for caller: Caller, fields: [String]?, limit: Int,
        cursor: String?, opening: StaticString = ""
    ) {
        self.typeName = typeName
        self.address = address
        self.caller = caller
        self.fields = fields
        self.limit = limit
        self.cursor = cursor
        self.opening = opening
    }

    /// Makes a page of the listing.
    ///
    /// - Returns: `nil` if the time limit ends before the page is complete.
    /// - Throws: See `RecordReader.list`.
    package func page(by reader: RecordReader, _ time: inout PageTimeLimit) throws(RecordError) -> RecordPage? {
        try reader.list(self, &time)
    }
}

extension RecordReader {
    /// Returns a page of a type's records in creation order.
    ///
    /// A page ends when it reaches its maximum number of records, or earlier when it exceeds the configured number of
    /// bytes. A page that takes too long for an event loop is made on a thread of the reader pool.
    ///
    /// - Throws: AUTHENTICATION_REQUIRED or ACCESS_DENIED if the caller may read no record of the type; NOT_FOUND for an
    ///   unknown type in production (in development the list is empty); BAD_REQUEST with cause TOKEN_INVALID for a cursor
    ///   of another listing.
    package func list(_ request: ListRequest) async throws(RecordError) -> RecordPage {
        try await page(request)
    }

    /// - Returns: `nil` if the time limit ends before the page is complete.
    fileprivate func list(_ request: ListRequest, _ time: inout PageTimeLimit) throws(RecordError) -> RecordPage? {
        let (caller, limit) = (request.caller, request.limit)
        var page = RecordPage(request.opening)
        var bounds = PageLimits(limit: limit, bytes: database.limits.pageBytes)
        guard let type = schema[request.typeName] else {
            try schema.rejectFormerName(request.typeName)
            guard database.environment == .development else {
                throw .unknownType(request.typeName)
            }
            return page
        }
        let visibility = Visibility(of: type, for: caller, in: request.address.scope)
        let permitted = visibility.reads
        if permitted == .none {
            throw .rejected(caller, .read, .records(request.typeName))
        }
        guard let zone = try zoneID(request.address) else { return page }
        let listing = ListingCursor.Binding(zone: zone, type: type.id, caller: caller)
        let after = try request.cursor.map { text throws(RecordError) in
            try ListingCursor.open(text, listing, with: database.keys)
        }
        let shown = VisibleFields(request.fields, of: type, visibility)
        var first: RecordNumber?
        var last = RecordNumber.unassigned
        var hasMore = false
        var isTimeOver = false
        /// - Returns: Whether to continue with the next record.
        func show(_ records: RecordCursor) throws(RecordError) -> Bool {
            if bounds.areReached(by: page.records.count, page.records.bytes) {
                hasMore = true
                return false
            }
            let system = records.systemFields
            let bytes = records.fields.count
            page.records.beginMember()
            try append(records, system, type, shown, to: &page.records.json)
            bounds.didRead(shown.bytes(of: records, creator: system.creator))
            last = system.id
            if first == nil { first = last }
            guard time.isOver(afterRowOf: bytes) else { return true }
            if time.endsPage { hasMore = true } else { isTimeOver = true }
            return false
        }
        let audiences = try self.audiences(of: type, for: caller, in: request.address.scope, zone: zone)
        // Read one record more than the page may show, to determine whether the page needs a cursor.
        if audiences.isEmpty {
            let first = try store.records.list(
                zone: zone, type: type.id, after: after ?? .unassigned, limit: limit + 1, permitted: permitted)
            if let records = first {
                defer { records.finish() }
                while try show(records), try records.next() {}
            }
        } else {
            try list(
                zone: zone, audiences, type: type.id, permitted, after: after ?? .unassigned, limit: limit + 1, show)
        }
        if isTimeOver { return nil }
        if after != nil, let first { page.previousCursor = ListingCursor.seal(first, listing, with: database.keys) }
        if hasMore { page.end = .cursor(ListingCursor.seal(last, listing, with: database.keys)) }
        return page
    }

    /// Passes the records of a zone without access lists, and those of audiences, to `show` in creation order.
    private func list(
        zone: ZoneID, _ audiences: [AudienceID], type: TypeID, _ permitted: PermittedRecords, after id: RecordNumber,
        limit: Int,
        _ show: (RecordCursor) throws(RecordError) -> Bool
    ) throws(RecordError) {
        let order = QueryOrder([], constants: [], createdFollowsIDs: createdFollowsIDs)
        func part(_ source: IndexScan.Source, _ home: RowHome) -> QueryBranch {
            let all = Predicate.constant(true)
            return QueryBranch(
                QueryPlan(
                    scans: [IndexScan(source: source, condition: all)], residual: all, predicate: all, order: order,
                    isSorted: false, estimatedRows: 0, hasOverlaps: false), in: home)
        }
        var parts: [QueryBranch] = []
        switch permitted {
        case .none: break
        case .own(let user): parts.append(part(.creator(user), .zone(zone)))
        case .all: parts.append(part(.records, .zone(zone)))
        }
        parts += audiences.map { part(.records, .audience($0)) }
        // The page has a separate time limit.
        let budget = QueryBudget(time: .milliseconds(database.limits.queryMilliseconds))
        let runner = QueryRunner(parts, order: order, type: type, store: store, budget: budget)
        try runner.forEach(after: QueryPosition(key: [], record: id), limit: limit) { cursor, _ throws(RecordError) in
            try show(cursor)
        }
    }

    /// Returns the audiences whose records of a type a caller may read.
    func audiences(
        of type: RecordTypeDefinition, for caller: Caller, in scope: DatabaseScope, zone: ZoneID
    ) throws(RecordError) -> [AudienceID] {
        guard type.hasAccessLists else { return [] }
        let permitted = Authorization.listedPermitted(of: .read, for: caller, in: scope, type: type)
        return try store.audiences.find(zone: zone, type: type.id, permitted)
    }
}
