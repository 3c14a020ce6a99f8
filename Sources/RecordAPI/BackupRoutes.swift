internal import HTTP
internal import RecordEngine
internal import RecordModel
internal import RecordWire

/// Backups, for the operator's commands alone: a caller that names a path on the server's machine must have access to it.
extension RecordAPI {
    /// `POST /backup` with `{"path","copyAssets"?}` begins a backup: 202.
    func startBackup(_ call: inout RecordCall) async throws -> HTTPResponse {
        try call.requireOperator()
        let object = try await call.object(keys: ["path", "copyAssets"], upTo: 16_384)
        guard let path = object["path"]?.string else {
            throw RecordError.badRequest("'path' is the absolute path of the new directory, a string")
        }
        let request = BackupRequest(
            path: path, copiesAssets: object["copyAssets"]?.bool ?? false, version: configuration.version)
        guard registry.backups.start(request, of: registry) else {
            throw RecordError(
                .conflict, "Another backup of this server is under way. Wait for it, or end the command that makes it")
        }
        return .json(Self.document(registry.backups.state), status: .accepted)
    }

    /// `GET /backup`: how far the backup is, or what has become of the last one.
    func readBackup(_ call: RecordCall) throws -> HTTPResponse {
        try call.requireOperator()
        return .json(Self.document(registry.backups.state))
    }

    /// `DELETE /backup` cancels the backup, and answers when nothing is left of it.
    func cancelBackup(_ call: RecordCall) async throws -> HTTPResponse {
        try call.requireOperator()
        await registry.backups.cancel()
        return .json(Self.document(registry.backups.state))
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
}
