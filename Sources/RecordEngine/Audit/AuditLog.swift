package import RecordModel
internal import RecordStorage
internal import RecordWire

/// The audit log of a database: changes of the schema, permissions, accounts and keys with their actors.
package struct AuditLog: Sendable {
    let database: RecordDatabase
}

/// Adds counted events to the audit log from a reader's thread.
package struct AuditLogReader {
    let reader: RecordReader
}

extension AuditLogReader {
    /// Returns the kind and the permanent name of a caller, as the audit log shows them.
    package func actor(_ caller: Caller) throws(RecordError) -> (kind: String, name: String) {
        switch caller {
        case .anonymous: return ("anonymous", "")
        case .user(let id, _), .participant(let id, _, _): return ("user", try reader.userNames.name(of: id))
        case .service(let key): return ("key", try reader.store.keys.find(account: key.account)?.name ?? "")
        case .administrator(let administrator):
            return (
                "administrator",
                reader.database.administrators?.name(of: administrator) ?? Administrators.bootstrapName
            )
        }
    }
}

/// Appends audit entries in a transaction.
struct AuditLogWriter {
    let transaction: WriteTransaction

    /// Appends an entry in the same transaction as the action, so that either both or neither become durable.
    ///
    /// - Parameters:
    ///   - target: The public name of the changed object.
    ///   - detail: The details, which must contain neither secrets nor field values.
    func append(
        _ action: AuditAction, _ target: String, by actor: AuditActor, outcome: AuditOutcome = .done,
        detail: JSONObject = JSONObject()
    ) throws(RecordError) {
        let (kind, name) = try self.name(of: actor)
        let row = AuditRow(
            at: transaction.now, actorKind: kind, actor: name, action: action.rawValue, target: AuditText.cut(target),
            outcome: outcome.rawValue, address: actor.address, request: actor.requestID,
            detail: AuditText.detail(detail))
        try transaction.store.audit.append(row)
    }

    /// Returns the kind and the permanent name of an actor in the log.
    func name(of actor: AuditActor) throws(RecordError) -> (kind: String, name: String) {
        if let name = actor.name { return ("operator", name) }
        switch actor.caller {
        case .anonymous: return ("anonymous", "")
        case .user(let id, _), .participant(let id, _, _):
            // Do not use the cache of names. The account may be new. If its creation is undone, the next account gets
            // the same number.
            let row = try transaction.store.accounts.find(id: id)
            return ("user", row?.recordName ?? SystemUser.deleted)
        case .service(let key):
            let row = try transaction.store.keys.find(account: key.account)
            return ("key", row?.name ?? "")
        case .administrator(let administrator):
            return (
                "administrator", transaction.administrators?.name(of: administrator) ?? Administrators.bootstrapName
            )
        }
    }
}

/// Formats the texts in audit entries, and limits their length.
enum AuditText {
    private static let targetBytes = 512
    private static let detailBytes = 4_096

    static func cut(_ text: String) -> String {
        text.utf8.count <= targetBytes ? text : String(decoding: text.utf8.prefix(targetBytes), as: UTF8.self)
    }

    /// Returns details in stored form; `nil` for empty details. Details that are too long are replaced by a note.
    static func detail(_ detail: JSONObject) -> String? {
        guard detail.count > 0 else { return nil }
        let text = JSONValue.object(detail).bytes
        guard text.count <= detailBytes else { return "{\"isTooLong\":true}" }
        return String(decoding: text, as: UTF8.self)
    }

    /// Returns up to 50 names as a detail, and the number of the remaining names.
    static func names(_ names: [String], of key: String) -> [(String, JSONValue)] {
        let shown = 50
        var members = [(key, JSONValue.array(names.prefix(shown).map(JSONValue.string)))]
        if names.count > shown { members.append(("\(key)More", .integer(Int64(names.count - shown)))) }
        return members
    }
}
