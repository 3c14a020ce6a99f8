package import RecordModel
internal import RecordStorage
internal import RecordWire

/// A page of the records of a type, in creation order, as a request asks for it.
package struct ListRequest: PageRequest {
    let typeName: RecordTypeName
    let address: DatabaseAddress
    package var caller: Caller
    let fields: [String]?
    let limit: Int
    let cursor: String?
    let opening: StaticString

    /// - Parameters:
    ///   - fields: The fields to show; `nil` for all.
    ///   - limit: 1 to the configured page size.
    ///   - cursor: Where the previous page of the same caller and listing ended.
    ///   - opening: What the protocol puts in front of the records.
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

    package func page(by reader: RecordReader, _ time: inout PageTime) throws(RecordError) -> RecordPage? {
        try reader.list(self, &time)
    }
}

extension RecordReader {
    /// A page of a type's records in creation order.
    ///
    /// A page ends at its limit of records or, earlier, when it passes the configured bytes. One that takes more time than
    /// a loop has is made on a thread of the pool.
    ///
    /// - Throws: AUTHENTICATION_REQUIRED or ACCESS_DENIED if the caller may read none; NOT_FOUND for an unknown type in
    ///   production (in development the list is empty); TOKEN_INVALID for a cursor of another listing.
    package func list(_ request: ListRequest) async throws(RecordError) -> RecordPage {
        try await page(request)
    }

    /// - Returns: `nil` if the time was over before the page was made.
    fileprivate func list(_ request: ListRequest, _ time: inout PageTime) throws(RecordError) -> RecordPage? {
        let (caller, limit) = (request.caller, request.limit)
        var page = RecordPage(request.opening)
        var bounds = PageBounds(limit: limit, database.limits)
        guard let type = schema[request.typeName] else {
            guard database.environment == .development else {
                throw .unknownType(request.typeName)
            }
            return page
        }
        let visibility = Visibility(of: type, for: caller, in: request.address.scope)
        let reach = visibility.reads
        if reach == .none {
            throw .refused(caller, .read, .records(request.typeName))
        }
        guard let zone = try zoneID(request.address) else { return page }
        let listing = ListingCursor.Binding(zone: zone, type: type.id, caller: caller)
        let after = try request.cursor.map { text throws(RecordError) in
            try ListingCursor.open(text, listing, with: database.keys)
        }
        let shown = ShownFields(request.fields, of: type, visibility)
        var last = RecordNumber.unassigned
        var hasMore = false
        var isTimeOver = false
        /// - Returns: Whether another record is wanted.
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
            guard time.isOver(afterRowOf: bytes) else { return true }
            if time.endsPage { hasMore = true } else { isTimeOver = true }
            return false
        }
        let audiences = try self.audiences(of: type, for: caller, in: request.address.scope, zone: zone)
        // One more than the page: whether it comes decides on the cursor.
        if audiences.isEmpty {
            let first = try store.records.list(
                zone: zone, type: type.id, after: after ?? .unassigned, limit: limit + 1, reach: reach)
            if let records = first {
                defer { records.finish() }
                while try show(records), try records.next() {}
            }
        } else {
            try list(zone: zone, audiences, type: type.id, reach, after: after ?? .unassigned, limit: limit + 1, show)
        }
        if isTimeOver { return nil }
        if hasMore { page.end = .cursor(ListingCursor.seal(last, listing, with: database.keys)) }
        return page
    }

    /// Hands out the records of a zone without access lists and those of audiences, in creation order.
    private func list(
        zone: ZoneID, _ audiences: [AudienceID], type: TypeID, _ reach: Reach, after id: RecordNumber, limit: Int,
        _ show: (RecordCursor) throws(RecordError) -> Bool
    ) throws(RecordError) {
        let order = QueryOrder([], constants: [], createdFollowsIDs: database.createdFollowsIDs)
        func part(_ source: IndexWalk.Source, _ home: RowHome) -> QueryPart {
            let all = Predicate.constant(true)
            return QueryPart(
                QueryPlan(
                    walks: [IndexWalk(source: source, condition: all)], residual: all, predicate: all, order: order,
                    isSorted: false, estimatedRows: 0, hasOverlaps: false), in: home)
        }
        var parts: [QueryPart] = []
        switch reach {
        case .none: break
        case .own(let user): parts.append(part(.creator(user), .zone(zone)))
        case .all: parts.append(part(.records, .zone(zone)))
        }
        parts += audiences.map { part(.records, .audience($0)) }
        // The page's own time bounds it.
        let budget = QueryBudget(time: .milliseconds(database.limits.queryMilliseconds))
        let runner = QueryRunner(parts, order: order, type: type, store: store, budget: budget)
        try runner.forEach(after: QueryPlace(key: [], record: id), limit: limit) { cursor, _ throws(RecordError) in
            try show(cursor)
        }
    }

    /// The audiences whose records of a type a caller may read.
    func audiences(
        of type: RecordTypeDefinition, for caller: Caller, in scope: DatabaseScope, zone: ZoneID
    ) throws(RecordError) -> [AudienceID] {
        guard type.hasAccessLists else { return [] }
        let reach = Authorization.listedReach(of: .read, for: caller, in: scope, type: type)
        return try store.audiences.find(zone: zone, type: type.id, reach)
    }
}
