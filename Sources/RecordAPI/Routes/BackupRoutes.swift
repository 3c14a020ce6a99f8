internal import HTTP
internal import RecordEngine
internal import RecordModel
internal import RecordWire
internal import Threads

/// The routes for backups. Only the operator's commands may name a path on the server's machine, because such a caller
/// must have access to the machine. Owners may download a backup.
enum BackupRoutes {
    static let routes: [Route] = [
        Route(
            "POST /backup", "startBackup", .operation, "Begins a backup (the operator's commands)", rate: .administer,
            options: .serverWide, body: .json("BackupInput"),
            responses: [.json(202, "Backup", "It is under way"), .error(409, "Another one is under way")]
        ) { call in try await start(&call) },
        Route(
            "GET /backup", "readBackup", .operation,
            "Tells how far the backup is, or what became of the last one (the operator's commands)",
            rate: .administer, options: .serverWide, responses: [.json(200, "Backup", "How far it is")]
        ) { call in try read(call) },
        Route(
            "DELETE /backup", "cancelBackup", .operation,
            "Cancels the backup that is under way (the operator's commands)", rate: .administer, options: .serverWide,
            responses: [.json(200, "Backup", "How far it is")]
        ) { call in try await cancel(call) },
        Route(
            "POST /backup/tests", "noteBackupTest", .operation,
            "Notes what a test of one of the last backups has found (the operator's commands)", rate: .administer,
            options: .serverWide, body: .json("BackupTestInput"),
            responses: [.json(200, "KnownBackup", "The backup"), .error(404, "The server does not know the backup")]
        ) { call in try await noteTest(&call) },
        // The right of Home, which shows the last backup: all roles look after the server there. The list names no
        // path and no content.
        Route(
            "GET /backups", "listBackups", .operation, "Lists the last backups, and what their tests have found",
            rate: .read, right: .readMetrics, options: .serverWide,
            responses: [.json(200, "KnownBackups", "The newest first")]
        ) { call in try list(call) },
        Route(
            "POST /backup/archive", "startBackupArchive", .operation,
            "Begins a backup to download, which replaces the last one (owners)", rate: .administer,
            right: .downloadBackups, options: .serverWide,
            responses: [.json(202, "BackupArchive", "It is under way"), .error(409, "Another backup is under way")]
        ) { call in try await startArchive(call) },
        Route(
            "GET /backup/archive", "readBackupArchive", .operation,
            "Tells how far the backup to download is, and until when it is there (owners)", rate: .read,
            right: .downloadBackups, options: .serverWide,
            responses: [.json(200, "BackupArchive", "How far it is")]
        ) { call in try await readArchive(call) },
        Route(
            "DELETE /backup/archive", "deleteBackupArchive", .operation,
            "Deletes the backup to download, or cancels it (owners)", rate: .administer, right: .downloadBackups,
            options: .serverWide, responses: [.json(200, "BackupArchive", "There is none")]
        ) { call in try await deleteArchive(call) },
        Route(
            "POST /backup/archive/tickets", "makeBackupTicket", .operation,
            "Makes a ticket with which a browser's link downloads the backup (owners)", rate: .administer,
            right: .downloadBackups, options: .serverWide, responses: [.json(201, "FeedTicket", "A ticket")]
        ) { call in call.api.tickets.issue(for: FeedTickets.backupRoute, to: call) },
        Route(
            "GET /backup/archive/file", "downloadBackup", .operation, "Downloads the backup as a tar file (owners)",
            rate: .administer, right: .downloadBackups, options: .serverWide, query: ["ticket"],
            headers: ["range", "ifRange"],
            responses: [
                .bytes(200, "A tar file with a directory that fogbase backup restore reads"),
                .bytes(206, "One range of it, to continue a download"), .error(416, "The range begins after the end"),
            ]
        ) { call in try await download(call) },
    ]

    // MARK: Backups to download

    /// `POST /backup/archive`: starts a backup and responds with status 202.
    static func startArchive(_ call: RecordCall) async throws -> HTTPResponse {
        let (registry, version) = (call.api.registry, call.api.configuration.version)
        let isStarted = try await call.reader.onPool { () throws(RecordError) in
            try registry.archive.start(version: version, of: registry)
        }
        guard isStarted else {
            throw RecordError(
                .conflict, "Another backup of this server is under way. Wait for it, or cancel it")
        }
        return try await archiveDocument(call, status: .accepted)
    }

    /// `GET /backup/archive`: returns the progress of the backup, or its size.
    static func readArchive(_ call: RecordCall) async throws -> HTTPResponse { try await archiveDocument(call) }

    /// `DELETE /backup/archive`: responds after the files are deleted.
    static func deleteArchive(_ call: RecordCall) async throws -> HTTPResponse {
        let archive = call.api.registry.archive
        await archive.cancel()
        try await call.reader.onPool { () throws(RecordError) in try archive.delete() }
        return try await archiveDocument(call)
    }

