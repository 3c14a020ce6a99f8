import Cryptography
import Foundation
import HTTP
import RecordAPI
import RecordEngine
import RecordModel
import RecordWire
import Testing

/// A server on a copy of the matrix's data directory. One task at a time uses it.
final class MatrixWorld {
    private let directory: String
    private let registry: DatabaseRegistry
    let api: RecordAPI
    private let context: RecordAPIContext
    var tokens: [CallerKind: String] = [:]
    var words: [String: String] = [:]

    /// A server on a directory that outlives the server.
    init(
        directory: String, signUp: RecordAPIConfiguration.SignUp = .open,
        passwords: PasswordWorkers = MatrixTemplate.passwords
    ) throws {
        self.directory = directory
        let containers = try ["Forum", "Annex"].map { try #require(ContainerName($0)) }
        var server = DatabaseRegistry.Configuration(
            dataPath: directory, containers: containers, administrator: SHA256.hash(utf8: MatrixTemplate.bootstrapToken)
        )
        server.administrators = try Administrators(dataPath: directory, passwords: passwords)
        server.webhookSender = WebhookReceiver()
        registry = DatabaseRegistry(server)
        api = RecordAPI(
            registry: registry,
            configuration: RecordAPIConfiguration(
                defaultDatabase: DatabaseID(container: containers[0], environment: .development), version: "1.2.3",
                signUp: signUp, metricsAccess: .administrators))
        context = api.makeContext()
    }

    /// A server on a copy of the template.
    static func fresh(of template: MatrixTemplate) throws -> MatrixWorld {
        let directory = NSTemporaryDirectory() + "fogbase-matrix-" + UUID().uuidString
        try FileManager.default.copyItem(atPath: template.directory, toPath: directory)
        let world = try MatrixWorld(directory: directory)
        world.tokens = template.tokens
        world.words = template.words
        return world
    }

    /// Closes the files, which stay.
    func close() async {
        context.closeReaders()
        await registry.close()
    }

    /// Closes and removes the files.
    func drop() async {
        await close()
        try? FileManager.default.removeItem(atPath: directory)
    }

    /// Replaces `{word}` with its value.
    func filled(_ text: String) -> String {
        var text = text
        for (word, value) in words { text = text.replacingOccurrences(of: "{\(word)}", with: value) }
        return text
    }

    /// A request and its response.
    func call(
        _ method: HTTPMethod, _ target: String, _ body: String? = nil, as kind: CallerKind = .anonymous,
        token: String? = nil, headers: [(String, String)] = []
    ) async throws -> Response {
        var fields = HTTPFields()
        if let token = token ?? tokens[kind] { fields.append(.authorization, "Bearer \(token)") }
        for (name, value) in headers { fields.append(try #require(HTTPFieldName(name)), filled(value)) }
        let request = HTTPRequest(
            method: method, target: try #require(RequestTarget(filled(target))), fields: fields,
            body: body.map { .bytes(Array(filled($0).utf8)) } ?? .empty, remoteAddress: "192.0.2.1", id: "request-1")
        let response = await api.respond(to: request, in: context)
        context.loopWillBlock()
        return Response(response)
    }

    /// A request that must be answered so.
    func expect(
        _ status: Int, _ method: HTTPMethod, _ target: String, _ body: String? = nil, as kind: CallerKind = .anonymous,
        token: String? = nil
    ) async throws -> Response {
        let response = try await call(method, target, body, as: kind, token: token)
        try #require(response.status == status, "\(method.text) \(target): \(response.status) \(response.text)")
        return response
    }

    /// Uploads a file and returns the value for a field.
    func upload(_ text: String, _ target: String, as kind: CallerKind) async throws -> JSONValue {
        let response = try await call(.post, target, text, as: kind, headers: [("Content-Type", "text/plain")])
        try #require(response.status == 201, "\(response.text)")
        return try #require(response.json?["asset"])
    }
}
