package import RecordModel
package import RecordWire

/// The task of a job that makes a bulk change: a change of the records that match a condition.
///
/// ```json
/// {"kind":"deleteRecords","recordType":"Post","where":"timestamp < now() - 183 days","args":[],"maxAffected":5000}
/// {"kind":"updateRecords","recordType":"Post","all":true,"fields":{"archived":{"value":true}}}
/// ```
package struct BulkTask: Sendable {
    /// The record type.
    package let type: RecordTypeName
    /// The condition.
    package let input: QueryInput
    /// The change to make to each matching record.
    package let change: BulkRequest.Change
    /// Whether the condition may be missing.
    package let isForAll: Bool
    /// The maximum number of matching records; `nil` for no maximum.
    package let maxAffected: Int?
    /// The task as a JSON object.
    package let json: JSONValue

    private static let keys = ["kind", "recordType", "where", "args", "all", "maxAffected", "fields", "acl"]

    /// The kind of the job.
    package var kind: JobKind {
        switch change {
        case .delete: .deleteRecords
        case .modify: .updateRecords
        }
    }

    /// Describes a bulk request.
    init(_ request: BulkRequest) {
        type = request.query.typeName
        input = request.query.input
        change = request.change
        isForAll = request.isForAll
        maxAffected = request.maxAffected
        var object = JSONObject([("recordType", .string(request.query.typeName.text))])
        switch request.change {
        case .delete: object["kind"] = .string(JobKind.deleteRecords.rawValue)
        case .modify(let record):
            object["kind"] = .string(JobKind.updateRecords.rawValue)
            let body = try? JSONValue.parse(record.body)
            for key in ["fields", "acl"] { if let value = body?[key] { object[key] = value } }
        }
        if let condition = input.condition { object["where"] = .string(condition) }
        if !input.arguments.isEmpty { object["args"] = .array(input.arguments.map(\.json)) }
        if isForAll { object["all"] = .bool(true) }
        if let maxAffected { object["maxAffected"] = .integer(Int64(maxAffected)) }
        json = .object(object)
    }

    /// Reads a task.
    ///
    /// - Throws: BAD_REQUEST for unknown keys, a missing condition, or invalid values.
    package init(_ json: JSONValue) throws(RecordError) {
        guard case .object(let object) = json else { throw Self.invalid("A task is a JSON object", at: "task") }
        if let key = object.members.first(where: { !Self.keys.contains($0.key) })?.key {
            throw Self.invalid(
                "A task has no key '\(key.prefix(64))'; its keys are \(Self.keys.joined(separator: ", "))",
                at: String(key.prefix(64)))
        }
        guard let kind = json["kind"]?.string.flatMap(JobKind.init(rawValue:)), kind.isBulkChange else {
            throw Self.invalid("'kind' is deleteRecords or updateRecords", at: "kind")
        }
        guard let type = json["recordType"]?.string.flatMap(RecordTypeName.init) else {
            throw Self.invalid("A record type's name \(Identifier.rule)", at: "recordType")
        }
        self.type = type
        self.json = json
        var query = JSONObject([("recordType", .string(type.text))])
        for key in ["where", "args"] { if let value = json[key] { query[key] = value } }
        input = try QueryInput.read(JSONValue.object(query).bytes)
        if let all = json["all"], all.bool == nil { throw Self.invalid("'all' is true or false", at: "all") }
        isForAll = json["all"]?.bool ?? false
        let isBlank = input.condition?.allSatisfy(\.isWhitespace) ?? true
        guard isBlank == isForAll else {
            throw Self.invalid(
                isBlank
                    ? "Without 'where' this concerns every record of the type. Say \"all\":true if you mean that"
                    : "'all' goes without 'where'. Leave one of them out", at: isBlank ? "where" : "all")
        }
        if let most = json["maxAffected"] {
            guard let number = most.integer, let count = Int(exactly: number), count >= 0 else {
                throw Self.invalid("'maxAffected' is a whole number", at: "maxAffected")
            }
            maxAffected = count
        } else {
            maxAffected = nil
        }
        change = try Self.change(kind, json)
    }

    private static func change(_ kind: JobKind, _ json: JSONValue) throws(RecordError) -> BulkRequest.Change {
        var record = JSONObject()
        for key in ["fields", "acl"] { if let value = json[key] { record[key] = value } }
        guard kind == .updateRecords else {
            guard record.members.isEmpty else {
                throw invalid("A deletion has no 'fields' and no 'acl'", at: record.members[0].key)
            }
            return .delete
        }
        guard !record.members.isEmpty else { throw invalid("'fields' names nothing to change", at: "fields") }
        let input = try RecordInput.readSingle(JSONValue.object(record).bytes)
        _ = try input.accessChange()
        return .modify(input)
    }

    private static func invalid(_ reason: String, at key: String) -> RecordError {
        .badRequest(reason, details: [("path", .text(key))])
    }

    /// The bulk request of the task for a caller.
    func request(for caller: Caller, in address: DatabaseAddress) -> BulkRequest {
        BulkRequest(
            query: QueryRequest(caller: caller, address: address, typeName: type, input: input), change: change,
            isForAll: isForAll, isDryRun: false, maxAffected: maxAffected, idempotency: nil)
    }
}
