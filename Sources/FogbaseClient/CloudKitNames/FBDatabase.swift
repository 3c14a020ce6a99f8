public import Foundation
internal import RecordWire

/// A database with CloudKit's names (`CKDatabase`). All it does it does by `Database`, to which it leads.
public struct FBDatabase: Sendable {
    /// The size of a page.
    public static let maximumResults = 0

    /// What the names stand for.
    public let database: Database

    /// The same database under CloudKit's names.
    public init(_ database: Database) {
        self.database = database
    }

    /// Reads a record by its name and its type, which the identifier has to say.
    public func record(for id: FBRecord.ID) async throws -> FBRecord {
        try await translating { FBRecord(try await database.fetch(try Self.type(of: id), id.recordName)) }
    }

    /// Saves a record; its files are uploaded first.
    @discardableResult
    public func save(_ record: FBRecord) async throws -> FBRecord {
        let (saved, _) = try await modifyRecords(saving: [record], deleting: [])
        guard let result = saved[record.recordID] else { return record }
        return try result.get()
    }

    /// Deletes a record, whatever its state. To delete one that is not there is an error (`unknownItem`).
    @discardableResult
    public func deleteRecord(withID id: FBRecord.ID) async throws -> FBRecord.ID {
        let (_, deleted) = try await modifyRecords(saving: [], deleting: [id])
        try deleted[id]?.get()
        return id
    }

    /// Finds records: a page of them, and where the next begins.
    public func records(
        matching query: FBQuery, desiredKeys: [String]? = nil, resultsLimit: Int = maximumResults
    ) async throws -> (matchResults: [(FBRecord.ID, Result<FBRecord, any Error>)], queryCursor: FBQuery.Cursor?) {
        try await page(query, nil, desiredKeys, resultsLimit)
    }

    /// The page behind another.
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

    /// All records that a query finds, in one list; for apps that were written without pages.
    public func perform(_ query: FBQuery) async throws -> [FBRecord] {
        var (results, cursor) = try await records(matching: query, resultsLimit: 1_000)
        while let next = cursor {
            let page = try await records(continuingMatchFrom: next, resultsLimit: 1_000)
            results += page.matchResults
            cursor = page.queryCursor
        }
        return try results.map { try $0.1.get() }
    }

    /// Saves and deletes several records; the files of those to save are uploaded first.
    ///
    /// - Parameters:
    ///   - records: New ones, and such as were read and changed.
    ///   - ids: What to delete, whatever its state.
    ///   - savePolicy: What a save does when the record has changed since it was read.
    ///   - atomically: All or nothing, in the public database too.
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

    /// Loads a file that a record has.
    ///
    /// - Returns: Where it is, in the folder for temporary files; whoever asked takes it away.
    public func fileURL(of asset: FBAsset) async throws -> URL {
        if let file = asset.fileURL { return file }
        return try await translating {
            guard let known = asset.asset else { throw FogbaseError.invalidArgument("The asset has no file") }
            let file = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
            try await database.download(.asset(known), to: file)
            return file
        }
    }

    /// The record with its files uploaded.
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
    /// The save is refused if the record has changed since it was read (``ifUnchanged``).
    public static var ifServerRecordUnchanged: SavePolicy { .ifUnchanged }
    /// What was changed is written, whatever has become of the rest (``changedFields``).
    public static var changedKeys: SavePolicy { .changedFields }
    /// Every field that the app has is written (``allFields``).
    public static var allKeys: SavePolicy { .allFields }
}
