import Cryptography
import Encodings
import Foundation
import HTTP
import RecordAPI
import RecordEngine
import RecordModel
import RecordWire
import TestSupport
import Testing
import Threads

/// A receiver of webhooks that does what a test says, and keeps what it got.
final class WebhookReceiver: WebhookSender {
    /// One message, as received.
    struct Message: Sendable {
        let fields: [String: String]
        let body: [UInt8]
        let url: String

        var json: JSONValue? { try? JSONValue.parse(body) }
        var id: String { fields["webhook-id"] ?? "" }
        var type: String { json?["type"]?.string ?? "" }
        var events: [JSONValue] { json?["data"]?["events"]?.array ?? [] }
        /// The names of the records in the events.
        var names: [String] { events.compactMap { $0["record"]?["recordName"]?.string } }
        var token: String { json?["data"]?["token"]?.string ?? "" }

        /// Whether a signature is the one of a secret.
        func isSigned(by secret: String) throws -> Bool {
            let key = try #require(Base64.decode(String(secret.dropFirst("whsec_".count))))
            let content = Array("\(id).\(fields["webhook-timestamp"] ?? "").".utf8) + body
            let code = HMACSHA256(key: key).code(for: content)
            let signatures = (fields["webhook-signature"] ?? "").split(separator: " ")
            return signatures.contains { $0 == "v1," + Base64.encode(code.bytes) }
        }
    }

    private let behavior = Locked<@Sendable (Message) async -> WebhookResult>({ _ in .response(status: 204) })
    private let received = Locked<[Message]>([])

    var messages: [Message] { received.withLock { $0 } }

    func problem(with url: String) -> String? {
        url.hasPrefix("https://") ? nil : "The URL begins with https://"
    }

    func send(_ request: WebhookRequest) async -> WebhookResult {
        let message = Message(
            fields: Dictionary(request.fields.map { ($0.name, $0.value) }) { first, _ in first }, body: request.body,
            url: request.url)
        received.withLock { $0.append(message) }
        return await behavior.withLock { $0 }(message)
    }

    /// Decides about the next messages.
    func respond(_ body: @escaping @Sendable (Message) async -> WebhookResult) {
        behavior.withLock { $0 = body }
    }

    func respond(with status: Int) {
        respond { _ in .response(status: status) }
    }
}

extension WebhookResult {
    static func response(status: Int) -> WebhookResult { .response(status: status, body: [], retryAfter: nil) }
}

/// A server whose webhooks go to a receiver in the same process, with a clock that the test moves. One task uses it.
final class WebhookWorld {
    static let administrator = "the-operators-secret"

    let directory: String
    let receiver = WebhookReceiver()
    /// The time of the deliveries, in milliseconds since 1970.
    let clock = Locked<Int64>(1_800_000_000_000)
    private(set) var registry: DatabaseRegistry
    private var api: RecordAPI
    private var context: RecordAPIContext
    private static let container = "Forum"

    init(directory: String? = nil) throws {
        self.directory = directory ?? NSTemporaryDirectory() + "fogbase-webhooks-" + UUID().uuidString
        (registry, api) = try Self.server(self.directory, receiver, clock)
        context = api.makeContext()
    }

    deinit {
        try? FileManager.default.removeItem(atPath: directory)
    }

    private static func server(
        _ directory: String, _ receiver: WebhookReceiver, _ clock: Locked<Int64>
    ) throws -> (DatabaseRegistry, RecordAPI) {
        let container = try #require(ContainerName(Self.container))
        var server = DatabaseRegistry.Configuration(
            dataPath: directory, containers: [container], administrator: SHA256.hash(utf8: administrator))
        server.administrators = try Administrators(
            dataPath: directory, passwords: PasswordWorkers(threads: 1, scheme: .quick))
        server.webhookSender = receiver
        server.webhooks.now = { clock.withLock { $0 } }
        server.webhooks.pause = { failures in failures * 1_000 }
        server.webhooks.ticks = false
        let registry = DatabaseRegistry(server)
        let id = DatabaseID(container: container, environment: .development)
        return (
            registry,
            RecordAPI(registry: registry, configuration: RecordAPIConfiguration(defaultDatabase: id, version: "1"))
        )
    }

    /// Closes the files.
    func close() async {
        context.closeReaders()
        await registry.close()
    }

