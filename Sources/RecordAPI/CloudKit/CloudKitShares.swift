internal import HTTP
internal import RecordEngine
internal import RecordModel
internal import RecordWire

/// The operations of CloudKit Web Services on the links of shares: resolve and accept.
enum CloudKitShares {
    static let routes: [CloudKitRoute] = [
        CloudKitRoute(
            "POST /database/1/{container}/{environment}/{database}/records/resolve", "records/resolve", rate: .read,
            databases: [.publicDatabase]
        ) { call in try await resolve(&call) },
        CloudKitRoute(
            "POST /database/1/{container}/{environment}/{database}/records/accept", "records/accept", rate: .write,
            callers: .users, databases: [.publicDatabase]
        ) { call in try await accept(&call) },
    ]

    /// The maximum number of links in one request.
    private static let most = 200

    /// A link of a request.
    private struct Link {
        let guid: String
        let wantsRoot: Bool
        let rootKeys: [String]?

        init(_ entry: CloudKitObject) throws(RecordError) {
            guid = try entry.required("value", try entry.string("value"))
            wantsRoot = try entry.bool("shouldFetchRootRecord") ?? false
            rootKeys = try entry.strings("rootRecordDesiredKeys")
        }
    }

    /// `records/resolve`: what the links lead to, in order.
    static func resolve(_ call: inout CloudKitCall) async throws -> HTTPResponse {
        try await answer(&call) { link, call throws(RecordError) in
            try call.reader.shares.resolve(link.guid, for: call.caller)
        }
    }

    /// `records/accept`: the caller joins the shares of the links.
    static func accept(_ call: inout CloudKitCall) async throws -> HTTPResponse {
        try await answer(&call) { link, call throws(RecordError) in
            try await call.database.shares.accept(link.guid, by: call.caller, rightsVersion: call.rightsVersion)
        }
    }

    /// Answers a request with one member for each link. A link that leads nowhere is an error in its place.
    private static func answer(
        _ call: inout CloudKitCall,
        _ find: (Link, CloudKitCall) async throws(RecordError) -> ShareInfo
    ) async throws -> HTTPResponse {
        let body = try await call.object()
        let entries = try body.required("shortGUIDs", try body.objects("shortGUIDs"))
        guard entries.count <= most else {
            throw RecordError.badRequest("'shortGUIDs' has more than \(most) members. Send several requests")
        }
        try call.rate.take(max(0, entries.count - 1), after: 1)
        var results: [JSONValue] = []
        for entry in entries {
            let link = try Link(entry)
            do throws(RecordError) {
                results.append(.object(try await document(try await find(link, call), of: link, call)))
            } catch {
                guard error.code != .internalError, error.code != .tryAgainLater else { throw error }
                results.append(
                    .object(
                        CloudKitErrors.item(error, key: ("shortGUID", .string(link.guid)), requestID: call.request.id)))
            }
        }
        return .cloudKit(JSONObject([("results", .array(results))]))
    }

    /// Returns the dictionary of a share. The share and the root record are part of it for callers that may read them.
    private static func document(
        _ info: ShareInfo, of link: Link, _ call: CloudKitCall
    ) async throws(RecordError) -> JSONObject {
        let zone = CloudKitZoneID(zoneName: info.address.zone.text, ownerRecordName: info.owner)
        let owner = JSONObject([
            ("userRecordName", .string(info.owner)),
            ("lookupInfo", .object(JSONObject([("userRecordName", .string(info.owner))]))),
        ])
        var document = JSONObject([
            ("shortGUID", .string(link.guid)), ("containerIdentifier", .string(call.path.id.container.text)),
            ("environment", .string(call.path.id.environment.rawValue.uppercased())),
            ("databaseScope", .string(info.kind == .owner ? "PRIVATE" : "SHARED")),
            ("zoneID", (try? JSONValue.parse(zone.json)) ?? .null), ("ownerIdentity", .object(owner)),
            ("participantPermission", .string(info.permission.word)),
            ("participantStatus", .string(info.status?.word ?? "UNKNOWN")),
            ("participantType", .string(info.kind.word)), ("potentialMatchList", .array([])),
        ])
        if let root = info.root { document["rootRecordName"] = .string(root) }
        guard info.status == .accepted else { return document }
        try call.reader.refresh()
        var call = call
        call.caller = try call.reader.participant(call.caller, in: info.address)
        let (caller, reader) = (call.caller, call.reader)
        let face = try call.face(zone: zone, numbersAsStrings: false)
        func record(_ name: String, _ fields: [String]?) async throws(RecordError) -> JSONValue? {
            let request = NamesRequest(
                [name], in: info.address, for: caller, fields: fields, as: face, opening: "")
            let value = try? JSONValue.parse(try await reader.lookUp(request).records.json)
            return value?["serverErrorCode"] == nil ? value : nil
        }
        if let share = try await record(info.share, nil) { document["share"] = share }
        if link.wantsRoot, let root = info.root, let found = try await record(root, link.rootKeys) {
            document["rootRecord"] = found
        }
        return document
    }
}
