internal import Cryptography
internal import RecordModel
internal import RecordStorage
internal import RecordWire

/// Performs the operations of one request inside the writer's transaction.
///
/// Confined to the writer's thread and to one request.
final class RecordWriter {
    let transaction: WriteTransaction
    let caller: Caller
    let address: DatabaseAddress
    let fields: [String]?
    /// The operation for which a batch failed, and why.
    var guilty: (position: Int, error: RecordError)?
    var zone: ZoneID?
    var checks: [ReferenceCheck] = []
    /// The receipts that the running operation has used.
    var claims: [(number: Int64, hash: Digest)] = []
    /// The records that deletions of this request have taken with them.
    var cascaded = 0
    /// The entries that this request has brought into indexes of lists.
    var memberEntries = 0
    /// What the answer tells besides outcomes.
    private(set) var notices: [WriteNotice] = []
    /// The place of the running operation in its request.
    private(set) var position = 0
    /// Whether UNIQUE indexes are asked when all operations are done: an atomic batch may swap two values.
    let checksUniqueLast: Bool
    /// What new records keep of what the operations say.
    let preserves: PreservedMetadata
    /// How many new records have said it.
    var preserved = 0
    /// Where records stand in the answer, for one that is to be remembered.
    var shown: [ShownRecord] = []
    let notesShown: Bool

    init(_ transaction: WriteTransaction, _ request: WriteRequest) {
        self.transaction = transaction
        caller = request.caller
        address = request.address
        fields = request.fields
        notesShown = request.idempotency != nil
        preserves = request.preserves
        checksUniqueLast = request.shape == .batch(isAtomic: true)
    }

    /// Performs one operation and appends its answer.
    ///
    /// References are checked by `checkReferences` afterwards: once per operation, or once for an atomic batch, in
    /// which a target that comes later counts.
    func perform(
        _ operation: RecordOperation, position: Int, into answer: inout [UInt8]
    ) throws(RecordError) -> OperationResult {
        if case .refused(let refusal) = operation.preparation { throw refusal }
        self.position = position
        switch operation.verb {
        case .create:
            return try create(operation, position: position, into: &answer)
        case .modify(let createsMissing, let replacesAll):
            return try modify(
                operation, createsMissing: createsMissing, replacesAll: replacesAll, position: position,
                into: &answer)
        case .delete(let forgivesMissing):
            return try delete(operation, forgivesMissing: forgivesMissing, position: position, into: &answer)
        }
    }

    func find(_ name: RecordName, zone: ZoneID) throws(RecordError) -> StoredRecord? {
        try transaction.records.find(zone: zone, name: name.text)
    }

    /// The zone of the request, made if it is the first write to a private database.
    func zoneForWriting() throws(RecordError) -> ZoneID {
        if let zone = try existingZone() { return zone }
        guard address.zone == .defaultZone, case .privateDatabase = address.scope else { throw .zoneNotFound }
        try transaction.ensureSavepoint()
        let key = address.key
        // The account may have gone since the request came; nothing would ever take the zone away.
        guard try transaction.account(key.owner) != nil else { throw .tokenRejected }
        let generation = try transaction.nextSequence()
        let added = try transaction.zones.add(
            scope: key.scope, owner: key.owner, name: address.zone.text, generation: generation)
        zone = added.id
        return added.id
    }

    func existingZone() throws(RecordError) -> ZoneID? {
        if let zone { return zone }
        if address == .publicDefault {
            zone = ZoneTable.publicDefault
        } else {
            guard address.zone == .defaultZone else { throw .zoneNotFound }
            let key = address.key
            zone = try transaction.zones.find(scope: key.scope, owner: key.owner, name: address.zone.text)?.id
        }
        return zone
    }

    /// Adds notices about a record's fields to the answer.
    func note(_ notices: [WriteNotice], of name: String) {
        for var notice in notices where self.notices.count < Limits.writeNotices {
            notice.recordName = name
            self.notices.append(notice)
        }
    }

    /// Forgets all notices but the first ones: their operations were undone.
    func forgetNotices(from count: Int) {
        notices.removeSubrange(count...)
    }

    /// Forgets what an operation left behind that was undone.
    func undo() {
        checks.removeAll()
        claims.removeAll()
        // It may have made the zone.
        zone = nil
    }
}
