internal import RecordWire

/// A page of records of the source.
struct SourcePage {
    /// The record dictionaries, and the errors of single records.
    var records: [JSONObject]
    /// The position of the next page: a continuation marker or a sync token. `nil` after the last page of a query.
    var position: String?
    /// Whether there are more pages.
    var isLast: Bool
}

/// A query for the records of one type.
struct TypeQuery: Hashable {
    var zone: String
    var type: String
    /// The records that were modified since then, in milliseconds since 1970; `nil` for all.
    var since: Int64?
    var marker: String?
    var limit: Int
}

extension SourceClient {
    /// Returns the record name of the user whose web auth token the client has; `nil` if the source does not tell it.
    func userRecordName() async throws(ImportError) -> String? {
        do throws(ImportError) {
            let response = try await call("users/caller", nil, inPublic: true)
            return response["userRecordName"]?.string ?? response["users"]?.array?.first?["userRecordName"]?.string
        } catch {
            guard case .rejected = error else { throw error }
            return nil
        }
    }

    /// Returns the names of all zones.
    func zones() async throws(ImportError) -> [String] {
        let response = try await call("zones/list", nil)
        var names: [String] = []
        for zone in response["zones"]?.array ?? [] {
            if let object = zone.object, let code = SourceError(object).code {
                throw .failed(
                    "\(database.url) does not show a zone: \(code), \(SourceError(object).reason ?? "no reason").")
            }
            if let name = zone["zoneID"]?["zoneName"]?.string { names.append(name) }
        }
        return names
    }

    /// Returns a page of the records of a type.
    func query(_ query: TypeQuery) async throws(ImportError) -> SourcePage {
        var words = JSONObject([("recordType", .string(query.type))])
        if let since = query.since {
            words["filterBy"] = [
                [
                    "systemFieldName": "modifiedTimestamp", "comparator": "GREATER_THAN_OR_EQUALS",
                    "fieldValue": ["value": .integer(since), "type": "TIMESTAMP"],
                ]
            ]
        }
        var body = JSONObject([
            ("query", .object(words)), ("zoneID", Self.zoneID(query.zone)),
            ("resultsLimit", .integer(Int64(query.limit))),
        ])
        if let marker = query.marker { body["continuationMarker"] = .string(marker) }
        let response = try await call("records/query", body)
        let marker = response["continuationMarker"]?.string
        return SourcePage(records: Self.records(response["records"]), position: marker, isLast: marker == nil)
    }

    /// Returns a page of the changes of a zone.
    ///
    /// - Throws: `rejected`, also for the error of the zone that stands in the response.
    func changes(in zone: String, since token: String?, limit: Int) async throws(ImportError) -> SourcePage {
        var attempts = RetrySchedule()
        while true {
            var entry = JSONObject([("zoneID", Self.zoneID(zone)), ("resultsLimit", .integer(Int64(limit)))])
            if let token { entry["syncToken"] = .string(token) }
            let response = try await call("changes/zone", JSONObject([("zones", [.object(entry)])]))
            guard let page = response["zones"]?.array?.first?.object else {
                throw .failed("\(database.url) sent no changes of the zone \(zone).")
            }
            let error = SourceError(page)
            guard let code = error.code else {
                guard let position = page["syncToken"]?.string else {
                    throw .failed("\(database.url) sent changes of the zone \(zone) without a sync token.")
                }
                return SourcePage(
                    records: Self.records(page["records"]), position: position,
                    isLast: page["moreComing"]?.bool != true)
            }
            guard error.isPassing, let delay = attempts.next(after: error.retryAfter) else {
                throw .rejected(code: code, reason: error.reason ?? "no reason")
            }
            try await clock.wait(milliseconds: delay)
        }
    }

    /// Returns records by their names: each record dictionary, or the error of the record.
    func lookUp(_ names: [String], in zone: String) async throws(ImportError) -> [JSONObject] {
        let response = try await call(
            "records/lookup",
            JSONObject([
                ("records", .array(names.map { ["recordName": .string($0)] })), ("zoneID", Self.zoneID(zone)),
            ]))
        return Self.records(response["records"])
    }

    /// The most names of one lookup.
    static let mostNames = 200

    private static func zoneID(_ name: String) -> JSONValue { ["zoneName": .string(name)] }

    private static func records(_ value: JSONValue?) -> [JSONObject] { (value?.array ?? []).compactMap(\.object) }
}
