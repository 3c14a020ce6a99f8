public import Foundation
internal import RecordWire

/// A database with CloudKit's names (`CKDatabase`), implemented by ``Database``.
public struct FBDatabase: Sendable {
    /// The value of `resultsLimit` for the server's default page size.
    public static let maximumResults = 0

    /// The underlying database. Its zone is not used, because identifiers name their zones.
    public let database: Database

    /// Creates a database with CloudKit's names from an existing database.
    public init(_ database: Database) {
        self.database = database
    }

    /// Fetches a record.
    ///
    /// - Parameter id: The name and type of the record. The type is required.
    /// - Throws: `FBError` with the code `unknownItem` if there is no such record; `invalidArguments` if the type is
    ///   missing.
    public func record(for id: FBRecord.ID) async throws -> FBRecord {
        try await translating {
            let record = try await database(of: id.zoneID).fetch(try Self.type(of: id), id.recordName)
            return FBRecord(record, zoneID: id.zoneID)
        }
    }

    /// Saves a record, after uploading its new files.
    ///
    /// - Throws: `FBError` with the code `serverRecordChanged` if the record has changed since it was read, or if a new
    ///   record has the name of an existing record.
    @discardableResult
    public func save(_ record: FBRecord) async throws -> FBRecord {
        let (saved, _) = try await modifyRecords(saving: [record], deleting: [])
        guard let result = saved[record.recordID] else { return record }
        return try result.get()
    }

    /// Deletes a record, even if the record has changed since it was read.
    ///
    /// - Throws: `FBError` with the code `unknownItem` if there is no such record.
    @discardableResult
    public func deleteRecord(withID id: FBRecord.ID) async throws -> FBRecord.ID {
        let (_, deleted) = try await modifyRecords(saving: [], deleting: [id])
        try deleted[id]?.get()
        return id
    }

    /// Fetches the first page of a query, with the cursor of the next page.
    ///
    /// - Parameters:
    ///   - query: The query.
    ///   - zoneID: The zone of the records. Unlike in CloudKit, `nil` is the default zone: a query has one zone.
    ///   - desiredKeys: The fields to send; `nil` requests all fields.
    ///   - resultsLimit: The maximum number of records.
    /// - Throws: `FBError` with the code `invalidArguments` if the query is invalid.
    public func records(
        matching query: FBQuery, inZoneWith zoneID: FBRecordZone.ID? = nil, desiredKeys: [String]? = nil,
        resultsLimit: Int = maximumResults
    ) async throws -> (matchResults: [(FBRecord.ID, Result<FBRecord, any Error>)], queryCursor: FBQuery.Cursor?) {
        try await page(query, zoneID, nil, desiredKeys, resultsLimit)
    }

    /// Fetches the next page of a query.
    ///
    /// - Throws: `FBError` with the code `changeTokenExpired` if the cursor has expired.
    public func records(
        continuingMatchFrom cursor: FBQuery.Cursor, desiredKeys: [String]? = nil, resultsLimit: Int = maximumResults
    ) async throws -> (matchResults: [(FBRecord.ID, Result<FBRecord, any Error>)], queryCursor: FBQuery.Cursor?) {
        try await page(FBQuery(cursor.query), cursor.zoneID, cursor.token, desiredKeys, resultsLimit)
    }

    private func page(
        _ query: FBQuery, _ zoneID: FBRecordZone.ID?, _ cursor: String?, _ keys: [String]?, _ limit: Int
    ) async throws -> (matchResults: [(FBRecord.ID, Result<FBRecord, any Error>)], queryCursor: FBQuery.Cursor?) {
        try await translating {
            let query = query.state
            let zone = zoneID ?? .default
            var call = Call("POST", "query")
            call.setJSON(try query.body(cursor: cursor, keys: keys, limit: limit == Self.maximumResults ? nil : limit))
            var results: [(FBRecord.ID, Result<FBRecord, any Error>)] = []
            let rest = try await database(of: zone).connection.send(call).readRecords(list: "records") { scanner in
                let record = FBRecord(Record(&scanner), zoneID: zone)
                results.append((record.recordID, .success(record)))
            }
            return (results, rest["cursor"]?.string.map { FBQuery.Cursor(query: query, token: $0, zoneID: zoneID) })
        }
    }

    /// Fetches all records of a query into one array, for apps that do not use cursors.
    ///
    /// - Parameters:
    ///   - query: The query.
    ///   - zoneID: The zone of the records; `nil` is the default zone.
    /// - Throws: `FBError` with the code `invalidArguments` if the query is invalid.
    public func perform(_ query: FBQuery, inZoneWith zoneID: FBRecordZone.ID? = nil) async throws -> [FBRecord] {
        var (results, cursor) = try await records(matching: query, inZoneWith: zoneID, resultsLimit: 1_000)
        while let next = cursor {
            let page = try await records(continuingMatchFrom: next, resultsLimit: 1_000)
            results += page.matchResults
            cursor = page.queryCursor
        }
        return try results.map { try $0.1.get() }
    }

