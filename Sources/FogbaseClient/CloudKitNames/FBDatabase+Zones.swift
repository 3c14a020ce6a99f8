internal import RecordModel

extension FBDatabase {
    /// Saves a zone. If the zone exists, it stays as it is.
    ///
    /// - Throws: `FBError` with the code `invalidArguments` if the name is not valid, or for the public database.
    @discardableResult
    public func save(_ zone: FBRecordZone) async throws -> FBRecordZone {
        try await translating {
            let name = try database(of: zone.zoneID).zoneName
            guard name != Zone.defaultName else { return zone }
            return FBRecordZone(zoneID: FBRecordZone.ID(try await database.zones.create(name)))
        }
    }

    /// Deletes a zone with all its records.
    ///
    /// - Throws: `FBError` with the code `zoneNotFound` if there is no such zone.
    @discardableResult
    public func deleteRecordZone(withID id: FBRecordZone.ID) async throws -> FBRecordZone.ID {
        try await translating {
            try await database.zones.delete(try database(of: id).zoneName)
            return id
        }
    }

    /// Fetches a zone.
    ///
    /// - Throws: `FBError` with the code `zoneNotFound` if there is no such zone.
    public func recordZone(for id: FBRecordZone.ID) async throws -> FBRecordZone {
        try await translating {
            FBRecordZone(zoneID: FBRecordZone.ID(try await database.zones.fetch(try database(of: id).zoneName)))
        }
    }

    /// Fetches several zones, each with a request of its own.
    ///
    /// - Throws: `CancellationError` only, as an `FBError`.
    public func recordZones(
        for ids: [FBRecordZone.ID]
    ) async throws -> [FBRecordZone.ID: Result<FBRecordZone, any Error>] {
        var results: [FBRecordZone.ID: Result<FBRecordZone, any Error>] = [:]
        for id in ids { results[id] = try await result { try await recordZone(for: id) } }
        return results
    }

    /// Fetches all zones of the database, the default zone first.
    ///
    /// - Throws: `FBError` with the code `notAuthenticated` if no user is signed in.
    public func allRecordZones() async throws -> [FBRecordZone] {
        try await translating {
            try await database.zones.all().map { FBRecordZone(zoneID: FBRecordZone.ID($0)) }
        }
    }

    /// Saves and deletes several zones, each with a request of its own.
    ///
    /// - Returns: A result for each zone.
    /// - Throws: `CancellationError` only, as an `FBError`.
    public func modifyRecordZones(
        saving zones: [FBRecordZone], deleting ids: [FBRecordZone.ID]
    ) async throws -> (
        saveResults: [FBRecordZone.ID: Result<FBRecordZone, any Error>],
        deleteResults: [FBRecordZone.ID: Result<Void, any Error>]
    ) {
        var saved: [FBRecordZone.ID: Result<FBRecordZone, any Error>] = [:]
        for zone in zones { saved[zone.zoneID] = try await result { try await save(zone) } }
        var deleted: [FBRecordZone.ID: Result<Void, any Error>] = [:]
        for id in ids {
            deleted[id] = try await result { _ = try await deleteRecordZone(withID: id) }
        }
        return (saved, deleted)
    }

    /// Returns the result of a call. Cancellation is thrown.
    private func result<Value>(_ body: () async throws -> Value) async throws -> Result<Value, any Error> {
        do {
            return .success(try await body())
        } catch {
            if (error as? FBError)?.code == .operationCancelled { throw error }
            return .failure(error)
        }
    }
}

// MARK: - Changes

extension FBDatabase {
    /// The changes of a database's zones (`CKDatabase.DatabaseChange`).
    public enum DatabaseChange {
        /// A zone that is new, or has changed records.
        public struct Modification: Hashable, Sendable {
            /// The identifier of the zone.
            public let zoneID: FBRecordZone.ID
        }

        /// A zone that was deleted with its records.
        public struct Deletion: Hashable, Sendable {
            /// The identifier of the zone.
            public let zoneID: FBRecordZone.ID
        }
    }

