internal import HTTP
internal import RecordEngine
internal import RecordModel
internal import RecordWire

/// The zones operations of CloudKit Web Services, and the changes of a database as a whole.
enum CloudKitZones {
    static let routes: [CloudKitRoute] = [
        CloudKitRoute(
            "GET /database/1/{container}/{environment}/{database}/zones/list", "zones/list", rate: .read
        ) { call in try await list(call) },
        CloudKitRoute(
            "POST /database/1/{container}/{environment}/{database}/zones/list", "zones/list", rate: .read
        ) { call in try await list(call) },
        CloudKitRoute(
            "POST /database/1/{container}/{environment}/{database}/zones/lookup", "zones/lookup", rate: .read
        ) { call in try await lookUp(&call) },
        CloudKitRoute(
            "POST /database/1/{container}/{environment}/{database}/zones/modify", "zones/modify", rate: .write,
            callers: .users, databases: [.privateDatabase]
        ) { call in try await modify(&call) },
        CloudKitRoute(
            "POST /database/1/{container}/{environment}/{database}/zones/changes", "zones/changes", rate: .read,
            callers: .users, databases: [.privateDatabase, .sharedDatabase]
        ) { call in try await changes(&call, tokenKeys: ["metaSyncToken", "syncToken"]) },
        CloudKitRoute(
            "POST /database/1/{container}/{environment}/{database}/changes/database", "changes/database", rate: .read,
            callers: .users, databases: [.privateDatabase, .sharedDatabase]
        ) { call in try await changes(&call, tokenKeys: ["syncToken"]) },
    ]

    /// The maximum number of zones in a request and in a response.
    private static let most = 200

    // MARK: Zones

    /// `zones/list`: all zones of a database.
    static func list(_ call: CloudKitCall) async throws -> HTTPResponse {
        let zones =
            if call.path.database == .sharedDatabase {
                try call.reader.zones.shared(with: call.caller, withTokens: true)
            } else {
                try await call.database.zones.all(in: try call.scope(), for: call.caller)
            }
        return .cloudKit(JSONObject([("zones", .array(zones.map { .object(document($0)) }))]))
    }

    /// `zones/lookup`: zones by their names, in order.
    static func lookUp(_ call: inout CloudKitCall) async throws -> HTTPResponse {
        let body = try await call.object()
        let wanted = try body.required("zones", try body.objects("zones"))
        try requireFew(wanted.count, "zones")
        var zones: [JSONValue] = []
        for entry in wanted {
            let id = try zoneID(entry)
            do throws(RecordError) {
                let address = try call.address(of: id)
                let zone = try call.reader.zones.find(address, for: call.caller)
                let known = try call.reader.zones.withToken(zone, in: address.scope, for: call.caller)
                zones.append(.object(document(known)))
            } catch {
                guard error.code == .zoneNotFound else { throw error }
                zones.append(.object(failure(error, of: id, call)))
            }
        }
        return .cloudKit(JSONObject([("zones", .array(zones))]))
    }

    /// `zones/modify`: creates and deletes zones. Each operation succeeds or fails alone.
    static func modify(_ call: inout CloudKitCall) async throws -> HTTPResponse {
        let body = try await call.object()
        let operations = try body.required("operations", try body.objects("operations"))
        try requireFew(operations.count, "operations")
        // The request has already been counted as one operation.
        try call.rate.take(operations.count - 1, after: 1)
        var zones: [JSONValue] = []
        for operation in operations {
            let zone = try operation.required("zone", try operation.object("zone"))
            let id = try zoneID(zone)
            let kind = try operation.string("operationType")
            do throws(RecordError) {
                zones.append(.object(try await perform(kind, on: id, call)))
            } catch {
                guard error.code != .internalError, error.code != .tryAgainLater else { throw error }
                zones.append(.object(failure(error, of: id, call)))
            }
        }
        return .cloudKit(JSONObject([("zones", .array(zones))]))
    }