    /// `GET /backup/archive/file`: responds with the tar file, or with one range of it.
    static func download(_ call: RecordCall) async throws -> HTTPResponse {
        let archive = call.api.registry.archive
        let found = try await call.reader.onPool { () throws(RecordError) in
            try archive.open(at: WallClock.milliseconds)
        }
        guard let file = found else {
            throw RecordError(.notFound, "There is no backup to download. Make one with POST /backup/archive")
        }
        // The archive of one backup has the same bytes at each download.
        let tag = EntityTag(opaque: "\(file.created)-\(file.size)")
        var verdict = RangeVerdict.whole
        if call.request.fields.contains(.range), Preconditions.rangeApplies(call.request.fields, entityTag: tag) {
            verdict = ByteRange.parse(call.request.fields, size: file.size)
        }
        if verdict == .unsatisfiable { throw APIError.rangeNotSatisfiable(size: file.size) }
        try await call.administrators().noteDownload(of: file.name, by: call.actor)
        var fields = HTTPFields()
        fields.append(.contentType, literal: "application/x-tar")
        fields.append(.contentDisposition, "attachment; filename=\"\(file.name)\"")
        fields.append(.cacheControl, literal: "no-store")
        fields.append(.xContentTypeOptions, literal: "nosniff")
        fields.append(.acceptRanges, literal: "bytes")
        if let tag { fields.append(.etag, tag.text) }
        let sender = try TransferSender(call)
        guard case .range(let range) = verdict else {
            return HTTPResponse(
                .ok, fields: fields, body: .stream(length: file.size, BackupBody(file: file, sender: sender)))
        }
        fields.append(.contentRange, ByteRange.contentRange(range, size: file.size))
        file.limit(to: range)
        return HTTPResponse(
            .partialContent, fields: fields,
            body: .stream(length: range.count, BackupBody(file: file, sender: sender)))
    }

    private static func archiveDocument(_ call: RecordCall, status: HTTPStatus = .ok) async throws -> HTTPResponse {
        let archive = call.api.registry.archive
        let state = try await call.reader.onPool { () throws(RecordError) in
            archive.state(at: WallClock.milliseconds)
        }
        let value: JSONValue
        switch state {
        case .none: value = ["state": "none"]
        case .failed(let problem): value = ["state": "failed", "reason": .string("\(problem)")]
        case .running(let progress): value = document(.running(progress))
        case .done(let bytes, let created, let expires):
            value = [
                "state": "done", "bytes": .integer(Int64(bytes)), "created": .integer(created),
                "expires": .integer(expires), "test": document(archive.test(of: created)),
            ]
        }
        return .json(value, status: status)
    }

    /// `POST /backup` with `{"path","copyAssets"?}`: starts a backup and responds with status 202.
    static func start(_ call: inout RecordCall) async throws -> HTTPResponse {
        try call.requireOperator()
        let object = try await call.object(keys: ["path", "copyAssets"], upTo: 16_384)
        guard let path = object["path"]?.string else {
            throw RecordError.badRequest("'path' is the absolute path of the new directory, a string")
        }
        let request = BackupRequest(
            path: path, copiesAssets: object["copyAssets"]?.bool ?? false, version: call.api.configuration.version)
        guard call.api.registry.backups.start(request, of: call.api.registry) else {
            throw RecordError(
                .conflict, "Another backup of this server is under way. Wait for it, or end the command that makes it")
        }
        return .json(document(call.api.registry.backups.state), status: .accepted)
    }

    /// `GET /backup`: returns the progress of the current backup, or the result of the last backup.
    static func read(_ call: RecordCall) throws -> HTTPResponse {
        try call.requireOperator()
        return .json(document(call.api.registry.backups.state))
    }

    /// `DELETE /backup`: cancels the backup. Responds after its files are deleted.
    static func cancel(_ call: RecordCall) async throws -> HTTPResponse {
        try call.requireOperator()
        await call.api.registry.backups.cancel()
        return .json(document(call.api.registry.backups.state))
    }

    // MARK: The last backups

    /// `GET /backups`: returns the last backups, newest first.
    static func list(_ call: RecordCall) throws -> HTTPResponse {
        .json(["backups": .array(try call.administrators().backups.map(document))])
    }

    /// `POST /backup/tests` with `{"created","problems","problem"?}`: remembers the result of `fogbase backup verify`.
    static func noteTest(_ call: inout RecordCall) async throws -> HTTPResponse {
        try call.requireOperator()
        let object = try await call.object(keys: ["created", "problems", "problem"], upTo: 16_384)
        guard let created = object["created"]?.integer else {
            throw RecordError.badRequest("'created' is the time of the backup's manifest, in milliseconds since 1970")
        }
        guard let problems = object["problems"]?.integer.flatMap({ Int(exactly: $0) }), problems >= 0 else {
            throw RecordError.badRequest("'problems' is the number of problems that the test has found")
        }
        if let problem = object["problem"], problem.string == nil {
            throw RecordError.badRequest("'problem' is a sentence about the first problem")
        }
        let test = RememberedBackup.Test(
            tested: WallClock.milliseconds, problems: problems, problem: object["problem"]?.string)
        guard let backup = await call.api.registry.remember(test, of: created) else {
            throw RecordError(.notFound, "The server does not know the backup: it is not one of the last ones")
        }
        return .json(document(backup))
    }

