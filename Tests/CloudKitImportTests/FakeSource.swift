import Cryptography
import RecordWire
import TestSupport
import Threads

@testable import CloudKitImport

/// A source in memory with the rules of CloudKit: VALIDATE and DELETE_SELF references, feeds with tombstones, and URLs
/// of assets that expire. It fails as often as a test says.
final class FakeSource: SourceTransport {
    struct Record: Hashable {
        var type: String
        var fields: JSONObject
        var created: Int64
        var modified: Int64
        var user: String
        var change: Int
    }

    struct Zone {
        var records: [String: Record] = [:]
        /// The changes in which records were deleted.
        var tombstones: [String: Int] = [:]
    }

    struct State {
        var zones: [String: Zone] = ["_defaultZone": Zone()]
        var change = 0
        /// URLs of earlier generations have expired.
        var generation = 0
        var contents: [String: [UInt8]] = [:]
        var random: SeededGenerator
        /// One of this many answers is a fault; 0 for none.
        var faults = 0
        var requests: [String] = []
        /// The types that cannot be listed.
        var unlisted: Set<String> = []
        /// What happens between two requests.
        var between: (@Sendable (inout State) -> Void)?
        var expectsToken: String?
        var nextToken: String?
    }

    let state: Locked<State>

    init(seed: UInt64) {
        state = Locked(State(random: SeededGenerator(seed: seed)))
    }

    // MARK: The transport

    func send(_ request: SourceRequest) async throws(TransportFailure) -> SourceResponse {
        let result = state.withLock { state -> Result<SourceResponse, TransportFailure> in
            let operation = request.path.split(separator: "/").suffix(2).joined(separator: "/")
            state.requests.append(operation)
            state.between?(&state)
            let body = (try? JSONValue.parse(request.body ?? [])) ?? .null
            if let expected = state.expectsToken,
                request.query.first(where: { $0.name == "ckWebAuthToken" })?.value != expected
            {
                return .success(
                    Self.error(421, "AUTHENTICATION_REQUIRED", "no session", url: "https://source.example/sign-in"))
            }
            if state.fails() {
                switch Int.random(in: 0..<5, using: &state.random) {
                case 0: return .failure(.failed("The connection was reset"))
                case 1: return .success(Self.error(503, "TRY_AGAIN_LATER", "busy", retryAfter: 2))
                case 2: return .success(Self.error(429, "THROTTLED", "too fast"))
                case 3: return .success(SourceResponse(status: 502, body: Array("<html>".utf8), retryAfter: 1))
                default: break
                }
            }
            var response = state.answer(operation, body)
            if state.fails() { response.body.removeLast(response.body.count / 2 + 1) }
            if state.expectsToken != nil {
                state.change += 1
                state.expectsToken = "token-\(state.change)"
                response.webAuthToken = state.expectsToken
            }
            return .success(response)
        }
        return try result.get()
    }

    static func error(
        _ status: Int, _ code: String, _ reason: String, retryAfter: Int64? = nil, url: String? = nil
    ) -> SourceResponse {
        var object = JSONObject([("serverErrorCode", .string(code)), ("reason", .string(reason))])
        if let retryAfter { object["retryAfter"] = .integer(retryAfter) }
        if let url { object["redirectURL"] = .string(url) }
        return SourceResponse(status: status, body: JSONValue.object(object).bytes)
    }

    func download(_ url: String, as name: String, upTo size: Int64?) async throws(TransportFailure) -> Download {
        let result = state.withLock { state -> Result<Download, TransportFailure> in
            let parts = url.split(separator: "/").map(String.init)
            guard parts.count == 3, let content = state.contents[parts[1]] else {
                return .success(.status(404, retryAfter: nil))
            }
            if state.fails() { state.generation += 1 }
            guard parts[2] == String(state.generation) else { return .success(.status(410, retryAfter: nil)) }
            if state.fails() { return .failure(.failed("The connection was reset")) }
            if state.fails() { return .success(.status(503, retryAfter: 1)) }
            let isCut = state.fails()
            let bytes = isCut ? Array(content.dropLast(1)) : content
            return .success(
                .file(StagedFile(path: name, size: Int64(bytes.count), digest: SHA256.hash(bytes).base64)))
        }
        return try result.get()
    }

    func discard(_ file: StagedFile) {}
}

extension FakeSource.State {
    mutating func fails() -> Bool { faults > 0 && Int.random(in: 0..<faults, using: &random) == 0 }

    // MARK: Operations

