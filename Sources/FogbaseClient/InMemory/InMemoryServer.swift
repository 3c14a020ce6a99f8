public import Foundation
internal import RecordModel
internal import RecordWire

/// A Fogbase server within the process, for the tests of an app: no network, no files, and nothing that outlives it.
///
/// ```swift
/// let server = InMemoryServer()
/// let container = server.makeClient().container()
/// try await container.signUp("ada", password: "correct horse")
/// _ = try await container.publicDatabase.create(Post(title: "sea"))
/// #expect(await server.recordCount("Post") == 1)
/// ```
///
/// It speaks the server's own protocol by the server's own rules for records, batches, conditions, sorts, pages, changes,
/// references, access lists and rights, and keeps files and accounts. It differs in this:
///
/// - Containers are there when they are named, types and fields when they are written, in production too, and all grants
///   are those that a type gets by itself. Queries need no index.
/// - Files have the type that their uploader says and no measures, and their URLs are good for as long as it is there.
/// - Schema, roles, invitations, API keys, resumable uploads, forms, digests, thumbnails and plans of queries are refused
///   with 501.
/// - An answer that is asked for again by its idempotency key comes as it was, however long it is, and for as long as the
///   server is there. Parameters that a route does not know are passed over.
/// - There are no rate limits, no quotas, and no delays after wrong passwords.
public actor InMemoryServer: Transport {
    /// Where clients find it; nothing else has this address.
    public nonisolated let url: URL
    /// Every request that came, in order, those that were made to fail among them.
    public private(set) var requests: [TransportRequest] = []
    private let administratorToken: String?
    private let now: @Sendable () -> Date
    private var databases: [String: InMemoryDatabase] = [:]
    private var failures: [Failure] = []

    /// What becomes of a request instead of an answer.
    private enum Failure {
        case lost(TransportError)
        case refused(status: Int, retryAfter: Int?)
    }

    /// - Parameters:
    ///   - administratorToken: Opens everything, as the server's own does; `nil` is no such token.
    ///   - now: The server's clock.
    public init(administratorToken: String? = nil, now: @escaping @Sendable () -> Date = { Date() }) {
        // A name that no other host can have (RFC 6761, section 6.4).
        guard let url = URL(string: "http://memory.invalid") else { preconditionFailure("The address is well formed") }
        self.url = url
        self.administratorToken = administratorToken
        self.now = now
    }

    /// A client of this server. It tries again without waiting.
    public nonisolated func makeClient(
        tokens: any TokenStore = MemoryTokenStore(), retry: RetryPolicy = RetryPolicy(sleep: { _ in })
    ) -> Fogbase {
        Fogbase(url, tokens: tokens, retry: retry, transport: self)
    }

    // MARK: For tests

    /// Lets the next requests fail before those that come after them; called again, more of them.
    ///
    /// - Parameters:
    ///   - error: `unreachable` is a request that never came; `responseLost` one that was performed, and whose answer did
    ///     not reach the client.
    ///   - times: How many requests; each attempt of the client is one.
    public func failNext(_ error: TransportError, times: Int = 1) {
        failures += Array(repeating: .lost(error), count: times)
    }

    /// Lets the next requests be refused with a status, and not performed.
    ///
    /// - Parameters:
    ///   - status: An error's: 401, 403, 404, 409, 413, 429, 503 and so on.
    ///   - retryAfter: Seconds that the client is asked to wait.
    ///   - times: How many requests; each attempt of the client is one.
    public func failNext(status: Int, retryAfter: Int? = nil, times: Int = 1) {
        failures += Array(repeating: .refused(status: status, retryAfter: retryAfter), count: times)
    }

    /// How many records there are, in all containers, the public and all private databases.
    ///
    /// - Parameter recordType: `nil` counts all types but `Users`, whose records come with accounts.
    public func recordCount(_ recordType: String? = nil) -> Int {
        databases.values.reduce(0) { $0 + $1.count(of: recordType) }
    }

    /// Lets all tokens of changes that were given out so far be too old.
    public func expireChangeTokens() {
        for name in databases.keys { databases[name]?.expireChangeTokens() }
    }

    /// Forgets all records, files, accounts and requests, and lets nothing fail any more.
    public func removeAll() {
        databases = [:]
        requests = []
        failures = []
    }

    // MARK: Transport

    public func send(_ request: TransportRequest) async throws -> TransportResponse {
        try Task.checkCancellation()
        requests.append(request)
        switch failures.isEmpty ? nil : failures.removeFirst() {
        case nil: return answer(request)
        case .refused(let status, let retryAfter): return .refusing(status: status, retryAfter: retryAfter)
        case .lost(let error):
            if case .responseLost = error { _ = answer(request) }
            throw error
        }
    }

    public func stream(
        _ request: TransportRequest
    ) async throws -> (TransportResponse, AsyncThrowingStream<Data, any Error>) {
        var response = try await send(request)
        let body = response.body
        response.body = Data()
        let parts = AsyncThrowingStream<Data, any Error> { continuation in
            var rest = body[...]
            while !rest.isEmpty {
                continuation.yield(Data(rest.prefix(Self.partBytes)))
                rest = rest.dropFirst(Self.partBytes)
            }
            continuation.finish()
        }
        return (response, parts)
    }

    /// The longest part of a body that is streamed.
    private static let partBytes = 65_536

    private func answer(_ request: TransportRequest) -> TransportResponse {
        do {
            let request = try InMemoryRequest(request)
            let name = try request.databaseName
            // Taken out, so that it is changed in place.
            var database = databases.removeValue(forKey: name) ?? InMemoryDatabase()
            defer { databases[name] = database }
            database.now = Int64((now().timeIntervalSince1970 * 1_000).rounded(.down))
            database.administratorToken = administratorToken
            return InMemoryRouter(request: request).answer(in: &database)
        } catch {
            return .refusing(error)
        }
    }
}
