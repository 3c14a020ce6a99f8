import FogbaseClient
import Foundation

/// Answers each request for a stream with the next script, and each request for a page with an empty one.
actor ScriptedStreams: Transport {
    /// The response to a request for a stream.
    enum Script {
        /// A stream of these pieces. Then it ends, breaks or stays silent.
        case events([String], End = .ends)
        /// Another response.
        case response(Int, String, type: String = "application/json")
        case unreachable
        case lost
    }

    enum End {
        case ends, breaks, staysSilent
    }

    nonisolated var streamsEvents: Bool { true }
    private var scripts: [Script]
    /// The errors with which the next pages are rejected.
    private var rejections: [TransportResponse] = []
    /// What was requested: `page` or `stream`, and the token.
    private(set) var calls: [String] = []

    init(_ scripts: [Script]) {
        self.scripts = scripts
    }

    func rejectPage(_ status: Int, _ body: String) {
        rejections.append(TransportResponse(status: status, body: Data(body.utf8)))
    }

    func send(_ request: TransportRequest) async throws -> TransportResponse {
        note("page", request)
        if !rejections.isEmpty { return rejections.removeFirst() }
        return TransportResponse(status: 200, body: Data(#"{"changes":[],"token":"p","moreComing":false}"#.utf8))
    }

    func stream(_ request: TransportRequest) async throws -> (TransportResponse, AsyncThrowingStream<Data, any Error>) {
        note("stream", request)
        let (parts, body) = AsyncThrowingStream.makeStream(of: Data.self, throwing: (any Error).self)
        switch scripts.isEmpty ? .events([], .staysSilent) : scripts.removeFirst() {
        case .events(let pieces, let end):
            for piece in pieces { body.yield(Data(piece.utf8)) }
            switch end {
            case .ends: body.finish()
            case .breaks: body.finish(throwing: TransportError.responseLost("cut"))
            case .staysSilent: break
            }
            return (TransportResponse(status: 200, fields: ["content-type": "text/event-stream"]), parts)
        case .response(let status, let text, let type):
            body.yield(Data(text.utf8))
            body.finish()
            return (TransportResponse(status: status, fields: ["content-type": type]), parts)
        case .unreachable: throw TransportError.unreachable("test")
        case .lost: throw TransportError.responseLost("test")
        }
    }

    private func note(_ kind: String, _ request: TransportRequest) {
        let query = URLComponents(url: request.url, resolvingAgainstBaseURL: false)?.queryItems ?? []
        let since = query.first { $0.name == "since" }?.value
        calls.append(since.map { "\(kind) \($0)" } ?? kind)
    }
}
