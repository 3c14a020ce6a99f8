import FogbaseClient
import Foundation

/// Sends by another transport, and notes the requests.
actor WatchedTransport: Transport {
    private let transport: any Transport
    /// Rejects longer bodies, like a proxy that knows nothing of records.
    private let longestBody: Int
    nonisolated let streamsEvents: Bool
    /// Methods and paths, in order. Those of streams of events end with their media type.
    private(set) var calls: [String] = []

    /// - Parameter streamsEvents: Whether feeds may stream. Otherwise they poll.
    init(_ transport: any Transport = URLSessionTransport(), longestBody: Int = .max, streamsEvents: Bool = false) {
        self.transport = transport
        self.longestBody = longestBody
        self.streamsEvents = streamsEvents
    }

    func send(_ request: TransportRequest) async throws -> TransportResponse {
        calls.append("\(request.method) \(request.url.path)")
        if let body = request.body, body.count > longestBody {
            return TransportResponse(status: 413, body: Data("<html>Request Entity Too Large</html>".utf8))
        }
        return try await transport.send(request)
    }

    func stream(_ request: TransportRequest) async throws -> (TransportResponse, AsyncThrowingStream<Data, any Error>) {
        let accept = request.fields.first { $0.name == "Accept" }.map { " \($0.value)" }
        calls.append("\(request.method) \(request.url.path)\(accept ?? "")")
        return try await transport.stream(request)
    }

    /// How often each call was sent.
    var counts: [String: Int] { Dictionary(calls.map { ($0, 1) }, uniquingKeysWith: +) }

    func forget() { calls = [] }
}
