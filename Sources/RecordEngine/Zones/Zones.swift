package import RecordModel
internal import RecordStorage

/// Creates and deletes custom zones.
package struct Zones: Sendable {
    let database: RecordDatabase

    /// Returns all zones of a database, each with the sync token of its newest change. Reads on a thread of the reader
    /// pool, because a database may have thousands of zones.
    ///
    /// - Throws: ACCESS_DENIED or AUTHENTICATION_REQUIRED; TRY_AGAIN_LATER if the pool is busy.
    package func all(in scope: DatabaseScope, for caller: Caller) async throws(RecordError) -> [Zone] {
        try await database.queries.pool.read(database, for: PoolUser(caller, nil)) { reader throws(RecordError) in
            try reader.zones.all(in: scope, for: try reader.callers.current(caller))
        }
    }

    /// Creates a custom zone. Does nothing if the zone exists.
    ///
    /// - Parameters:
    ///   - rightsVersion: The rights version with which the caller was authenticated; see `WriteRequest`.
    /// - Returns: The zone, and whether it is new.
    /// - Throws: BAD_REQUEST for the public database, for a reserved name, or with cause TOO_LARGE for too many zones;
    ///   ACCESS_DENIED; AUTHENTICATION_FAILED if the account is deleted.
    package func create(
        _ address: DatabaseAddress, by caller: Caller, rightsVersion: UInt64? = nil
    ) async throws(RecordError) -> (zone: Zone, isNew: Bool) {
        try await database.write { transaction throws(RecordError) in
            try ZoneWriter(transaction).create(address, by: caller, rightsVersion)
        }
    }

    /// Deletes a custom zone with all its records.
    ///
    /// When this function returns, no caller finds the zone, and its name is free. Sliced work then deletes the records.
    ///
    /// - Parameters:
    ///   - rightsVersion: The rights version with which the caller was authenticated; see `WriteRequest`.
    /// - Throws: BAD_REQUEST for a default zone; ZONE_NOT_FOUND; ACCESS_DENIED.
    package func remove(
        _ address: DatabaseAddress, by caller: Caller, rightsVersion: UInt64? = nil
    ) async throws(RecordError) {
        try await database.write(frees: true) { transaction throws(RecordError) in
            try ZoneWriter(transaction).remove(address, by: caller, rightsVersion)
        }
        finishRemovals()
    }

    /// Starts the work that deletes the records of deleted zones, and returns at once.
    package func finishRemovals() {
        database.slices.begin(database.zoneRemovalWork, in: database)
    }

    /// Waits until the records of deleted zones are deleted, the work has failed or the database is closed.
    package func removalsAreDone() async {
        await database.slices.wait(for: database.zoneRemovalWork)
    }
}

/// Creates and deletes custom zones in a transaction.
struct ZoneWriter {
    private let transaction: WriteTransaction

    private var zones: ZoneTable { transaction.zones }

    init(_ transaction: WriteTransaction) {
        self.transaction = transaction
    }

    func create(
        _ address: DatabaseAddress, by caller: Caller, _ rightsVersion: UInt64?
    ) throws(RecordError) -> (zone: Zone, isNew: Bool) {
        guard case .privateDatabase(let owner) = address.scope else {
            throw .badRequest(
                "The public database has no zones but _defaultZone. Create zones with database=private",
                details: [("parameter", .text("database"))])
        }
        try allow(caller, rightsVersion, owner)
        guard !address.zone.isReserved else {
            throw .badRequest(
                "Names of zones that begin with _ are the server's. Choose another name",
                details: [("zoneName", .text(address.zone.text))])
        }
        // The account may have been deleted since the request arrived.
        guard let account = try transaction.store.accounts.find(id: owner) else { throw .tokenRejected }
        if let id = try zones.find(scope: 1, owner: owner, name: address.zone.text)?.id,
            let known = try zones.custom(id)
        {
            return (Zone(name: known.name, owner: account.recordName, created: known.created), false)
        }
        let limit = Limits.customZones
        guard try zones.countCustom(of: owner, limit: limit) < limit else {
            throw .badRequest(
                "The database has as many zones as it may have. Delete one first", cause: .tooLarge,
                details: [("limit", .number(Int64(limit)))])
        }
        let now = transaction.now
        _ = try zones.add(
            scope: 1, owner: owner, name: address.zone.text, generation: try transaction.nextSequence(), created: now)
        transaction.noteChange(ofZonesIn: address.scope)
        return (Zone(name: address.zone.text, owner: account.recordName, created: now), true)
    }

    func remove(_ address: DatabaseAddress, by caller: Caller, _ rightsVersion: UInt64?) throws(RecordError) {
        guard case .privateDatabase(let owner) = address.scope else { throw Self.defaultZoneStays }
        try allow(caller, rightsVersion, owner)
        guard address.zone != .defaultZone else { throw Self.defaultZoneStays }
        guard let zone = try zones.find(scope: 1, owner: owner, name: address.zone.text) else { throw .zoneNotFound }
        try ShareWriter.removeAll(in: zone.id, address, transaction)
        try zones.detach(zone.id)
        let lost = LostZone(sequence: try transaction.nextSequence(), owner: owner, name: address.zone.text)
        try transaction.store.lostZones.add(lost, of: owner, isShared: false, now: transaction.now)
        transaction.noteChange(ofZonesIn: address.scope)
        // Readers keep the IDs of zones while the version of rights stays the same.
        transaction.rightsChanged = true
    }

    /// Checks that a caller currently may change the zones of an account.
    private func allow(_ caller: Caller, _ rightsVersion: UInt64?, _ owner: UserID) throws(RecordError) {
        let current = try transaction.current(caller, since: rightsVersion)
        guard Authorization.mayEnterPrivateDatabase(current, of: owner) else {
            throw .rejected(current, .write, .privateDatabase)
        }
    }

    private static let defaultZoneStays = RecordError.badRequest(
        "The default zone stays as long as its database. Delete its records instead")
}
