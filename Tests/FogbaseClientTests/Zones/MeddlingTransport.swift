import FogbaseClient
import Foundation

/// Runs actions before certain requests, and asks for short pages of changes.
actor MeddlingTransport: Transport {
    private let transport: any Transport
    private let limit: Int?
    private var actions: [(path: String, run: @Sendable () async throws -> Void)] = []

    /// - Parameter limit: The length of the pages of changes; `nil` for that of the request.
    init(_ transport: any Transport, limit: Int? = nil) {
        self.transport = transport
        self.limit = limit
    }

    /// Runs an action before the next request with a path, after the actions that were added earlier.
    func before(_ path: String, _ action: @escaping @Sendable () async throws -> Void) {
        actions.append((path, action))
    }

    /// The number of actions that have not run.
    var waiting: Int { actions.count }

    func send(_ request: TransportRequest) async throws -> TransportResponse {
        var request = request
        if actions.first?.path == request.url.path { try await actions.removeFirst().run() }
        if let limit, request.url.path.hasPrefix("/changes"),
            let url = URL(string: request.url.absoluteString + "&limit=\(limit)")
        {
            request.url = url
        }
        return try await transport.send(request)
    }

    func stream(
        _ request: TransportRequest
    ) async throws -> (TransportResponse, AsyncThrowingStream<Data, any Error>) {
        try await transport.stream(request)
    }
}
