import RecordWire

@testable import CloudKitImport

/// This server in memory, as far as an import needs it: batches, references, preserved dates, and files.
final class FakeTarget: ImportTarget {
    struct Record: Hashable {
        var type: String
        var fields: JSONObject
        var created: Int64?
        var modified: Int64?
        var creator: String?
    }

    var zones: [String: [String: Record]] = ["_defaultZone": [:]]
    var files: Set<String> = []
    var mostOperations = 20
    var mostBytes = 100_000
    /// Names of records that no batch may have.
    var rejected: Set<String> = []
    private(set) var writes = 0

    func makeZone(_ name: String) async throws(ImportError) { zones[name] = zones[name] ?? [:] }

    func deleteZone(_ name: String) async throws(ImportError) { zones[name] = nil }

    func write(_ operations: [JSONValue], in zone: String) async throws(ImportError) -> [JSONObject] {
        writes += 1
        guard operations.count <= mostOperations else { throw .rejected(code: "BAD_REQUEST", reason: "too many") }
        guard !operations.contains(where: { rejected.contains($0["record"]?["recordName"]?.string ?? "") }) else {
            throw .rejected(code: "BAD_REQUEST", reason: "the body is malformed")
        }
        guard zones[zone] != nil else { throw .rejected(code: "ZONE_NOT_FOUND", reason: "no zone") }
        return operations.map { execute($0, in: zone) }
    }

    private func execute(_ operation: JSONValue, in zone: String) -> JSONObject {
        guard let record = operation["record"], let name = record["recordName"]?.string else {
            return Self.error("BAD_REQUEST", "no name")
        }
        let kind = operation["operationType"]?.string
        if kind == "forceDelete" {
            guard zones[zone]?[name] != nil else {
                return JSONObject([("recordName", .string(name)), ("deleted", true)])
            }
            guard let names = cascade(of: name, in: (zones[zone] ?? [:]).mapValues(\.fields)) else {
                return Self.error("VALIDATING_REFERENCE_ERROR", "in use")
            }
            for name in names { zones[zone]?[name] = nil }
            return JSONObject([("recordName", .string(name)), ("deleted", true)])
        }
        let old = zones[zone]?[name]
        if let type = record["recordType"]?.string, let old, old.type != type {
            return Self.error("EXISTS", "a record of another type has the name")
        }
        let created = record["created"]?["timestamp"]?.integer
        if let old, let created, old.created != created {
            return Self.error("BAD_REQUEST", "another date", cause: "READ_ONLY_KEY")
        }
        var fields = kind == "forceUpdate" ? old?.fields ?? JSONObject() : JSONObject()
        for member in record["fields"]?.object?.members ?? [] {
            if let file = member.value["value"]?["receipt"]?.string, !files.contains(file) {
                return Self.error("BAD_REQUEST", "no such upload")
            }
            fields[member.key] = member.value
        }
        for member in fields.members {
            guard let value = member.value["value"] else { continue }
            for reference in value.array ?? [value] where reference["action"]?.string == "VALIDATE" {
                let target = reference["recordName"]?.string ?? ""
                guard target == name || zones[zone]?[target] != nil else {
                    return Self.error("VALIDATING_REFERENCE_ERROR", "\(target) is missing")
                }
            }
        }
        zones[zone]?[name] = Record(
            type: record["recordType"]?.string ?? old?.type ?? "", fields: fields, created: old?.created ?? created,
            modified: record["modified"]?["timestamp"]?.integer,
            creator: old?.creator ?? record["created"]?["userRecordName"]?.string)
        return JSONObject([("recordName", .string(name))])
    }

    private static func error(_ code: String, _ reason: String, cause: String? = nil) -> JSONObject {
        var object = JSONObject([("serverErrorCode", .string(code)), ("reason", .string(reason))])
        if let cause { object["details"] = ["cause": .string(cause)] }
        return object
    }

    func upload(_ file: StagedFile) async throws(ImportError) -> JSONValue {
        files.insert(file.digest)
        return ["fileChecksum": .string(file.digest), "size": .integer(file.size), "receipt": .string(file.digest)]
    }

    func referenceFields() async throws(ImportError) -> [String: [String]] {
        ["A": ["to", "all"], "B": ["to", "all"]]
    }

    func list(
        _ type: String, in zone: String, fields: [String], cursor: String?
    ) async throws(ImportError) -> (records: [JSONObject], cursor: String?) {
        let names = (zones[zone] ?? [:]).filter { $0.value.type == type && $0.key > cursor ?? "" }.keys.sorted()
        let page = names.prefix(7)
        let records = page.map { name in
            JSONObject([
                ("recordName", .string(name)), ("fields", .object(zones[zone]?[name]?.fields ?? JSONObject())),
            ])
        }
        return (records, page.count < names.count ? page.last : nil)
    }
}
