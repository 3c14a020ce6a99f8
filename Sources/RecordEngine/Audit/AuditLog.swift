internal import RecordModel
internal import RecordStorage
internal import RecordWire

/// The log of a database: who changed its schema, rights, accounts and keys.
package struct AuditLog: Sendable {
    let database: RecordDatabase
}

/// What readers tell the log.
package struct AuditLogReader {
    let reader: RecordReader
}

/// What writes tell the log.
struct AuditLogWriter {
    let transaction: WriteTransaction

    /// Writes down who did what, in the transaction of the deed: one is not durable without the other.
    ///
    /// - Parameters:
    ///   - target: What it was done to, by its public name.
    ///   - detail: No secrets, and nothing of records' values.
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

    /// What the log calls an actor: its kind, and a name that stays.
    private func name(of actor: AuditActor) throws(RecordError) -> (kind: String, name: String) {
        if let name = actor.name { return ("operator", name) }
        switch actor.caller {
        case .anonymous: return ("anonymous", "")
        case .user(let id, _):
            // Not from the names that are cached: the account may be new, and if it is undone, the next one gets its number.
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

/// Texts of the log, cut to what an entry may take.
enum AuditText {
    private static let targetBytes = 512
    private static let detailBytes = 4_096

    static func cut(_ text: String) -> String {
        text.utf8.count <= targetBytes ? text : String(decoding: text.utf8.prefix(targetBytes), as: UTF8.self)
    }

    /// A detail as stored; `nil` for none. One that is too long says so.
    static func detail(_ detail: JSONObject) -> String? {
        guard detail.count > 0 else { return nil }
        let text = JSONValue.object(detail).bytes
        guard text.count <= detailBytes else { return "{\"isTooLong\":true}" }
        return String(decoding: text, as: UTF8.self)
    }

    /// Names for a detail, and how many there are beyond them.
    static func names(_ names: [String], of key: String) -> [(String, JSONValue)] {
        let shown = 50
        var members = [(key, JSONValue.array(names.prefix(shown).map(JSONValue.string)))]
        if names.count > shown { members.append(("\(key)More", .integer(Int64(names.count - shown)))) }
        return members
    }
}
