internal import HTTP
internal import RecordEngine
internal import RecordModel
internal import RecordWire

/// The routes for backups. Only the operator's commands may use them, because a caller that names a path on the
/// server's machine must have access to the machine.
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
    ]

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
        "path":{"type":"string"},"manifest":{"type":"object"}}}
        """#
}
