internal import RecordModel
internal import RecordStorage
internal import RecordWire

/// Executes the operations of one request inside the writer's transaction.
///
/// Each request gets a new instance. Confined to the writer's thread.
final class RecordWriter {
    let context: WriteContext
    var responses: WriteResponseBuilder
    /// The operation that made a batch fail, and the operation's error.
    var guilty: (position: Int, error: RecordError)?
    var zone: ZoneID?
    /// The deferred checks of the operations so far.
    var checks: [DeferredCheck] = []
    /// The number of records that this request has deleted by cascade.
    var cascaded = 0
    /// The number of records below deleted ones, and below records that have left a share, that this request has looked
    /// at. They cannot be left to slices.
    var checkedBelow = 0
    /// The number of list index entries that this request has added.
    var memberEntries = 0
    /// The index of the running operation in its request.
    private(set) var position = 0
    /// Whether UNIQUE indexes are checked after all operations. True for atomic batches, which may swap two values.
    let checksUniqueLast: Bool
    /// The stamps that new records take from operations.
    let preserves: PreservedMetadata
    /// Whether the records come from the file of a container; see `WriteRequest`.
    let isRestoring: Bool
    /// The number of new records that took a stamp from an operation.
    var preserved = 0

    var transaction: WriteTransaction { context.transaction }
    var placements: PlacementWriter { PlacementWriter(writer: self) }
    var caller: Caller { context.caller }
    var address: DatabaseAddress { context.address }

    /// Creates the writer of a request, or of its operations in one zone.
    init(_ transaction: WriteTransaction, _ request: WriteRequest, in address: DatabaseAddress? = nil) {
        context = WriteContext(transaction: transaction, caller: request.caller, address: address ?? request.address)
        responses = WriteResponseBuilder(context, request)
        preserves = request.preserves
        isRestoring = request.isRestoring
        checksUniqueLast = request.shape == .batch(isAtomic: true)
    }

    /// Executes one operation and appends the response.
    ///
    /// `runChecks` checks references later: after each operation, or after all operations of an atomic batch. In an
    /// atomic batch, a later operation may create the target of an earlier reference.
    func perform(
        _ operation: RecordOperation, position: Int, into response: inout [UInt8]
    ) throws(RecordError) -> OperationResult {
        if case .rejected(let rejection) = operation.preparation { throw rejection }
        self.position = position
        responses.position = position
        switch operation.verb {
        case .create:
            return try create(operation, into: &response)
        case .modify(let createsMissing, let replacesAll):
            return try modify(
                operation, createsMissing: createsMissing, replacesAll: replacesAll, into: &response)
        case .delete(let ignoresMissing):
            return try delete(operation, ignoresMissing: ignoresMissing, into: &response)
        }
    }

    /// Returns the record or tombstone with a name.
    func find(_ name: RecordName, zone: ZoneID) throws(RecordError) -> StoredRecord? {
        try transaction.records.find(zone: zone, name: name.text)
    }

    /// Returns the zone of the request. The first write to a private database creates it.
    ///
    /// - Throws: ZONE_NOT_FOUND for a custom zone that does not exist; AUTHENTICATION_FAILED if the account is deleted.
    func zoneForWriting() throws(RecordError) -> ZoneID {
        if let zone = try existingZone() { return zone }
        try transaction.ensureSavepoint()
        let key = address.key
        // The account may have been deleted since the request arrived. Nothing would ever delete the new zone then.
        guard try transaction.store.accounts.find(id: key.owner) != nil else { throw .tokenRejected }
        let generation = try transaction.nextSequence()
        let added = try transaction.zones.add(
            scope: key.scope, owner: key.owner, name: address.zone.text, generation: generation)
        zone = added.id
        return added.id
    }

    /// Returns the zone of the request; `nil` for a default zone that does not exist yet.
    ///
    /// - Throws: ZONE_NOT_FOUND for a custom zone that does not exist.
    func existingZone() throws(RecordError) -> ZoneID? {
        if let zone { return zone }
        if address == .publicDefault {
            zone = ZoneTable.publicDefault
        } else {
            let key = address.key
            zone = try transaction.zones.find(scope: key.scope, owner: key.owner, name: address.zone.text)?.id
            guard zone != nil || address.zone == .defaultZone else { throw .zoneNotFound }
        }
        // A participant has rights in one zone.
        if let participation = caller.participation, participation.zone != zone { throw .zoneNotFound }
        return zone
    }

    /// Runs the deferred checks of the operations so far.
    ///
    /// - Throws: The error of the first check that fails. `guilty` is set to the operation of this check.
    func runChecks() throws(RecordError) {
        defer { checks.removeAll() }
        for check in checks {
            do throws(RecordError) {
                try check.run(self)
            } catch {
                guilty = (check.position, error)
                throw error
            }
        }
    }

    /// Discards the state that an operation left in this object, after the transaction has undone the operation.
    func undo() {
        checks.removeAll()
        // The operation may have created the zone.
        zone = nil
    }
}
