import Cryptography
import HTTP
import RecordAPI
import RecordEngine
import RecordModel
import RecordStorage

/// The HTTP interface on a data directory that no server uses, for one command. It has the same routes, permissions and
/// responses as a server, and is called in this process. The directory is locked, so that no server can start at the
/// same time.
final class StoppedServer {
    private let registry: DatabaseRegistry
    private let api: RecordAPI
    private let context: RecordAPIContext
    private let token = OperatorChannel.makeToken()

    /// Opens the default database.
    ///
    /// - Throws: An error whose description is a sentence. Thrown if the directory is in use, cannot be written, or
    ///   belongs to a newer version.
    init(_ settings: Settings) throws {
        let limits = DatabaseSetup.limits(settings)
        let id = try DatabaseSetup.defaultDatabase(settings)
        var configuration = DatabaseRegistry.Configuration(
            dataPath: settings.dataPath, containers: settings.containers.compactMap(ContainerName.init),
            limits: limits, report: { Terminal.complain("fogbase: \($0)") })
        configuration.administrators = try Administrators(
            dataPath: settings.dataPath, passwords: PasswordWorkers(threads: 1),
            operatorToken: SHA256.hash(utf8: token), limits: limits)
        configuration.defaultDatabase = id
        configuration.checkpoints = CheckpointPolicy(walBytes: settings.checkpointBytes)
        registry = DatabaseRegistry(configuration)
        api = RecordAPI(
            registry: registry,
            configuration: RecordAPIConfiguration(
                defaultDatabase: id, version: Version.text, report: { Terminal.complain("fogbase: \($0)") }))
        context = api.makeContext()
        let registry = registry
        do {
            try Blocking.run { () async -> Result<Void, any Error> in
                do {
                    try await registry.open(id)
                    return .success(())
                } catch {
                    return .failure(error)
                }
            }.get()
        } catch {
            Blocking.run { await registry.close() }
            throw error
        }
    }

    /// Returns the response to one request. The request uses the operator's token unless it has another token. Returns
    /// `nil` for an invalid target.
    func respond(to request: OperatorRequest) -> LocalHTTP.Response? {
        guard let target = RequestTarget(request.target) else { return nil }
        var fields = HTTPFields()
        fields.append(.authorization, "Bearer \(request.token ?? token)")
        if request.ifAbsent { fields.append(.ifNoneMatch, literal: "*") }
        if let accept = request.accept { fields.append(.accept, accept) }
        if request.body != nil { fields.append(.contentType, request.contentType) }
        let request = HTTPRequest(
            method: request.method, target: target, fields: fields,
            body: request.body.map(HTTPRequestBody.bytes) ?? .empty)
        let (api, context) = (api, context)
        let response = Blocking.run { await api.respond(to: request, in: context) }
        var bytes: [UInt8] = []
        switch response.body {
        case .bytes(let body), .prepared(let body, _): bytes = body
        default: break
        }
        return LocalHTTP.Response(status: Int(response.status.code), body: bytes)
    }

    /// Finishes all writes and releases the directory.
    ///
    /// - Parameter finishesRemovals: Whether to wait until deleted accounts are completely removed. If not, the next
    ///   start continues their removal.
    func close(finishesRemovals: Bool) {
        context.closeReaders()
        let registry = registry
        Blocking.run {
            if finishesRemovals {
                for (_, database) in registry.openDatabases { await database.accounts.removalsAreDone() }
            }
            await registry.close()
        }
    }
}