    mutating func answer(_ operation: String, _ body: JSONValue) -> SourceResponse {
        let zone = body["zoneID"]?["zoneName"]?.string ?? "_defaultZone"
        let limit = Int(body["resultsLimit"]?.integer ?? 200)
        switch operation {
        case "users/caller": return ok([("users", [["userRecordName": "_me"]])])
        case "zones/list":
            return ok([("zones", .array(zones.keys.sorted().map { ["zoneID": ["zoneName": .string($0)]] }))])
        case "records/lookup":
            let names = (body["records"]?.array ?? []).compactMap { $0["recordName"]?.string }
            return ok([("records", .array(names.map { item($0, zone) ?? Self.missing($0) }))])
        case "records/query": return query(body, zone, limit)
        case "changes/zone": return changes(body, limit)
        default: return FakeSource.error(404, "NOT_FOUND", "no handler")
        }
    }

    private func ok(_ members: [(String, JSONValue)]) -> SourceResponse {
        SourceResponse(status: 200, body: JSONValue.object(JSONObject(members)).bytes)
    }

    private static func missing(_ name: String) -> JSONValue {
        ["recordName": .string(name), "serverErrorCode": "NOT_FOUND", "reason": "Record not found"]
    }

    private mutating func query(_ body: JSONValue, _ zone: String, _ limit: Int) -> SourceResponse {
        let type = body["query"]?["recordType"]?.string ?? ""
        guard !unlisted.contains(type) else {
            return FakeSource.error(400, "BAD_REQUEST", "Field 'recordName' is not marked queryable")
        }
        let filter = body["query"]?["filterBy"]?.array?.first
        let since = filter?["fieldValue"]?["value"]?.integer ?? .min
        let after = body["continuationMarker"]?.string ?? ""
        let names = (zones[zone]?.records ?? [:]).filter {
            $0.value.type == type && $0.value.modified >= since && $0.key > after
        }.keys.sorted()
        let page = names.prefix(limit)
        var members = [("records", JSONValue.array(page.map { throttled($0) ?? item($0, zone) ?? .null }))]
        if page.count < names.count, let last = page.last { members.append(("continuationMarker", .string(last))) }
        return ok(members)
    }

    private mutating func throttled(_ name: String) -> JSONValue? {
        guard fails() else { return nil }
        return ["recordName": .string(name), "serverErrorCode": "TRY_AGAIN_LATER", "reason": "busy", "retryAfter": 1]
    }

    private mutating func changes(_ body: JSONValue, _ limit: Int) -> SourceResponse {
        let entry = body["zones"]?.array?.first ?? .null
        let name = entry["zoneID"]?["zoneName"]?.string ?? ""
        let id: JSONValue = ["zoneName": .string(name)]
        func failure(_ code: String, _ reason: String, _ retryAfter: Int64? = nil) -> SourceResponse {
            var object = JSONObject([
                ("zoneID", id), ("serverErrorCode", .string(code)), ("reason", .string(reason)),
            ])
            if let retryAfter { object["retryAfter"] = .integer(retryAfter) }
            return ok([("zones", [.object(object)])])
        }
        guard let zone = zones[name] else { return failure("ZONE_NOT_FOUND", "Zone not found") }
        if fails() { return failure("THROTTLED", "too fast", 1) }
        let token = entry["syncToken"]?.string
        guard let since = token.map({ Int($0.dropFirst()) }) ?? 0 else {
            return failure("BAD_REQUEST", "Unknown sync continuation type")
        }
        let size = Int(entry["resultsLimit"]?.integer ?? 200)
        let all = (zone.records.map { ($0.value.change, $0.key) } + zone.tombstones.map { ($0.value, $0.key) })
            .filter { $0.0 > since }.sorted { $0.0 < $1.0 }
        let page = all.prefix(size)
        let records = page.map { change, record -> JSONValue in
            item(record, name)
                ?? [
                    "recordName": .string(record), "recordType": .null, "deleted": true,
                    "recordChangeTag": .string("\(change)"),
                ]
        }
        return ok([
            (
                "zones",
                [
                    [
                        "zoneID": id, "records": .array(records), "moreComing": .bool(page.count < all.count),
                        "syncToken": .string("t\(page.last?.0 ?? since)"),
                    ]
                ]
            )
        ])
    }

