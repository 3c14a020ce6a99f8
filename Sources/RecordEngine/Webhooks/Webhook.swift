internal import RecordModel
internal import RecordStorage
package import RecordWire

/// A webhook for responses, without its secret.
package struct Webhook: Hashable, Sendable {
    /// The random ID.
    package let id: String
    /// The webhook as JSON.
    package let json: JSONObject

    /// - Parameters:
    ///   - readerName: The name of the key or administrator as which the webhook reads; `nil` for a deleted one.
    ///   - ownerName: The record name of the private database's owner.
    init(_ row: WebhookRow, readerName: String?, ownerName: String?, now: Int64) throws(RecordError) {
        id = row.publicID
        var json = JSONObject([
            ("id", .string(row.publicID)), ("url", .string(row.url)), ("description", .string(row.description)),
            ("database", .string(row.owner == nil ? "public" : "private")),
        ])
        if let ownerName { json["owner"] = .string(ownerName) }
        if let zone = row.zone { json["zone"] = .string(zone) }
        for member in try WebhookSelection(stored: row.selection).json.members { json[member.key] = member.value }
        var reader = JSONObject([("kind", .string(row.readerKind.rawValue))])
        if let readerName { reader["name"] = .string(readerName) }
        json["readsAs"] = .object(reader)
        json["state"] = .string(row.state.rawValue)
        if let reason = row.reason { json["reason"] = .string(reason) }
        json["createdAt"] = .integer(row.created)
        if let overlaps = row.overlaps, overlaps > now { json["overlapsUntil"] = .integer(overlaps) }
        json["failures"] = .integer(row.failures)
        if let failing = row.failing { json["failingSince"] = .integer(failing) }
        if row.state == .active, row.failures > 0 { json["nextAttemptAt"] = .integer(row.due) }
        self.json = json
    }
}

/// The result of creating a webhook or rotating its secret. Only this response contains the secret.
package struct NewWebhook: Hashable, Sendable {
    /// The secret.
    package let secret: String
    /// The webhook.
    package let webhook: Webhook
}

extension WebhookRow {
    /// The caller as which the webhook reads. Its permissions are not current.
    var caller: Caller {
        switch readerKind {
        case .administrator: .administrator(Administrator(id: reader, role: .viewer)).withBootstrapRole
        case .key: .service(ServiceKey(account: UserID(rawValue: reader), scope: KeyScope(permissions: [])))
        }
    }

    /// Makes the webhook read as a caller.
    ///
    /// - Throws: ACCESS_DENIED for callers that are neither an administrator nor an API key.
    mutating func setReader(_ caller: Caller) throws(RecordError) {
        switch caller {
        case .administrator(let administrator): (readerKind, reader) = (.administrator, administrator.id)
        case .service(let key): (readerKind, reader) = (.key, key.account.rawValue)
        case .anonymous, .user, .participant: throw .notAWebhookManager
        }
    }

    /// The zone whose changes the webhook sends.
    var address: DatabaseAddress {
        DatabaseAddress(
            scope: owner.map { .privateDatabase(owner: $0) } ?? .publicDatabase,
            zone: zone.flatMap { ZoneName($0) } ?? .defaultZone)
    }

    /// Whether a caller that may manage webhooks may manage this one.
    func isManageable(by caller: Caller) -> Bool {
        owner.map { Authorization.mayEnterPrivateDatabase(caller, of: $0) } ?? true
    }

    /// The scheme and host of the URL, for logs. Its path and query may be secrets: many receivers know their senders by
    /// nothing else.
    var shownURL: String {
        let parts = url.split(separator: "/", maxSplits: 3, omittingEmptySubsequences: false)
        guard parts.count > 2 else { return "" }
        let host = parts[2].prefix { $0 != "?" && $0 != "#" }
        return "\(parts[0])//\(host.split(separator: "@", omittingEmptySubsequences: false).last ?? "")"
    }

    /// Returns the texts of the secrets that sign, the current one first.
    func secrets(_ keys: DatabaseKeys, now: Int64) -> [WebhookSecret] {
        var secrets = [WebhookSecret(keys, webhook: publicID, number: secret)]
        if let overlaps, overlaps > now, secret > 1 {
            secrets.append(WebhookSecret(keys, webhook: publicID, number: secret - 1))
        }
        return secrets
    }

    /// Ends the webhook's deliveries.
    mutating func stop(_ state: State, _ reason: String?) {
        self.state = state
        self.reason = reason
    }

    /// Forgets failed attempts, so that the next attempt follows at once.
    mutating func forgetFailures() {
        (failures, failing, due) = (0, nil, 0)
    }

    /// Makes the webhook continue at another position.
    mutating func move(to position: String) {
        self.position = position
        last = nil
        revision += 1
        forgetFailures()
    }
}

extension Caller {
    /// The holder of the server's own token is always an owner.
    fileprivate var withBootstrapRole: Caller {
        administrator?.id == 0 ? .administrator(.bootstrap) : self
    }
}

extension WebhookDeliveryRow {
    /// The delivery as JSON.
    var json: JSONValue {
        var json = JSONObject([
            ("timestamp", .integer(at)), ("message", .string(message)), ("type", .string(type)),
            ("events", .integer(events)), ("attempt", .integer(attempt)), ("duration", .integer(duration)),
        ])
        if let status { json["status"] = .integer(status) }
        if let error { json["error"] = .string(error) }
        if let response { json["response"] = .string(response) }
        json["delivered"] = .bool(status.map { (200...299).contains($0) } ?? false)
        return .object(json)
    }
}

extension RecordError {
    /// The error for an unknown webhook.
    static let webhookNotFound = RecordError(.notFound, "There is no webhook with this id")
    static let notAWebhookManager = RecordError(
        .accessDenied, "Only administrators and keys with the right manageWebhooks may do this")
}