    /// Stops the server and starts it again.
    func restart() async throws {
        await close()
        (registry, api) = try Self.server(directory, receiver, clock)
        context = api.makeContext()
        await registry.openDatabasesWithWork()
    }

    /// The database, which is open after the first call.
    func database() throws -> RecordDatabase {
        try #require(registry.openDatabases.first?.database)
    }

    /// Lets time pass.
    func tick(_ milliseconds: Int64) throws {
        clock.withLock { $0 += milliseconds }
        let database = try database()
        database.webhooks.deliveries.tick(database)
    }

    @discardableResult
    func call(
        _ method: HTTPMethod, _ target: String, _ body: String? = nil, token: String = administrator
    ) async throws -> Response {
        var fields = HTTPFields()
        fields.append(.authorization, "Bearer \(token)")
        let request = HTTPRequest(
            method: method, target: try #require(RequestTarget(target)), fields: fields,
            body: body.map { .bytes(Array($0.utf8)) } ?? .empty, remoteAddress: "192.0.2.1", id: "request-1")
        let response = await api.respond(to: request, in: context)
        context.loopWillBlock()
        return Response(response)
    }

    /// Saves records of a type, each in a write of its own.
    func save(_ names: String..., type: String = "Post", good: Int = 1) async throws {
        for name in names {
            let response = try await call(.put, "/records/\(type)/\(name)", #"{"fields":{"good":\#(good)}}"#)
            try #require(response.status == 201 || response.status == 200, "\(response.text)")
        }
    }

    /// Creates a webhook.
    func hook(
        _ more: String = "", query: String = "", token: String = administrator
    ) async throws -> (id: String, secret: String) {
        let response = try await call(
            .post, "/webhooks\(query)", #"{"url":"https://example.org/hook?key=hidden"\#(more)}"#, token: token)
        try #require(response.status == 201, "\(response.text)")
        return (
            try #require(response.json?["id"]?.string), try #require(response.json?["secret"]?.string)
        )
    }

    /// Creates an API key.
    func key(_ name: String, _ scope: String) async throws -> (id: String, token: String) {
        let response = try await call(.post, "/keys", #"{"name":"\#(name)","scope":\#(scope)}"#)
        try #require(response.status == 201, "\(response.text)")
        return (try #require(response.json?["id"]?.string), try #require(response.json?["token"]?.string))
    }

    func state(of id: String) async throws -> JSONValue {
        try #require(try await call(.get, "/webhooks/\(id)").json)
    }

    func deliveries(of id: String) async throws -> [JSONValue] {
        try await call(.get, "/webhooks/\(id)/deliveries").json?["deliveries"]?.array ?? []
    }

    /// The actions of the audit log about webhooks, the oldest first.
    func audit() async throws -> [String] {
        let entries = try await call(.get, "/audit").json?["entries"]?.array ?? []
        return entries.compactMap { $0["action"]?.string }.filter { $0.hasPrefix("webhook.") }.reversed()
    }

    /// Waits until the receiver has a number of messages, and returns them.
    func messages(_ count: Int) async throws -> [WebhookReceiver.Message] {
        try #require(await eventually { self.receiver.messages.count >= count }, "\(receiver.messages.map(\.names))")
        #expect(receiver.messages.count == count)
        return receiver.messages
    }

    /// Waits until a webhook has a number of deliveries.
    func waitForDeliveries(_ count: Int, of id: String) async throws {
        try await wait {
            if try await self.deliveries(of: id).count >= count { return true }
            // A delivery is stored before its runner knows when to continue. An earlier tick has then missed it.
            try self.tick(0)
            return false
        }
    }

    /// Waits until a webhook has a state.
    func wait(for state: String, of id: String) async throws -> JSONValue {
        try await wait {
            if try await self.state(of: id)["state"]?.string == state { return true }
            try self.tick(0)
            return false
        }
        return try await self.state(of: id)
    }

    /// Waits until `isTrue` holds; fails after 90 seconds.
    func wait(until isTrue: () async throws -> Bool) async throws {
        let limit = ContinuousClock.now + .seconds(90)
        var pauses = Pauses()
        while try await !isTrue() {
            try #require(ContinuousClock.now < limit)
            await pauses.pause()
        }
    }
}