    /// Saves and deletes several records, after uploading their new files.
    ///
    /// - Parameters:
    ///   - records: New records, and fetched records with changes.
    ///   - ids: The records to delete, even if they have changed since they were read.
    ///   - savePolicy: The handling of records that have changed since they were read.
    ///   - atomically: Whether to execute all operations of a zone or none. Unlike in CloudKit, atomic batches also work
    ///     in default zones and in the public database.
    /// - Returns: A result for each record. If an atomic batch is rejected, the results contain the errors.
    /// - Throws: `FBError` if a file could not be uploaded or a whole request failed.
    public func modifyRecords(
        saving records: [FBRecord], deleting ids: [FBRecord.ID], savePolicy: SavePolicy = .ifServerRecordUnchanged,
        atomically: Bool = true
    ) async throws -> (
        saveResults: [FBRecord.ID: Result<FBRecord, any Error>], deleteResults: [FBRecord.ID: Result<Void, any Error>]
    ) {
        try await translating {
            let zones = Set(records.map(\.recordID.zoneID) + ids.map(\.zoneID))
            // The server adds its record to conflicts in the zone of the request, so one zone alone is that of the request.
            let target = try zones.count == 1 ? zones.first.map(database(of:)) : database(of: .default)
            guard let target else { return ([:], [:]) }
            func zoneName(_ id: FBRecordZone.ID) throws -> String? {
                zones.count == 1 ? nil : try database(of: id).zoneName
            }
            var batch = Batch()
            var saves: [(FBRecord, Batch.Item<Record>)] = []
            var deletions: [(FBRecord.ID, Batch.Item<Void>)] = []
            for record in records {
                let zone = try zoneName(record.recordID.zoneID)
                let ready = try await ready(record, in: target)
                saves.append((record, try batch.save(ready, policy: savePolicy, zone: zone)))
            }
            for id in ids {
                let zone = try zoneName(id.zoneID)
                let item =
                    try id.recordType.map { try batch.delete($0, id.recordName, zone: zone) }
                    ?? batch.delete(named: id.recordName, zone: zone)
                deletions.append((id, item))
            }
            let outcome =
                try await atomically ? target.performInZones(batch) : target.perform(batch, atomically: false)
            var saved: [FBRecord.ID: Result<FBRecord, any Error>] = [:]
            for (record, item) in saves {
                let id = record.recordID
                saved[id] = Result { try outcome[item] }.map { result in
                    record.didSave(result)
                    return record
                }.mapError { FBError.translated($0, zoneID: id.zoneID) }
            }
            var deleted: [FBRecord.ID: Result<Void, any Error>] = [:]
            for (id, item) in deletions {
                deleted[id] = Result { try outcome[item] }.mapError { FBError.translated($0, zoneID: id.zoneID) }
            }
            return (saved, deleted)
        }
    }

    /// Downloads the file of an asset.
    ///
    /// - Returns: The URL of the downloaded file in the directory for temporary files. The caller must delete the file.
    ///   For an asset with a ``FBAsset/fileURL``, nothing is downloaded and the result is that URL.
    /// - Throws: `FBError` if the download failed.
    public func fileURL(of asset: FBAsset) async throws -> URL {
        if let file = asset.fileURL { return file }
        return try await translating {
            guard let known = asset.asset else { throw FogbaseError.invalidArgument("The asset has no file") }
            let file = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
            try await database.download(.asset(known), to: file)
            return file
        }
    }

    /// Uploads the new files of a record, and returns the record with the uploaded assets in its fields.
    private func ready(_ record: FBRecord, in database: Database) async throws -> Record {
        var ready = record.record
        for (field, file) in record.pendingFiles {
            guard let url = file.fileURL else { continue }
            ready[field] = try await database.upload(url)
        }
        return ready
    }

    private static func type(of id: FBRecord.ID) throws -> String {
        guard let type = id.recordType else {
            throw FogbaseError.invalidArgument(
                "FBRecord.ID(recordName: \"\(id.recordName)\") needs a recordType: records are asked for by type and name"
            )
        }
        return type
    }

    /// Returns the zone with an identifier.
    ///
    /// - Throws: `FogbaseError.invalidArgument` if the name is not valid, or the zone has another owner.
    func database(of zoneID: FBRecordZone.ID) throws -> Database {
        guard zoneID.ownerName == FBCurrentUserDefaultName else {
            throw FogbaseError.invalidArgument(
                "Zone '\(zoneID.zoneName)' is of '\(zoneID.ownerName)'. The zones of other users cannot be read: leave out ownerName"
            )
        }
        return try database.zone(zoneID.zoneName)
    }

    func translating<Value>(_ body: () async throws -> Value) async throws -> Value {
        do { return try await body() } catch { throw FBError.translated(error) }
    }
}

extension SavePolicy {
    // CloudKit's names (`CKModifyRecordsOperation.RecordSavePolicy`).
    /// Throws a conflict if the record has changed since it was read (``ifUnchanged``).
    public static var ifServerRecordUnchanged: SavePolicy { .ifUnchanged }
    /// Saves the changed fields, even if the record has changed since it was read (``changedFields``).
    public static var changedKeys: SavePolicy { .changedFields }
    /// Saves all fields that the local record has (``allFields``).
    public static var allKeys: SavePolicy { .allFields }
}
