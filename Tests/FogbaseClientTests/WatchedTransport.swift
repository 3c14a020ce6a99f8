import FogbaseClient
import Foundation

/// Sends by another transport, and notes what was sent.
actor WatchedTransport: Transport {
    private let transport: any Transport
    /// Refuses bodies that are longer, as a proxy does that knows nothing of records.
    private let longestBody: Int
    /// Methods and paths, in order.
    private(set) var calls: [String] = []

    init(_ transport: any Transport = URLSessionTransport(), longestBody: Int = .max) {
        self.transport = transport
        self.longestBody = longestBody
    }

    func send(_ request: TransportRequest) async throws -> TransportResponse {
        calls.append("\(request.method) \(request.url.path)")
        if let body = request.body, body.count > longestBody {
            return TransportResponse(status: 413, body: Data("<html>Request Entity Too Large</html>".utf8))
        }
        return try await transport.send(request)
    }

    func stream(_ request: TransportRequest) async throws -> (TransportResponse, AsyncThrowingStream<Data, any Error>) {
        calls.append("\(request.method) \(request.url.path)")
        return try await transport.stream(request)
    }

    /// How often each call was sent.
    var counts: [String: Int] { Dictionary(calls.map { ($0, 1) }, uniquingKeysWith: +) }

    func forget() { calls = [] }
}
