public import Foundation
internal import RecordModel
internal import RecordWire

/// A Fogbase server in memory, for the tests of an app. The server needs no network and no files.
///
/// ```swift
/// let server = InMemoryServer()
/// let container = server.makeClient().container()
/// try await container.signUp("ada", password: "correct horse")
/// _ = try await container.publicDatabase.create(Post(title: "sea"))
/// #expect(await server.recordCount("Post") == 1)
/// ```
///
/// The in-memory server implements the protocol and rules of a real server for records, batches, queries, pages,
/// changes, zones, sharing, references, access lists and permissions. It also stores files and accounts. The in-memory server
/// differs from a real server as follows:
///
/// - The records of a deleted zone are deleted at once, and its loss is kept without a limit of time.
/// - Containers are created when a request first names them. Types and fields are created when a request first writes
///   them, even in production. All types have the default grants. Queries need no index.
/// - The media type of a file is the type that the client sent. Pictures have no dimensions. URLs of files do not
///   expire.
/// - A record comes after its parent, also in an atomic batch. `createShortGUID` is ignored.
/// - Changes are not streamed. Change feeds and live results poll.
/// - Jobs have ended when the response to their request arrives. They cannot be paused or canceled, and are kept.
/// - Schema, roles, invitations, API keys, schedules, subscriptions, resumable uploads, forms, digests, thumbnails and query
///   plans are rejected with status 501.
/// - Responses for idempotency keys are stored without limits of size and time. Unknown query parameters are ignored.
/// - There are no rate limits, no quotas, and no delays after wrong passwords.
public actor InMemoryServer: Transport {
    /// The address of the server. The address works only with this transport.
    public nonisolated let url: URL
    /// All received requests in order, including requests that a test made fail.
    public private(set) var requests: [TransportRequest] = []
    private let administratorToken: String?
    private let now: @Sendable () -> Date
    private var databases: [String: InMemoryDatabase] = [:]
    private var failures: [Failure] = []

    /// A failure that a test has requested.
    private enum Failure {
        case lost(TransportError)
        case rejected(status: Int, retryAfter: Int?)
    }

    /// Creates an empty server.
    ///
    /// - Parameters:
    ///   - administratorToken: A token that grants all rights; `nil` for none.
    ///   - now: The server's clock.
    public init(administratorToken: String? = nil, now: @escaping @Sendable () -> Date = { Date() }) {
        // No real host can have this name (RFC 6761, section 6.4).
        guard let url = URL(string: "http://memory.invalid") else { preconditionFailure("The address is well formed") }
        self.url = url
        self.administratorToken = administratorToken
        self.now = now
    }

    /// Returns a client of this server. By default, the client retries without delay.
    public nonisolated func makeClient(
        tokens: any TokenStore = MemoryTokenStore(), retry: RetryPolicy = RetryPolicy(sleep: { _ in })
    ) -> Fogbase {
        Fogbase(url, tokens: tokens, retry: retry, transport: self)
    }

    // MARK: Test control

    /// Makes the next requests fail without a response. Calling it again adds more failures.
    ///
    /// ```swift
    /// await server.failNext(.responseLost("test"), times: 2)
    /// ```
    ///
    /// - Parameters:
    ///   - error: `unreachable` fails without executing the request. `responseLost` executes the request and then
    ///     fails.
    ///   - times: The number of requests. Each attempt of the client counts.
    public func failNext(_ error: TransportError, times: Int = 1) {
        failures += Array(repeating: .lost(error), count: times)
    }

    /// Makes the server reject the next requests with a status.
    ///
    /// - Parameters:
    ///   - status: An error status, such as 401, 403, 404, 409, 413, 429 or 503.
    ///   - retryAfter: The delay in the response's `Retry-After` field, in seconds.
    ///   - times: The number of requests. Each attempt of the client counts.
    public func failNext(status: Int, retryAfter: Int? = nil, times: Int = 1) {
        failures += Array(repeating: .rejected(status: status, retryAfter: retryAfter), count: times)
    }

    /// Returns the number of records in all containers and databases.
    ///
    /// - Parameter recordType: The record type; `nil` counts all types except for `Users`, whose records belong to
    ///   accounts.
    public func recordCount(_ recordType: String? = nil) -> Int {
        databases.values.reduce(0) { $0 + $1.count(of: recordType) }
    }

    /// Makes all existing sync tokens expire.
    public func expireChangeTokens() {
        for name in databases.keys { databases[name]?.expireChangeTokens() }
    }

    /// Deletes all records, files, accounts and recorded requests, and cancels requested failures.
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
        case nil: return respond(request)
        case .rejected(let status, let retryAfter): return .rejecting(status: status, retryAfter: retryAfter)
        case .lost(let error):
            if case .responseLost = error { _ = respond(request) }
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

    /// The maximum size of a part in a streamed body, in bytes.
    private static let partBytes = 65_536

    private func respond(_ request: TransportRequest) -> TransportResponse {
        do {
            let request = try InMemoryRequest(request)
            let name = try request.databaseName
            // Remove the database from the dictionary during the request, so that it is changed in place instead of
            // copied.
            var database = databases.removeValue(forKey: name) ?? InMemoryDatabase()
            defer { databases[name] = database }
            database.now = Int64((now().timeIntervalSince1970 * 1_000).rounded(.down))
            database.administratorToken = administratorToken
            return InMemoryRouter(request: request).respond(in: &database)
        } catch {
            return .rejecting(error)
        }
    }
}
