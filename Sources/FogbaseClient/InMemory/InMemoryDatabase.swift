internal import RecordModel
internal import RecordWire

/// All of one container and environment of `InMemoryServer`: its public and private databases, accounts and files.
///
/// It keeps the data consistent. Other types answer the requests, and take it `inout`.
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
    /// By callers and idempotency keys.
    var answers: [String: RememberedAnswer] = [:]

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

    /// Adds a type, or fields to it.
    mutating func extendSchema(
        _ name: RecordTypeName, with fields: [(name: FieldName, type: FieldType)], grants: Grants
    ) throws(RecordError) {
        let evolution = SchemaEvolution.extending(schema, name, grants, with: fields)
        if let violation = evolution.violation { throw violation }
        for step in evolution.steps { schema.apply(step, number: Int64(schema.types.count + 1)) }
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

    func fieldName(_ field: Int, of record: KeptRecord) -> String {
        schema[id: record.type]?[id: field]?.name.text ?? ""
    }

    // MARK: Who asks

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
}

extension RecordError {
    static let tokenIsNone = RecordError(
        .authenticationFailed,
        "The token is not valid: it has ended, or was never one. Drop it, then sign in again, or go on as a guest without it"
    )
}
