internal import HTTP
internal import RecordEngine
internal import RecordModel
internal import RecordWire

/// The records operations of CloudKit Web Services: modify, query and lookup.
enum CloudKitRecords {
    static let routes: [CloudKitRoute] = [
        CloudKitRoute(
            "POST /database/1/{container}/{environment}/{database}/records/modify", "records/modify", rate: .write
        ) { call in try await modify(&call) },
        CloudKitRoute(
            "POST /database/1/{container}/{environment}/{database}/records/query", "records/query", rate: .read
        ) { call in try await query(&call) },
        CloudKitRoute(
            "POST /database/1/{container}/{environment}/{database}/records/lookup", "records/lookup", rate: .read
        ) { call in try await lookUp(&call) },
    ]

    // MARK: Modify

    /// The parts of a request that are read without a database.
    private struct Batch: Sendable {
        let body: CloudKitModifyBody
        let operations: [RecordOperation]

        init(_ bytes: [UInt8], isPublic: Bool, in database: RecordDatabase) throws(RecordError) {
            body = try CloudKitModifyBody.read(bytes, isPublic: isPublic)
            let schema = database.schema
            // An unknown zone fails the whole request later.
            let zone = ZoneName(body.zone.zoneName) ?? .defaultZone
            operations = body.operations.map { Self.operation($0, in: database, zone, by: schema) }
        }

        /// Returns the operation of an item. An invalid item becomes an operation that fails with the item's error.
        private static func operation(
            _ item: CloudKitModifyBody.Operation, in database: RecordDatabase, _ zone: ZoneName, by schema: Schema
        ) -> RecordOperation {
            if let rejection = item.rejection { return RecordOperation(rejecting: item.input, with: rejection) }
            do throws(RecordError) {
                var operation = try RecordOperation(item.input)
                try? operation.prepare(by: schema, in: database, zone: zone)
                return operation
            } catch {
                return RecordOperation(rejecting: item.input, with: error)
            }
        }
    }

    /// `records/modify`: executes operations. The response has one member for each operation, in order.
    static func modify(_ call: inout CloudKitCall) async throws -> HTTPResponse {
        let database = call.database
        let isPublic = call.path.database == .publicDatabase
        if call.path.database != .sharedDatabase { try call.rejectAnonymousWriters(in: try call.scope()) }
        let batch = try await call.document { bytes throws(RecordError) in
            try Batch(bytes, isPublic: isPublic, in: database)
        }
        let body = batch.body
        // The request has already been counted as one operation.
        try call.rate.take(batch.operations.count - 1, after: 1)
        let address = try call.address(of: body.zone)
        var write = WriteRequest(
            caller: call.caller, rightsVersion: call.rightsVersion, address: address,
            shape: .batch(isAtomic: body.isAtomic && !body.zone.isDefault), operations: batch.operations,
            fields: body.desiredKeys, opening: Envelope.records)
        write.face = .cloudKit(
            try call.face(
                zone: body.zone, numbersAsStrings: body.numbersAsStrings,
                desiredKeys: body.operations.map(\.desiredKeys)))
        let operations = batch.operations.count
        let result = try await database.modify(write) { call.rate.charge($0, operations: operations) }
        if case .service(let key) = call.caller {
            for type in result.typesBeyondScope { call.noteOutOfScope(key, type) }
        }
        return .cloudKit(result.records.json + Array("]}".utf8))
    }

    // MARK: Query

    /// `records/query`: a page of the records that match a query.
    static func query(_ call: inout CloudKitCall) async throws -> HTTPResponse {
        let body = try await call.document { bytes throws(RecordError) in try CloudKitQueryBody.read(bytes) }
        guard var input = body.query, let type = input.recordType else {
            throw RecordError.unexpectedInput("the body needs 'query'")
        }
        for index in input.filters.indices { try input.filters[index].nameCurrentUser(call.callerName) }
        input.limit = min(input.limit ?? CloudKitQueryBody.maxResults, call.database.limits.pageSize)
        // The name of a zone takes precedence over `zoneWide`.
        let isZoneWide = body.isZoneWide && body.zone == nil && call.path.database != .publicDatabase
        let zone = body.zone ?? CloudKitZoneID()
        let address = try call.address(of: zone)
        var request = QueryRequest(
            caller: call.caller, address: address, typeName: type, input: input, opening: Envelope.records)
        request.face = .cloudKit(try call.face(zone: isZoneWide ? nil : zone, numbersAsStrings: body.numbersAsStrings))
        request.isZoneWide = isZoneWide
        request.network = call.request.clientNetwork
        // A token from before the query misses no change after it.
        let token = try await syncToken(call, address)
        let page = try await call.reader.queries.run(request)
        return .cloudKit(json(of: page, syncToken: token))
    }

    /// Returns the sync token of a zone if the URL asks for one.
    private static func syncToken(_ call: CloudKitCall, _ address: DatabaseAddress) async throws -> String? {
        guard call.request.target.query("getCurrentSyncToken") == "true" else { return nil }
        let token = try call.reader.feed.currentToken(in: address, for: call.caller)
        return token.isEmpty ? nil : token
    }

    /// Returns `{"records":[…],"continuationMarker"?,"syncToken"?}`. Clients take the presence of the marker as the
    /// sign of more results.
    private static func json(of page: consuming RecordPage, syncToken: String?) -> [UInt8] {
        var json = page.records.json
        json.append(UInt8(ascii: "]"))
        if case .cursor(let cursor) = page.end {
            json.appendLiteral(",\"continuationMarker\":")
            json.appendString(cursor)
        }
        if let syncToken {
            json.appendLiteral(",\"syncToken\":")
            json.appendString(syncToken)
        }
        json.append(UInt8(ascii: "}"))
        return json
    }

    // MARK: Lookup

    /// `records/lookup`: records by name, of any types. The response has one member for each name, in order.
    static func lookUp(_ call: inout CloudKitCall) async throws -> HTTPResponse {
        let body = try await call.document { bytes throws(RecordError) in try CloudKitLookupBody.read(bytes) }
        let face = try call.face(
            zone: body.zone, numbersAsStrings: body.numbersAsStrings, desiredKeys: body.records.map(\.desiredKeys))
        let address = try call.address(of: body.zone)
        let request = NamesRequest(
            body.records.map(\.recordName), in: address, for: call.caller,
            fields: body.desiredKeys, as: face, opening: Envelope.records)
        let page = try await call.reader.lookUp(request)
        return .cloudKit(page.records.json + Array("]}".utf8))
    }
}