    private static func document(_ backup: RememberedBackup) -> JSONValue {
        var object = JSONObject([
            ("created", .integer(backup.created)), ("kind", .string(backup.kind.rawValue)),
            ("name", .string(backup.name)), ("bytes", .integer(backup.bytes)),
        ])
        if let test = backup.test { write(test, to: &object) }
        return .object(object)
    }

    private static func write(_ test: RememberedBackup.Test, to object: inout JSONObject) {
        object["tested"] = .integer(test.tested)
        object["problems"] = .integer(Int64(test.problems))
        if let problem = test.problem { object["problem"] = .string(problem) }
    }

    private static func document(_ state: BackupTester.State) -> JSONValue {
        switch state {
        case .none: return ["state": "none"]
        case .running(let activity, let done, let total):
            return [
                "state": "running", "activity": .string(activity), "done": .integer(Int64(done)),
                "total": .integer(Int64(total)),
            ]
        case .done(let test):
            var object = JSONObject([("state", test.problems == 0 ? "complete" : "damaged")])
            write(test, to: &object)
            return .object(object)
        }
    }

    private static func document(_ state: Backups.State) -> JSONValue {
        switch state {
        case .none: return ["state": "none"]
        case .failed(let problem): return ["state": "failed", "reason": .string("\(problem)")]
        case .running(let progress):
            return [
                "state": "running", "activity": .string(progress.activity), "unit": .string(progress.unit),
                "done": .integer(Int64(progress.done)), "total": .integer(Int64(progress.total)),
            ]
        case .done(let path, let manifest):
            let value = (try? JSONValue.parse(manifest.json)) ?? .null
            return ["state": "done", "path": .string(path), "manifest": value]
        }
    }

    static let schemas: StaticString = #"""
        "BackupInput":{"type":"object","required":["path"],"properties":{
        "path":{"type":"string","description":"The absolute path of a new directory on the server's machine"},
        "copyAssets":{"type":"boolean","description":"Copies files of assets, also where they could be linked"}}},
        "Backup":{"type":"object","required":["state"],"properties":{
        "state":{"type":"string","enum":["none","running","done","failed"]},"reason":{"type":"string"},
        "activity":{"type":"string"},"unit":{"type":"string"},"done":{"type":"integer"},"total":{"type":"integer"},
        "path":{"type":"string"},"manifest":{"type":"object"}}},
        "BackupArchive":{"type":"object","required":["state"],"properties":{
        "state":{"type":"string","enum":["none","running","done","failed"]},"reason":{"type":"string"},
        "activity":{"type":"string"},"unit":{"type":"string"},"done":{"type":"integer"},"total":{"type":"integer"},
        "bytes":{"type":"integer"},"created":{"type":"integer"},
        "expires":{"type":"integer","description":"When the server deletes it"},
        "test":{"type":"object","required":["state"],"properties":{
        "state":{"type":"string","enum":["none","running","complete","damaged"]},
        "activity":{"type":"string"},"done":{"type":"integer"},"total":{"type":"integer","description":"0: unknown"},
        "tested":{"type":"integer"},"problems":{"type":"integer"},"problem":{"type":"string"}}}}},
        "BackupTestInput":{"type":"object","required":["created","problems"],"properties":{
        "created":{"type":"integer","description":"Of the backup's manifest"},
        "problems":{"type":"integer","minimum":0},
        "problem":{"type":"string","description":"The first one; the server keeps 500 characters"}}},
        "KnownBackup":{"type":"object","required":["created","kind","name","bytes"],"properties":{
        "created":{"type":"integer","description":"When it began, in milliseconds since 1970"},
        "kind":{"type":"string","enum":["archive","directory"]},
        "name":{"type":"string","description":"Of the file or directory, without its path"},
        "bytes":{"type":"integer"},"tested":{"type":"integer","description":"Absent if it was not tested"},
        "problems":{"type":"integer","description":"0: it is complete"},
        "problem":{"type":"string","description":"The first one"}}},
        "KnownBackups":{"type":"object","required":["backups"],"properties":{
        "backups":{"type":"array","items":{"$ref":"#/components/schemas/KnownBackup"}}}}
        """#
}

/// The body of the response that downloads a backup.
private struct BackupBody: HTTPBodySource {
    let file: BackupDownload
    /// An administrator who is deleted or demoted gets no more of the backup.
    let sender: TransferSender

    func next() async throws -> [UInt8]? {
        try await sender.check()
        return try await file.next()
    }
}