    private func item(_ name: String, _ zone: String) -> JSONValue? {
        guard let record = zones[zone]?.records[name] else { return nil }
        let fields = record.fields.members.map { member -> (String, JSONValue) in
            guard var asset = member.value["value"]?.object, let checksum = asset["fileChecksum"]?.string else {
                return (member.key, member.value)
            }
            asset["downloadURL"] = .string("/\(name)/\(checksum.filter { $0 != "/" })/\(generation)")
            return (member.key, ["value": .object(asset), "type": "ASSETID"])
        }
        return [
            "recordName": .string(name), "recordType": .string(record.type), "fields": .object(JSONObject(fields)),
            "recordChangeTag": .string("\(record.change)"), "deleted": false, "pluginFields": [:],
            "created": [
                "timestamp": .integer(record.created), "userRecordName": .string(record.user), "deviceID": "2",
            ],
            "modified": ["timestamp": .integer(record.modified), "userRecordName": .string(record.user)],
        ]
    }

    // MARK: Changes

    mutating func save(
        _ name: String, type: String, in zone: String = "_defaultZone", _ fields: JSONObject = JSONObject()
    ) {
        change += 1
        let now = Int64(1_700_000_000_000 + change)
        let created = zones[zone]?.records[name]?.created ?? now
        zones[zone, default: FakeSource.Zone()].records[name] = FakeSource.Record(
            type: type, fields: fields, created: created, modified: now, user: "_me", change: change)
        zones[zone]?.tombstones[name] = nil
    }

    /// Deletes a record and those that follow it, unless another record requires it.
    mutating func delete(_ name: String, in zone: String) {
        let records = zones[zone]?.records ?? [:]
        guard records[name] != nil, let names = cascade(of: name, in: records.mapValues(\.fields)) else { return }
        for name in names {
            change += 1
            zones[zone]?.records[name] = nil
            zones[zone]?.tombstones[name] = change
        }
    }

    mutating func asset(_ content: [UInt8]) -> JSONValue {
        let checksum = SHA256.hash(content).base64
        contents[checksum.filter { $0 != "/" }] = content
        return [
            "value": ["fileChecksum": .string(checksum), "size": .integer(Int64(content.count))], "type": "ASSETID",
        ]
    }

    /// Makes random changes in a zone.
    ///
    /// - Parameter deletes: Whether some of them are deletions.
    mutating func change(_ count: Int, in zone: String, types: [String], deletes: Bool) {
        for _ in 0..<count {
            let name = "r\(Int.random(in: 0..<60, using: &random))"
            if deletes, Int.random(in: 0..<4, using: &random) == 0 {
                delete(name, in: zone)
                continue
            }
            let known = (zones[zone]?.records.keys.sorted() ?? []).filter { $0 != name }
            var fields = JSONObject([("n", ["value": .integer(Int64(change)), "type": "INT64"])])
            if let target = known.randomElement(using: &random), Bool.random(using: &random) {
                let action = ["NONE", "VALIDATE", "VALIDATE", "DELETE_SELF"].randomElement(using: &random) ?? "NONE"
                let reference: JSONValue = ["recordName": .string(target), "action": .string(action)]
                fields["to"] = ["value": reference, "type": "REFERENCE"]
                if Int.random(in: 0..<6, using: &random) == 0 {
                    // To a record that may have been deleted.
                    let lost: JSONValue = [
                        "recordName": .string("r\(Int.random(in: 0..<60, using: &random))"), "action": "DELETE_SELF",
                    ]
                    fields["to"] = ["value": lost, "type": "REFERENCE"]
                }
                if Bool.random(using: &random), let other = known.randomElement(using: &random) {
                    fields["all"] = [
                        "value": [reference, ["recordName": .string(other), "action": "VALIDATE"]],
                        "type": "REFERENCE_LIST",
                    ]
                }
            }
            if Int.random(in: 0..<5, using: &random) == 0 {
                fields["file"] = asset(Array("content \(change)".utf8))
            }
            let type = zones[zone]?.records[name]?.type ?? types.randomElement(using: &random) ?? ""
            save(name, type: type, in: zone, fields)
        }
    }
}

/// Returns the records that a deletion deletes; `nil` if another record requires one of them.
func cascade(of name: String, in records: [String: JSONObject]) -> [String]? {
    var names = [name]
    var index = 0
    while index < names.count {
        for (other, fields) in records.sorted(by: { $0.key < $1.key })
        where !names.contains(other) && refer(fields, to: names[index], "DELETE_SELF") { names.append(other) }
        index += 1
    }
    let rest = records.filter { !names.contains($0.key) }
    return rest.contains { record in names.contains { refer(record.value, to: $0, "VALIDATE") } } ? nil : names
}

/// Whether fields have a reference with an action to a record.
private func refer(_ fields: JSONObject, to name: String, _ action: String) -> Bool {
    fields.members.contains { member in
        guard let value = member.value["value"] else { return false }
        return (value.array ?? [value]).contains {
            $0["recordName"]?.string == name && $0["action"]?.string == action
        }
    }
}
