internal import RecordModel
internal import RecordStorage
internal import RecordWire

/// Performs the operations of one request inside the writer's transaction.
///
/// Confined to the writer's thread and to one request.
final class RecordWriter {
    let context: WriteContext
    var answers: AnswerWriter
    /// The operation for which a batch failed, and why.
    var guilty: (position: Int, error: RecordError)?
    var zone: ZoneID?
    /// What the operations so far have promised.
    var checks: [WriteCheck] = []
    /// The records that deletions of this request have taken with them.
    var cascaded = 0
    /// The entries that this request has brought into indexes of lists.
    var memberEntries = 0
    /// The place of the running operation in its request.
    private(set) var position = 0
    /// Whether UNIQUE indexes are asked when all operations are done: an atomic batch may swap two values.
    let checksUniqueLast: Bool
    /// What new records keep of what the operations say.
    let preserves: PreservedMetadata
    /// How many new records have said it.
    var preserved = 0

    var transaction: WriteTransaction { context.transaction }
    var caller: Caller { context.caller }
    var address: DatabaseAddress { context.address }

    init(_ transaction: WriteTransaction, _ request: WriteRequest) {
        context = WriteContext(transaction: transaction, caller: request.caller, address: request.address)
        answers = AnswerWriter(context, request)
        preserves = request.preserves
        checksUniqueLast = request.shape == .batch(isAtomic: true)
    }

    /// Performs one operation and appends its answer.
    ///
    /// References are checked by `runChecks` afterwards: once per operation, or once for an atomic batch, in
    /// which a target that comes later counts.
    func perform(
        _ operation: RecordOperation, position: Int, into answer: inout [UInt8]
    ) throws(RecordError) -> OperationResult {
        if case .refused(let refusal) = operation.preparation { throw refusal }
        self.position = position
        switch operation.verb {
        case .create:
            return try create(operation, into: &answer)
        case .modify(let createsMissing, let replacesAll):
            return try modify(
                operation, createsMissing: createsMissing, replacesAll: replacesAll, into: &answer)
        case .delete(let forgivesMissing):
            return try delete(operation, forgivesMissing: forgivesMissing, into: &answer)
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
        guard try transaction.store.accounts.find(id: key.owner) != nil else { throw .tokenRejected }
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

    /// Checks what the operations so far have promised: VALIDATE references have targets, and deleted records have none.
    func runChecks() throws(RecordError) {
        defer { checks.removeAll() }
        for check in checks {
            do throws(RecordError) {
                try check.run(context)
            } catch {
                guilty = (check.position, error)
                throw error
            }
        }
    }

    /// Forgets what an operation left behind that was undone.
    func undo() {
        checks.removeAll()
        // It may have made the zone.
        zone = nil
    }
}