    private static func perform(
        _ kind: String?, on id: CloudKitZoneID, _ call: CloudKitCall
    ) async throws(RecordError) -> JSONObject {
        guard let name = ZoneName(id.zoneName) else {
            throw .badRequest(
                "A zone's name has 1 to \(Limits.recordNameBytes) UTF-8 bytes and no control characters")
        }
        let address = DatabaseAddress(scope: try call.scope(), zone: name)
        guard try call.isOwner(id.ownerRecordName, of: address.scope) else { throw .zoneNotFound }
        switch kind {
        case "create":
            let (zone, _) = try await call.database.zones.create(
                address, by: call.caller, rightsVersion: call.rightsVersion)
            try call.reader.refresh()
            return document(try call.reader.zones.withToken(zone, in: address.scope, for: call.caller))
        case "delete":
            try await call.database.zones.remove(address, by: call.caller, rightsVersion: call.rightsVersion)
            return JSONObject([
                ("zoneID", .object(JSONObject([("zoneName", .string(id.zoneName))]))), ("deleted", .bool(true)),
            ])
        default:
            throw .badRequest("'operationType' of a zone is create or delete")
        }
    }

    // MARK: Changes

    /// `changes/database`, and `zones/changes` with its older names for the token: the zones that have changed.
    ///
    /// The default zone has no changes in CloudKit, so it is left out.
    static func changes(_ call: inout CloudKitCall, tokenKeys: [String]) async throws -> HTTPResponse {
        let body = try await call.object()
        var token: String?
        for key in tokenKeys where token == nil { token = try body.string(key) }
        let limit = min(max(1, Int(try body.integer("resultsLimit") ?? Int64(most))), most)
        let isShared = call.path.database == .sharedDatabase
        let page: ZoneChanges
        do throws(RecordError) {
            page =
                isShared
                ? try call.reader.zones.sharedChanges(
                    for: call.caller, since: FeedStart(token), limit: limit, withTokens: true)
                : try call.reader.zones.changes(
                    in: try call.scope(), for: call.caller, since: FeedStart(token), limit: limit)
        } catch {
            throw error.asZoneChangesError
        }
        var zones: [JSONValue] = []
        for change in page.changes where change.zone.name != ZoneName.defaultZone.text {
            if change.isLost {
                zones.append(.object(JSONObject([("zoneID", zoneID(of: change.zone)), ("deleted", .bool(true))])))
            } else {
                let zone =
                    isShared
                    ? change.zone : try call.reader.zones.withToken(change.zone, in: try call.scope(), for: call.caller)
                zones.append(.object(document(zone)))
            }
        }
        var response = JSONObject([("zones", .array(zones)), ("moreComing", .bool(page.moreComing))])
        for key in tokenKeys { response[key] = .string(page.token) }
        return .cloudKit(response)
    }

    // MARK: Documents

    /// Returns the dictionary of a zone: `{"zoneID","syncToken","atomic"}`.
    private static func document(_ zone: Zone) -> JSONObject {
        JSONObject([
            ("zoneID", zoneID(of: zone)), ("syncToken", .string(zone.token ?? "")),
            ("atomic", .bool(zone.name != ZoneName.defaultZone.text)),
        ])
    }

    private static func zoneID(of zone: Zone) -> JSONValue {
        let bytes = CloudKitZoneID(zoneName: zone.name, ownerRecordName: zone.owner).json
        return (try? JSONValue.parse(bytes)) ?? .null
    }

    /// Returns the dictionary that stands for a zone with an error.
    static func failure(_ error: RecordError, of zone: CloudKitZoneID, _ call: CloudKitCall) -> JSONObject {
        var id = JSONObject([("zoneName", .string(zone.zoneName))])
        if let owner = zone.ownerRecordName { id["ownerRecordName"] = .string(owner) }
        return CloudKitErrors.item(error, key: ("zoneID", .object(id)), requestID: call.request.id)
    }

    /// Returns the zone that an entry of a request names: a zone dictionary with a `zoneID`, or the `zoneID` itself.
    static func zoneID(_ entry: CloudKitObject) throws(RecordError) -> CloudKitZoneID {
        let object = try entry.object("zoneID") ?? entry
        var zone = CloudKitZoneID()
        if let name = try object.string("zoneName") { zone.zoneName = name }
        for key in ["ownerName", "ownerRecordName"] {
            if let owner = try object.string(key), !CloudKitZoneID.isCaller(owner) { zone.ownerRecordName = owner }
        }
        return zone
    }

    /// Checks the number of members of a list in a request.
    static func requireFew(_ count: Int, _ key: String) throws(RecordError) {
        guard count <= most else {
            throw .badRequest("'\(key)' has more than \(most) members. Send several requests")
        }
    }
}

extension RecordError {
    /// The error for a token in CloudKit's words. Clients drop the token and read from the beginning.
    var asZoneChangesError: RecordError {
        switch cause {
        case .tokenInvalid?, .tokenExpired?: .badRequest(CloudKitReason.unknownContinuation)
        default: self
        }
    }
}
