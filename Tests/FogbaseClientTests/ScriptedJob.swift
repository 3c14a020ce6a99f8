import FogbaseClient
import Foundation

/// A server with one job. It responds to each kind of request with the next script of that kind.
actor ScriptedJob: Transport {
    enum Script {
        case response(Int, String)
        /// A stream of these events. Then it ends, breaks or stays open.
        case events([String], End = .ends)
        case unreachable
        case lost
        /// Waits until the test goes on, and responds then.
        case held(Int, String)
    }

    enum End { case ends, breaks, staysOpen }

    nonisolated let streamsEvents: Bool
    private var scripts: [String: [Script]]
    /// Requests for other paths, and deletions without a script, go to this server.
    private let server = InMemoryServer(administratorToken: "all")
    /// Methods and paths in order; `stream` instead of the method for a stream.
    private(set) var calls: [String] = []
    /// The fields of all deletions.
    private(set) var fields: [[String: String]] = []
    nonisolated let arrivals: AsyncStream<String>
    private let arrival: AsyncStream<String>.Continuation
    private var holds: [CheckedContinuation<Void, Never>] = []

    /// - Parameter scripts: By `DELETE`, `GET`, `stream` and the last parts of paths, such as `cancel`.
    init(_ scripts: [String: [Script]], streamsEvents: Bool = true) {
        self.scripts = scripts
        self.streamsEvents = streamsEvents
        (arrivals, arrival) = AsyncStream.makeStream(of: String.self)
    }

    /// The JSON of the job.
    static func job(_ state: String, done: Int = 0, _ rest: String = "") -> String {
        #"{"id":"j1","state":"\#(state)","total":10,"done":\#(done),"skipped":0\#(rest)}"#
    }

    static func event(_ state: String, done: Int = 0, _ rest: String = "") -> String {
        "event: job\ndata: \(job(state, done: done, rest))\n\n"
    }

    static func error(_ code: String) -> String { #"{"serverErrorCode":"\#(code)","reason":"test"}"# }

    func count(_ call: String) -> Int { calls.count { $0 == call } }

    /// Lets the held requests continue.
    func goOn() {
        for hold in holds { hold.resume() }
        holds = []
    }

    /// Waits until a request of a kind has arrived.
    nonisolated func arrived(_ kind: String) async {
        for await next in arrivals where next == kind { return }
    }

    func send(_ request: TransportRequest) async throws -> TransportResponse {
        let last = request.url.lastPathComponent
        let isOfJob = request.url.path.hasPrefix("/jobs/")
        let kind = request.method == "POST" && isOfJob ? last : request.method
        calls.append("\(request.method) \(request.url.path)")
        if kind == "DELETE" {
            fields.append(Dictionary(request.fields.map { ($0.name, $0.value) }, uniquingKeysWith: { $1 }))
        }
        arrival.yield(kind)
        guard kind == "DELETE" || isOfJob, let script = take(kind) else { return try await server.send(request) }
        switch script {
        case .response(let status, let text): return Self.response(status, text)
        case .held(let status, let text):
            await withCheckedContinuation { holds.append($0) }
            return Self.response(status, text)
        case .unreachable: throw TransportError.unreachable("test")
        case .lost, .events: throw TransportError.responseLost("test")
        }
    }

    func stream(_ request: TransportRequest) async throws -> (TransportResponse, AsyncThrowingStream<Data, any Error>) {
        calls.append("stream \(request.url.path)")
        let (parts, body) = AsyncThrowingStream.makeStream(of: Data.self, throwing: (any Error).self)
        defer { arrival.yield("stream") }
        switch take("stream") ?? .events([], .staysOpen) {
        case .events(let pieces, let end):
            for piece in pieces { body.yield(Data(piece.utf8)) }
            switch end {
            case .ends: body.finish()
            case .breaks: body.finish(throwing: TransportError.responseLost("cut"))
            case .staysOpen: break
            }
            return (TransportResponse(status: 200, fields: ["content-type": "text/event-stream"]), parts)
        case .response(let status, let text), .held(let status, let text):
            body.yield(Data(text.utf8))
            body.finish()
            return (TransportResponse(status: status, fields: ["content-type": "application/json"]), parts)
        case .unreachable: throw TransportError.unreachable("test")
        case .lost: throw TransportError.responseLost("test")
        }
    }

    private func take(_ kind: String) -> Script? {
        guard let next = scripts[kind]?.first else { return nil }
        scripts[kind]?.removeFirst()
        return next
    }

    private static func response(_ status: Int, _ text: String) -> TransportResponse {
        TransportResponse(status: status, fields: ["content-type": "application/json"], body: Data(text.utf8))
    }
}
