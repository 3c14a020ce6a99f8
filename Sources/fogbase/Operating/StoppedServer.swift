import Cryptography
import HTTP
import RecordAPI
import RecordEngine
import RecordModel
import RecordStorage

/// The interface over the files of a data folder that no server uses, for one command: the same routes with the same
/// rights and answers, called in this process. The folder is locked meanwhile, so that no server starts beside it.
final class StoppedServer {
    private let registry: DatabaseRegistry
    private let api: RecordAPI
    private let context: RecordAPIContext
    private let token = OperatorChannel.makeToken()

    /// - Throws: A sentence: the folder is in use, cannot be written, or is of a newer server.
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
        configuration.checkpoints = CheckpointRules(logBytes: settings.checkpointBytes)
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

    /// Answers one request, in the operator's name unless there is a token of somebody else.
    func answer(
        _ method: HTTPMethod, _ target: String, body: [UInt8]?, token: String?, ifAbsent: Bool
    ) -> LocalHTTP.Answer? {
        guard let target = RequestTarget(target) else { return nil }
        var fields = HTTPFields()
        fields.append(.authorization, "Bearer \(token ?? self.token)")
        if ifAbsent { fields.append(.ifNoneMatch, literal: "*") }
        if body != nil { fields.append(.contentType, literal: "application/json") }
        let request = HTTPRequest(
            method: method, target: target, fields: fields, body: body.map(HTTPRequestBody.bytes) ?? .empty)
        let (api, context) = (api, context)
        let response = Blocking.run { await api.respond(to: request, in: context) }
        var bytes: [UInt8] = []
        switch response.body {
        case .bytes(let body), .prepared(let body, _): bytes = body
        default: break
        }
        return LocalHTTP.Answer(status: Int(response.status.code), body: bytes)
    }

    /// Finishes what was written and lets go of the folder.
    ///
    /// - Parameter finishesRemovals: Waits until nothing is left of accounts that were removed; else the next start goes on.
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