    /// The changes of a zone's records (`CKDatabase.RecordZoneChange`).
    public enum RecordZoneChange {
        /// A record that was created or changed.
        public struct Modification: Sendable {
            /// The record in its current state.
            public let record: FBRecord
        }

        /// A record that was deleted.
        public struct Deletion: Hashable, Sendable {
            /// The identifier of the record, with its type.
            public let recordID: FBRecord.ID
            /// The record type.
            public let recordType: String
        }
    }

    /// Fetches which zones of a private database have changed.
    ///
    /// A zone that was deleted and created again is in both lists. Process the deletions first.
    ///
    /// - Parameters:
    ///   - token: The token of the last page; `nil` starts from the beginning.
    ///   - resultsLimit: The maximum number of zones; `nil` uses the server's default.
    /// - Throws: `FBError` with the code `changeTokenExpired` if the token has expired: start over without one.
    public func databaseChanges(
        since token: FBServerChangeToken?, resultsLimit: Int? = nil
    ) async throws -> (
        modifications: [DatabaseChange.Modification], deletions: [DatabaseChange.Deletion],
        changeToken: FBServerChangeToken, moreComing: Bool
    ) {
        try await following {
            let page = try await database.zones.changes(
                since: token.map { ZoneChangeToken($0.text) }, limit: resultsLimit)
            var modifications: [DatabaseChange.Modification] = []
            var deletions: [DatabaseChange.Deletion] = []
            for change in page.changes {
                let id = FBRecordZone.ID(change.zone)
                switch change {
                case .changed: modifications.append(DatabaseChange.Modification(zoneID: id))
                case .deleted: deletions.append(DatabaseChange.Deletion(zoneID: id))
                }
            }
            return (modifications, deletions, FBServerChangeToken(text: page.token.text), page.moreComing)
        }
    }

    /// Fetches the changes of a zone's records.
    ///
    /// - Parameters:
    ///   - zoneID: The zone.
    ///   - token: The token of the last page of this zone; `nil` starts from the beginning.
    ///   - desiredKeys: The fields to send; `nil` requests all fields.
    ///   - resultsLimit: The maximum number of changes; `nil` uses the server's default.
    /// - Throws: `FBError` with the code `changeTokenExpired` if the token has expired, or is of an earlier zone with this
    ///   name: start over without one. `zoneNotFound` if there is no such zone.
    public func recordZoneChanges(
        inZoneWith zoneID: FBRecordZone.ID, since token: FBServerChangeToken?, desiredKeys: [String]? = nil,
        resultsLimit: Int? = nil
    ) async throws -> (
        modificationResultsByID: [FBRecord.ID: Result<RecordZoneChange.Modification, any Error>],
        deletions: [RecordZoneChange.Deletion], changeToken: FBServerChangeToken, moreComing: Bool
    ) {
        try await following {
            let page = try await database(of: zoneID).changes(
                since: token.map { ChangeToken($0.text) }, limit: resultsLimit, fields: desiredKeys)
            var modified: [FBRecord.ID: Result<RecordZoneChange.Modification, any Error>] = [:]
            for record in page.changed {
                let record = FBRecord(record, zoneID: zoneID)
                modified[record.recordID] = .success(RecordZoneChange.Modification(record: record))
            }
            let deletions = page.deleted.map { record in
                RecordZoneChange.Deletion(
                    recordID: FBRecord.ID(recordName: record.name, recordType: record.recordType, zoneID: zoneID),
                    recordType: record.recordType)
            }
            return (modified, deletions, FBServerChangeToken(text: page.token.text), page.moreComing)
        }
    }

    /// Executes a call with a token. A token of an earlier zone, or of another user, counts as expired, because apps start
    /// over then.
    private func following<Value>(_ body: () async throws -> Value) async throws -> Value {
        do {
            return try await body()
        } catch {
            if let error = error as? FogbaseError, error.isOfToken { throw FBError(.changeTokenExpired, error) }
            throw FBError.translated(error)
        }
    }
}
