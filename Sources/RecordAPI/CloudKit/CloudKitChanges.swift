internal import HTTP
internal import RecordEngine
internal import RecordModel
internal import RecordWire

/// The changes of records in zones, for clients of CloudKit Web Services that sync.
enum CloudKitChanges {
    static let routes: [CloudKitRoute] = [
        CloudKitRoute(
            "POST /database/1/{container}/{environment}/{database}/changes/zone", "changes/zone", rate: .read,
            callers: .users, databases: [.privateDatabase, .sharedDatabase]
        ) { call in try await ofZones(&call) },
        CloudKitRoute(
            "POST /database/1/{container}/{environment}/{database}/records/changes", "records/changes", rate: .read,
            callers: .users, databases: [.privateDatabase, .sharedDatabase]
        ) { call in try await ofRecords(&call) },
    ]

    /// The maximum number of changes in a page.
    private static let most = 200
    /// The maximum number of zones of one request. Each has a page of its own.
    private static let mostZones = 50

    /// What a request wants of a zone. A zone's own values take precedence over those of the request.
    private struct Wanted {
        var token: String?
        var limit = CloudKitChanges.most
        var desiredKeys: [String]?
        var types: [String]?
        var isReversed = false
        var numbersAsStrings = false

        /// Reads the keys that an object has.
        mutating func read(_ object: CloudKitObject) throws(RecordError) {
            if let token = try object.string("syncToken") { self.token = token }
            if let limit = try object.integer("resultsLimit") {
                guard limit > 0 else { throw .unexpectedInput("'resultsLimit' is greater than 0") }
                self.limit = Int(min(limit, Int64(CloudKitChanges.most)))
            }
            if let keys = try object.strings("desiredKeys") { desiredKeys = keys }
            if let types = try object.strings("desiredRecordTypes") { self.types = types }
            if let reverse = try object.bool("reverse") { isReversed = reverse }
            // The reference spells the key in both ways.
            for key in ["numberAsStrings", "numbersAsStrings"] {
                if let flag = try object.bool(key) { numbersAsStrings = flag }
            }
        }
    }

    /// `changes/zone`: a page of changes of each zone. An error of one zone stands in its place.
    static func ofZones(_ call: inout CloudKitCall) async throws -> HTTPResponse {
        let body = try await call.object()
        let zones = try body.required("zones", try body.objects("zones"))
        guard zones.count <= mostZones else {
            throw RecordError.badRequest("'zones' has more than \(mostZones) members. Send several requests")
        }
        var common = Wanted()
        try common.read(body)
        var json = Array(#"{"zones":["#.utf8)
        for (position, entry) in zones.enumerated() {
            let zone = try CloudKitZones.zoneID(entry)
            var wanted = common
            try wanted.read(entry)
            if position > 0 { json.append(UInt8(ascii: ",")) }
            do throws(RecordError) {
                json += try await page(of: zone, wanted, &call)
            } catch {
                guard error.code == .zoneNotFound || error.code == .badRequest else { throw error }
                json += JSONValue.object(CloudKitZones.failure(error, of: zone, call)).bytes
            }
        }
        json += Array("]}".utf8)
        return .cloudKit(json)
    }

    /// `records/changes`: a page of changes of one zone. Deprecated by CloudKit, and still in use.
    static func ofRecords(_ call: inout CloudKitCall) async throws -> HTTPResponse {
        let body = try await call.object()
        var wanted = Wanted()
        try wanted.read(body)
        return .cloudKit(try await page(of: try CloudKitZones.zoneID(body), wanted, &call))
    }

    /// Returns a page of a zone's changes: `{"zoneID","moreComing","syncToken","records"}`.
    private static func page(
        of zone: CloudKitZoneID, _ wanted: Wanted, _ call: inout CloudKitCall
    ) async throws(RecordError) -> [UInt8] {
        guard !zone.isDefault else { throw .badRequest(CloudKitReason.changesInDefaultZone) }
        let address = try call.address(of: zone)
        var selection = FeedSelection(fields: wanted.desiredKeys)
        // Unknown types match nothing.
        if let types = wanted.types { selection.types = Set(types.compactMap(RecordTypeName.init)) }
        var request = ChangesRequest(
            in: address, for: call.caller, since: FeedStart(wanted.token), limit: wanted.limit, selection: selection)
        request.face = .cloudKit(try call.face(zone: zone, numbersAsStrings: wanted.numbersAsStrings))
        request.isReversed = wanted.isReversed
        let page: RecordPage
        do throws(RecordError) {
            page = try await call.reader.feed.changes(request)
        } catch {
            throw error.asZoneChangesError
        }
        guard case .token(let token, let moreComing) = page.end else { throw .zoneNotFound }
        let owner = try call.ownerName(of: address.scope)
        var json = Array(#"{"zoneID":"#.utf8)
        json += CloudKitZoneID(zoneName: zone.zoneName, ownerRecordName: owner).json
        json.appendLiteral(moreComing ? ",\"moreComing\":true" : ",\"moreComing\":false")
        if wanted.isReversed { json.appendLiteral(",\"reverse\":true") }
        json.appendLiteral(",\"syncToken\":")
        json.appendString(token)
        json.appendLiteral(",\"records\":[")
        json += page.records.json
        json += Array("]}".utf8)
        return json
    }
}
