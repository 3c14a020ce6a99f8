public import Foundation
internal import RecordWire

/// A database with CloudKit's names (`CKDatabase`), implemented by ``Database``.
public struct FBDatabase: Sendable {
    /// The value of `resultsLimit` for the server's default page size.
    public static let maximumResults = 0

    /// The underlying database.
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
        try await translating { FBRecord(try await database.fetch(try Self.type(of: id), id.recordName)) }
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
    /// - Throws: `FBError` with the code `invalidArguments` if the query is invalid.
    public func records(
        matching query: FBQuery, desiredKeys: [String]? = nil, resultsLimit: Int = maximumResults
    ) async throws -> (matchResults: [(FBRecord.ID, Result<FBRecord, any Error>)], queryCursor: FBQuery.Cursor?) {
        try await page(query, nil, desiredKeys, resultsLimit)
    }

    /// Fetches the next page of a query.
    ///
    /// - Throws: `FBError` with the code `changeTokenExpired` if the cursor has expired.
    public func records(
        continuingMatchFrom cursor: FBQuery.Cursor, desiredKeys: [String]? = nil, resultsLimit: Int = maximumResults
    ) async throws -> (matchResults: [(FBRecord.ID, Result<FBRecord, any Error>)], queryCursor: FBQuery.Cursor?) {
        try await page(FBQuery(cursor.query), cursor.token, desiredKeys, resultsLimit)
    }

    private func page(
        _ query: FBQuery, _ cursor: String?, _ keys: [String]?, _ limit: Int
    ) async throws -> (matchResults: [(FBRecord.ID, Result<FBRecord, any Error>)], queryCursor: FBQuery.Cursor?) {
        try await translating {
            let query = query.state
            var call = Call("POST", "query")
            call.setJSON(try query.body(cursor: cursor, keys: keys, limit: limit == Self.maximumResults ? nil : limit))
            var results: [(FBRecord.ID, Result<FBRecord, any Error>)] = []
            let rest = try await database.connection.send(call).readRecords(list: "records") { scanner in
                let record = FBRecord(Record(&scanner))
                results.append((record.recordID, .success(record)))
            }
            return (results, rest["cursor"]?.string.map { FBQuery.Cursor(query: query, token: $0) })
        }
    }

    /// Fetches all records of a query into one array, for apps that do not use cursors.
    ///
    /// - Throws: `FBError` with the code `invalidArguments` if the query is invalid.
    public func perform(_ query: FBQuery) async throws -> [FBRecord] {
        var (results, cursor) = try await records(matching: query, resultsLimit: 1_000)
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
    ///   - atomically: Whether to execute all operations or none. Unlike in CloudKit, atomic batches also work in the
    ///     public database.
    /// - Returns: A result for each record. If an atomic batch is rejected, the results contain the errors.
    /// - Throws: `FBError` if a file could not be uploaded or a whole request failed.
    public func modifyRecords(
        saving records: [FBRecord], deleting ids: [FBRecord.ID], savePolicy: SavePolicy = .ifServerRecordUnchanged,
        atomically: Bool = true
    ) async throws -> (
        saveResults: [FBRecord.ID: Result<FBRecord, any Error>], deleteResults: [FBRecord.ID: Result<Void, any Error>]
    ) {
        try await translating {
            var batch = Batch()
            var saves: [(FBRecord, Batch.Item<Record>)] = []
            var deletions: [(FBRecord.ID, Batch.Item<Void>)] = []
            for record in records {
                saves.append((record, try batch.save(try await ready(record), policy: savePolicy)))
            }
            for id in ids {
                let item =
                    try id.recordType.map { try batch.delete($0, id.recordName) } ?? batch.delete(named: id.recordName)
                deletions.append((id, item))
            }
            let outcome =
                try await atomically ? database.outcome(of: batch) : database.perform(batch, atomically: false)
            var saved: [FBRecord.ID: Result<FBRecord, any Error>] = [:]
            for (record, item) in saves {
                let id = record.recordID
                saved[id] = Result { try outcome[item] }.map { result in
                    record.didSave(result)
                    return record
                }.mapError(FBError.translated)
            }
            var deleted: [FBRecord.ID: Result<Void, any Error>] = [:]
            for (id, item) in deletions {
                deleted[id] = Result { try outcome[item] }.mapError(FBError.translated)
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
    private func ready(_ record: FBRecord) async throws -> Record {
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

    private func translating<Value>(_ body: () async throws -> Value) async throws -> Value {
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
