internal import Foundation
internal import RecordModel
internal import RecordWire

/// All of one container and environment of `InMemoryServer`: its public and private databases, accounts and files.
struct InMemoryDatabase {
    let limits = DatabaseLimits()
    /// Milliseconds since 1970.
    var now: Int64 = 0
    var administratorToken: String?
    var schema = Schema()
    /// The number of the last change.
    private(set) var sequence: Int64 = 0
    private(set) var records: [RecordKey: KeptRecord] = [:]
    /// The records that refer to one with an action, by that one.
    private(set) var holders: [RecordKey: Set<RecordKey>] = [:]
    /// What is left of records whose names somebody else, or another type, has taken since: who could read them is told of
    /// both.
    private(set) var ghosts: [KeptRecord] = []
    /// What was where a transaction has changed something, in order.
    private var journal: [(key: RecordKey, before: KeptRecord?)] = []

    var accounts = InMemoryAccounts()
    var files = InMemoryFiles()
    var positions = InMemoryPositions()
    /// Tokens of changes from before this number are too old.
    private(set) var oldestToken: Int64 = 0
    var answers: [String: RememberedAnswer] = [:]

    /// The answer to a request with an idempotency key.
    struct RememberedAnswer {
        var request: String
        var body: [UInt8]
        var response: TransportResponse
    }

    mutating func nextSequence() -> Int64 {
        sequence += 1
        return sequence
    }

    /// Keeps a state of a record; `nil` takes it away without a trace.
    mutating func keep(_ record: KeptRecord?, at key: RecordKey) {
        let before = records[key]
        journal.append((key, before))
        if let record, !record.isDeleted, before?.isDeleted ?? true { bringBack(record, after: before) }
        replace(record, at: key)
    }

    /// Keeps what is left of earlier records with a name that is taken again, unless it is by the same hand.
    private mutating func bringBack(_ record: KeptRecord, after before: KeptRecord?) {
        if let before { ghosts.append(before) }
        guard record.access == nil else { return }
        ghosts.removeAll { ghost in
            ghost.key == record.key && ghost.type == record.type && ghost.creator == record.creator
                && ghost.access == nil && ghost.formerReaders == nil
        }
    }

    private mutating func replace(_ record: KeptRecord?, at key: RecordKey) {
        for (_, reference) in records[key]?.references ?? [] {
            holders[RecordKey(zone: key.zone, name: reference.recordName)]?.remove(key)
        }
        records[key] = record
        for (_, reference) in record?.references ?? [] {
            holders[RecordKey(zone: key.zone, name: reference.recordName), default: []].insert(key)
        }
    }

    /// Changes records and schema, or leaves them as they are if that fails.
    mutating func transaction<Value, Failure: Error>(
        _ body: (inout InMemoryDatabase) throws(Failure) -> Value
    ) throws(Failure) -> Value {
        let (start, schema, ghosts) = (journal.count, schema, ghosts)
        do throws(Failure) {
            return try body(&self)
        } catch {
            while journal.count > start, let (key, before) = journal.popLast() { replace(before, at: key) }
            self.schema = schema
            self.ghosts = ghosts
            throw error
        }
    }

    mutating func forgetJournal() {
        journal = []
    }

    mutating func expireChangeTokens() {
        oldestToken = nextSequence()
    }

    func count(of recordType: String?) -> Int {
        records.values.count { record in
            let type = schema[id: record.type]?.name
            return !record.isDeleted && (recordType == nil ? type != .users : type?.text == recordType)
        }
    }

    /// The record with a name, unless it is deleted.
    func find(_ name: RecordName, zone: Int64) -> KeptRecord? {
        records[RecordKey(zone: zone, name: name)].flatMap { $0.isDeleted ? nil : $0 }
    }

    /// The records of a type in creation order.
    func all(of type: RecordTypeDefinition, zone: Int64) -> [KeptRecord] {
        records.values.filter { $0.type == type.id && $0.key.zone == zone && !$0.isDeleted }.sorted { $0.id < $1.id }
    }

    // MARK: Who asks, and where

    /// Who the bearer of a token is.
    ///
    /// - Throws: AUTHENTICATION_FAILED for a token that is none, or no more.
    mutating func caller(bearing token: String?) throws(RecordError) -> Caller {
        guard let token else { return .anonymous }
        if token == administratorToken { return .administrator(.bootstrap) }
        guard var session = accounts.sessions[token], session.expires > now else { throw .tokenIsNone }
        session.used = now
        session.expires = min(session.ends, now + limits.sessionSeconds * 1_000)
        accounts.sessions[token] = session
        return .user(session.account, roles: [:])
    }

    /// The database that a request names.
    ///
    /// - Throws: AUTHENTICATION_REQUIRED or ACCESS_DENIED for a private one that is not the caller's.
    func scope(of request: InMemoryRequest, for caller: Caller) throws(RecordError) -> DatabaseScope {
        guard [nil, "_defaultZone"].contains(request["zone"]) else { throw .zoneNotFound }
        switch request["database"] {
        case nil, "public": return .publicDatabase
        case "private": break
        default: throw .badRequest("'database' is public or private", details: [("parameter", .text("database"))])
        }
        if caller == .anonymous {
            throw RecordError(.authenticationRequired, "A private database belongs to a user. Sign in first")
        }
        guard let name = request["owner"] else {
            guard let owner = caller.userID else {
                throw .badRequest("An administrator names whose private database it is, with 'owner'")
            }
            return .privateDatabase(owner: owner)
        }
        let owner = accounts.id(named: name)
        guard Authorization.mayEnterPrivateDatabase(caller, of: owner ?? .nobody) else {
            throw RecordError(.accessDenied, "A private database is its owner's alone")
        }
        guard let owner else { throw RecordError(.notFound, "There is no user with this record name") }
        return .privateDatabase(owner: owner)
    }
}

/// One request with what is known of it.
struct InMemoryCall {
    let request: InMemoryRequest
    let caller: Caller
    let scope: DatabaseScope
    /// The fields that the answer shall show; `nil` for all.
    var fields: [String]?

    var zone: Int64 {
        if case .privateDatabase(let owner) = scope { owner.rawValue } else { 0 }
    }

    func may(_ action: Action, _ record: KeptRecord, _ type: RecordTypeDefinition) -> Bool {
        Authorization.authorize(caller, action, in: scope, type: type, record.facts) == .allowed
    }

    /// Whether a record exists for the caller.
    func knows(_ record: KeptRecord, _ type: RecordTypeDefinition) -> Bool {
        may(.read, record, type) || may(.write, record, type)
    }

    func reach(_ action: Action, _ type: RecordTypeDefinition) -> Reach {
        Authorization.reach(of: action, for: caller, in: scope, type: type)
    }
}

extension RecordError {
    static let tokenIsNone = RecordError(
        .authenticationFailed,
        "The token is not valid: it has ended, or was never one. Drop it, then sign in again, or go on as a guest without it"
    )
}
