internal import Cryptography
package import RecordModel
internal import RecordStorage
package import RecordWire
internal import TextTables
internal import Threads

/// Imports and exports: jobs that read records from files and write them to files.
package struct Transfers {
    let reader: RecordReader

    var database: RecordDatabase { reader.database }

    /// Starts a job that imports a file.
    ///
    /// - Parameters:
    ///   - file: The value that an upload of the caller has returned.
    ///   - address: The database and zone of the records.
    /// - Throws: AUTHENTICATION_REQUIRED for an anonymous caller; BAD_REQUEST with cause TOKEN_INVALID for a file that the
    ///   caller has not uploaded, with cause UNKNOWN_NAME for fields that production does not have; TRY_AGAIN_LATER if
    ///   too many jobs are unfinished; QUOTA_EXCEEDED if the files of the caller's jobs take too much room;
    ///   INTERNAL_ERROR.
    package func importFile(
        _ file: Asset, _ task: ImportTask, by actor: AuditActor, in address: DatabaseAddress
    ) async throws(RecordError) -> JobInfo {
        let caller = actor.caller
        try checkColumns(of: task)
        if task.isContainer { try requireContainers(of: caller, in: address) }
        let (asset, filename) = try uploaded(file, by: caller, in: address)
        let task = task.of(filename ?? "", size: asset.size)
        let (database, name) = (database, SecretToken.makePublicID())
        // Until the job is there, its files belong to no job.
        database.assetStore.begin(name)
        defer { database.assetStore.end(name) }
        try await database.assetStore.run { () throws(RecordError) in
            if task.isContainer { try ContainerSource.check(asset, in: database) }
            do throws(AssetFileError) {
                try database.assetStore.jobFiles.keep(asset.name, for: name)
            } catch {
                throw error.isMissing ? .receiptRejected(field: "file") : database.assets.failure(error)
            }
        }
        return try await database.jobs.create(
            .importing(task), for: caller, in: address, total: nil, key: nil, name: name
        ) { transaction throws(RecordError) in
            // Others' records are new, so that their import is a write like any other.
            guard !task.isDryRun, Authorization.authorize(caller, .changeRights) == .allowed else { return }
            try transaction.auditLog.append(
                .recordsImport, task.type?.text ?? "", by: actor,
                detail: JSONObject([("job", .string(name)), ("file", .string(task.name))]))
        }
    }

    /// Starts a job that exports the records of a query.
    ///
    /// - Throws: AUTHENTICATION_REQUIRED for an anonymous caller; ACCESS_DENIED for a whole container without the right
    ///   to download backups; the errors of the query; TRY_AGAIN_LATER if too many jobs are unfinished; QUOTA_EXCEEDED if
    ///   the files of the caller's jobs take too much room.
    package func export(
        _ task: ExportTask, by actor: AuditActor, in address: DatabaseAddress
    ) async throws(RecordError) -> JobInfo {
        let caller = actor.caller
        guard let type = task.type else {
            try requireContainers(of: caller, in: address)
            let name = SecretToken.makePublicID()
            return try await database.jobs.create(
                .exporting(task), for: caller, in: address, total: nil, key: nil, name: name
            ) { transaction throws(RecordError) in
                try transaction.auditLog.append(
                    .containerExport, "", by: actor, detail: JSONObject([("job", .string(name))]))
            }
        }
        var request = QueryRequest(caller: caller, address: address, typeName: type, input: task.input)
        request.input.limit = 1
        // Finds mistakes in the query, and adds missing indexes in development.
        _ = try await reader.queries.run(request)
        return try await database.jobs.create(.exporting(task), for: caller, in: address, total: nil, key: nil)
    }

    /// Checks that a caller may load and save everything: with the hashes of passwords and what only owners see.
    ///
    /// - Parameter address: The database of the request, which must be the default; `nil` for no check.
    /// - Throws: ACCESS_DENIED or AUTHENTICATION_REQUIRED; BAD_REQUEST for another database.
    func requireContainers(of caller: Caller, in address: DatabaseAddress? = nil) throws(RecordError) {
        if let address, address != .publicDefault {
            throw .badRequest(
                "A container has all databases. Leave 'database', 'owner' and 'zone' out",
                details: [("parameter", .text("database"))])
        }
        guard Authorization.authorize(caller, .downloadBackups) == .allowed else {
            throw RecordError(
                Authorization.rejection(of: caller) == .denied ? .accessDenied : .authenticationRequired,
                "The file of a whole container has the hashes of passwords and all private databases. It takes the right downloadBackups",
                details: [("right", .text(AdministratorOperation.downloadBackups.rawValue))])
        }
    }

    /// Finds the file of an upload.
    ///
    /// - Throws: BAD_REQUEST with cause TOKEN_INVALID.
    func uploaded(
        _ file: Asset, by caller: Caller, in address: DatabaseAddress
    ) throws(RecordError) -> (row: AssetRow, filename: String?) {
        guard let receipt = file.receipt,
            let number = UploadToken.open(receipt, caller, address, for: nil, with: database.keys),
            let claim = try reader.store.assets.claim(number), claim.uploader == caller.writerID,
            claim.expires > WallClock.milliseconds, let hash = Digest(base64: file.fileChecksum),
            let row = try reader.store.assets.find(hash), claim.asset == row.id
        else { throw .receiptRejected(field: "file") }
        return (row, claim.filename)
    }

    /// Rejects columns of a table that production has no fields for. Otherwise each row would be rejected.
    private func checkColumns(of task: ImportTask) throws(RecordError) {
        guard case .table(_, let mapping) = task.format, database.environment == .production else { return }
        guard let type = reader.schema[mapping.recordType] else { throw .unknownType(mapping.recordType) }
        let missing = mapping.columns.compactMap(\.fieldName).filter { type[$0.text] == nil }
        guard let first = missing.first else { return }
        throw .badRequest(
            "Production has no field \(missing.map(\.text).joined(separator: ", ")) of \(type.name). Add it with PUT /schema or a promotion, or skip its column",
            cause: .unknownName, details: [("field", .text(first.text))])
    }

    // MARK: Results

    /// Returns the rows that an import has rejected, in the order of the file.
    ///
    /// - Parameter line: Only rows after this line.
    /// - Returns: The rows as JSON objects, and the line after which the next page begins.
    /// - Throws: NOT_FOUND for an unknown job, or one whose rows the caller may not see.
    package func rejections(
        of job: String, after line: Int64, limit: Int, for caller: Caller
    ) throws(RecordError) -> (rows: [JSONValue], next: Int64?) {
        let row = try reader.jobs.own(job, .importRecords, for: caller)
        let rows = try reader.store.jobs.rejections(of: row.id, after: line, limit: limit + 1)
        let shown = rows.prefix(limit).map { rejection -> JSONValue in
            var object = JSONObject([("line", .integer(rejection.line))])
            for member in (try? JSONValue.parse(rejection.error))?.object?.members ?? [] {
                object[member.key] = member.value
            }
            return .object(object)
        }
        return (shown, rows.count > limit ? rows[limit - 1].line : nil)
    }

    /// Opens the file that an export has written.
    ///
    /// - Throws: NOT_FOUND for an unknown job, or one of another caller; CONFLICT if the export has not succeeded.
    package func result(
        of job: String, for caller: Caller
    ) throws(RecordError) -> OpenAsset {
        let row = try reader.jobs.own(job, .exportRecords, for: caller)
        guard row.state == .succeeded, case .exporting(let task) = try JobTask(stored: row.task) else {
            throw RecordError(
                .conflict, "The file is complete when the job has succeeded",
                details: [("state", .text(row.state.rawValue))])
        }
        let files = database.assetStore.jobFiles
        let file: OpenAssetFile?
        do throws(AssetFileError) { file = try files.open(.result, of: job) } catch {
            throw database.assets.failure(error)
        }
        guard let file else {
            throw RecordError(.notFound, "The file of the export was deleted. Export again")
        }
        return OpenAsset(
            file: file, size: file.size, hash: SHA256.hash(utf8: job), mediaType: task.mediaType, display: .attachment,
            filename: task.filename, secondsLeft: nil, picture: nil)
    }
}
