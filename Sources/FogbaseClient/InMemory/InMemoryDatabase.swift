internal import RecordModel
internal import RecordWire

/// The state of one container and environment of `InMemoryServer`: records, accounts and files.
///
/// The database keeps the data consistent. Other types execute the requests, and take the database as an `inout`
/// parameter.
struct InMemoryDatabase {
    let limits = DatabaseLimits()
    /// The current time, in milliseconds since 1970.
    var now: Int64 = 0
    var administratorToken: String?
    var schema = Schema()
    /// The sequence number of the last change.
    private(set) var sequence: Int64 = 0
    private(set) var records: [RecordKey: InMemoryRecord] = [:]
    /// The records that contain a reference with an action, by the target of the reference.
    private(set) var holders: [RecordKey: Set<RecordKey>] = [:]
    /// Tombstones of records whose names were reused. The change feed reports them in addition to the new records.
    private(set) var replacedRecords: [InMemoryRecord] = []
    /// The undo journal of the current request: the earlier states of changed records, in order.
    private var journal: [(key: RecordKey, before: InMemoryRecord?)] = []

    var accounts = InMemoryAccounts()
    var zones = InMemoryZones()
    var sharing = InMemorySharing()
    var files = InMemoryFiles()
    var positions = InMemoryPositions()
    /// Sync tokens before this sequence number have expired.
    private(set) var oldestToken: Int64 = 0
    /// The stored responses, by caller and idempotency key.
    var responses: [String: StoredResponse] = [:]
    /// The jobs, oldest first.
    var jobs: [InMemoryJob] = []

    mutating func nextSequence() -> Int64 {
        sequence += 1
        return sequence
    }

    /// Stores a new state of a record. `nil` deletes the record without a tombstone.
    mutating func keep(_ record: InMemoryRecord?, at key: RecordKey) {
        let before = records[key]
        journal.append((key, before))
        if let record, !record.isDeleted, before?.isDeleted ?? true { bringBack(record, after: before) }
        replace(record, at: key)
    }

    /// Keeps the tombstone of a record whose name is reused. Drops the older tombstones of the name if the new record
    /// has the same type and creator, and neither has an access list or former readers.
    private mutating func bringBack(_ record: InMemoryRecord, after before: InMemoryRecord?) {
        if let before { replacedRecords.append(before) }
        guard record.access == nil else { return }
        let newest = replacedRecords.filter { $0.key == record.key }.map(\.sequence).max() ?? 0
        replacedRecords.removeAll { replaced in
            replaced.key == record.key && replaced.type == record.type && replaced.creator == record.creator
                && replaced.access == nil && replaced.formerReaders == nil && replaced.sequence < newest
        }
    }

    private mutating func replace(_ record: InMemoryRecord?, at key: RecordKey) {
        for (_, reference) in records[key]?.references ?? [] {
            holders[RecordKey(zone: key.zone, name: reference.recordName)]?.remove(key)
        }
        records[key] = record
        for (_, reference) in record?.references ?? [] {
            holders[RecordKey(zone: key.zone, name: reference.recordName), default: []].insert(key)
        }
    }

    /// Executes a body that changes records and schema, and rolls the changes back if the body throws.
    mutating func transaction<Value, Failure: Error>(
        _ body: (inout InMemoryDatabase) throws(Failure) -> Value
    ) throws(Failure) -> Value {
        let (start, schema, replacedRecords, sharing) = (journal.count, schema, replacedRecords, sharing)
        do throws(Failure) {
            return try body(&self)
        } catch {
            while journal.count > start, let (key, before) = journal.popLast() { replace(before, at: key) }
            self.schema = schema
            self.replacedRecords = replacedRecords
            self.sharing = sharing
            throw error
        }
    }

    /// Adds a record type, or adds fields to a record type.
    mutating func extendSchema(
        _ name: RecordTypeName, with fields: [(name: FieldName, type: FieldType)], grants: Grants
    ) throws(RecordError) {
        let evolution = SchemaEvolution.extending(schema, name, grants, with: fields)
        if let violation = evolution.violation { throw violation }
        for step in evolution.steps { schema.apply(step, number: Int64(schema.types.count + 1)) }
    }

    /// Removes the records of a deleted zone without tombstones.
    mutating func removeRecords(of zone: InMemoryZoneID) {
        for key in records.keys where key.zone == zone { replace(nil, at: key) }
        holders = holders.filter { $0.key.zone != zone }
        replacedRecords.removeAll { $0.key.zone == zone }
    }

    /// Returns the sequence number of the newest change of each zone of a database. Zones without records are left out.
    func newestSequences(of owner: Int64) -> [InMemoryZoneID: Int64] {
        var newest: [InMemoryZoneID: Int64] = [:]
        for record in records.values where record.key.zone.owner == owner {
            newest[record.key.zone] = max(newest[record.key.zone] ?? 0, record.sequence)
        }
        return newest
    }

    /// Returns the position that the text of a request represents: the sequence number of the last change, and the one up
    /// to which the caller has complete data. An empty text is the beginning, and `now` the end.
    ///
    /// - Parameters:
    ///   - owner: As for `InMemoryPositions`.
    ///   - rights: The sequence number of the last change of the caller's rights.
    /// - Throws: BAD_REQUEST with cause TOKEN_INVALID or TOKEN_EXPIRED.
    func feedPosition(
        _ since: String, _ owner: String, rights: Int64 = 0
    ) throws(RecordError) -> (last: Int64, complete: Int64) {
        switch since {
        case "": return (0, 0)
        case "now": return (sequence, sequence)
        default:
            guard case .feed(let last, let complete, let known)? = positions[since, owner] else {
                throw .badRequest(
                    "The sync token does not belong to this caller and zone. Read the feed from its beginning",
                    cause: .tokenInvalid)
            }
            guard last >= oldestToken, known == rights else { throw .tokenIsTooOld }
            return (last, complete)
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

    /// Returns the record with a name; `nil` if the record is deleted or missing.
    func find(_ name: RecordName, zone: InMemoryZoneID) -> InMemoryRecord? {
        records[RecordKey(zone: zone, name: name)].flatMap { $0.isDeleted ? nil : $0 }
    }

    /// Returns the records of a type, in creation order.
    func all(of type: RecordTypeDefinition, zone: InMemoryZoneID) -> [InMemoryRecord] {
        records.values.filter { $0.type == type.id && $0.key.zone == zone && !$0.isDeleted }.sorted { $0.id < $1.id }
    }

    func fieldName(_ field: Int, of record: InMemoryRecord) -> String {
        schema[id: record.type]?[id: field]?.name.text ?? ""
    }

    // MARK: Callers

    /// Returns the caller that a token belongs to, and extends the caller's session.
    ///
    /// - Throws: AUTHENTICATION_FAILED if the token is invalid or has expired.
    mutating func caller(bearing token: String?) throws(RecordError) -> Caller {
        guard let token else { return .anonymous }
        if token == administratorToken { return .administrator(.bootstrap) }
        guard var session = accounts.sessions[token], session.expires > now else { throw .invalidToken }
        session.used = now
        session.expires = min(session.ends, now + limits.sessionSeconds * 1_000)
        accounts.sessions[token] = session
        return .user(session.account, roles: [:])
    }
}

extension RecordError {
    static let invalidToken = RecordError(
        .authenticationFailed,
        "The token is wrong or expired. Sign in again, or send no token to continue as a guest"
    )
}
