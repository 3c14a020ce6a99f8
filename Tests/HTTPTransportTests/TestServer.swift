import HTTP
import HTTPTransport
import Sockets
import TestSupport
import Testing
import Threads

/// A handler from one closure.
struct TestHandler: HTTPHandler {
    final class Context: HTTPLoopContext {
        let summaries: Locked<[HTTPRequestSummary]>

        init(_ summaries: Locked<[HTTPRequestSummary]>) {
            self.summaries = summaries
        }

        func requestDidFinish(_ summary: HTTPRequestSummary) {
            summaries.withLock { $0.append(summary) }
        }
    }

    let summaries = Locked<[HTTPRequestSummary]>([])
    let body: @Sendable (HTTPRequest) async -> HTTPResponse

    func makeLoopContext(on executor: any TaskExecutor) -> Context {
        Context(summaries)
    }

    func respond(to request: HTTPRequest, in context: Context) async -> HTTPResponse {
        await body(request)
    }

    /// Pages of all origins may read the rejections of paths that begin with `/own`.
    func rejection(_ rejection: HTTPRejection, of request: HTTPRequest, in context: Context) async -> HTTPResponse {
        await Task.yield()
        var response = HTTPResponse.text(rejection.reason, rejection.status)
        if request.target.segmentEquals(0, "own") {
            CORSPolicy.openToAll(&response)
            response.fields.append(.location, "\(request.method.text) \(request.target.query("t") ?? "-")")
        }
        return response
    }
}

extension HTTPResponse {
    static func text(_ text: String, _ status: HTTPStatus = .ok, type: String = "text/plain") -> HTTPResponse {
        var response = HTTPResponse(status, body: .bytes(Array(text.utf8)), route: "GET /test")
        response.fields.append(.contentType, type)
        return response
    }

    /// Answers with the whole body, or with the error that collecting it ended in.
    static func echo(_ request: HTTPRequest, upTo limit: Int = 1 << 20) async -> HTTPResponse {
        do throws(HTTPBodyError) {
            return .text(String(decoding: try await request.body.collect(upTo: limit), as: UTF8.self))
        } catch {
            let status: HTTPStatus =
                switch error {
                case .tooLarge, .bomb: .contentTooLarge
                case .malformed: .badRequest
                case .unsupportedEncoding: .unsupportedMediaType
                case .timeout: .requestTimeout
                case .disconnected: .badRequest
                case .overloaded: .serviceUnavailable
                }
            return .text("\(error)", status)
        }
    }
}

/// Pieces that are handed out one by one, each after its gate.
final class GatedSource: HTTPBodySource {
    private let pieces: Locked<[(Gate?, [UInt8]?)]>

    /// - Parameter pieces: `nil` instead of a piece throws.
    init(_ pieces: [(Gate?, [UInt8]?)]) {
        self.pieces = Locked(pieces)
    }

    struct Broken: Error {}

    func next() async throws -> [UInt8]? {
        let next: (Gate?, [UInt8]?)? = pieces.withLock { $0.isEmpty ? nil : $0.removeFirst() }
        guard let next else { return nil }
        await next.0?.wait()
        guard let piece = next.1 else { throw Broken() }
        return piece
    }
}

/// A server on port 0 of 127.0.0.1.
final class TestServer: Sendable {
    let server: HTTPServer<TestHandler>
    let handler: TestHandler
    let port: UInt16
    let addresses: [SocketAddress]

    init(
        addresses: [String] = ["127.0.0.1:0"], _ configure: (inout HTTPServerConfiguration) -> Void = { _ in },
        handler body: @escaping @Sendable (HTTPRequest) async -> HTTPResponse
    ) throws {
        var configuration = HTTPServerConfiguration(addresses: try addresses.map { try SocketAddress($0) })
        configuration.loops = 2
        // Few tests are long enough for connections to rest as they do elsewhere.
        configuration.deadlines.rest = .milliseconds(2)
        configure(&configuration)
        handler = TestHandler(body: body)
        server = HTTPServer(configuration: configuration, handler: handler)
        self.addresses = try server.start()
        port = self.addresses.first?.port ?? 0
    }

    /// A server that greets the path.
    static func greeting(_ configure: (inout HTTPServerConfiguration) -> Void = { _ in }) throws -> TestServer {
        try TestServer(configure) { .text("hello " + $0.target.rawPath) }
    }

    func client(receiveBuffer: Int32? = nil, sendBuffer: Int32? = nil) throws -> RawClient {
        try RawClient(port: port, receiveBuffer: receiveBuffer, sendBuffer: sendBuffer)
    }

    func stop() async {
        await server.shutdown(grace: .seconds(30))
    }

    /// Sends one request on a new connection and returns everything up to the end.
    func exchange(_ request: String) throws -> String {
        let client = try client()
        try client.send(request)
        return try client.receiveText()
    }
}

extension String {
    /// The bytes after the empty line.
    var bodyText: String {
        guard let range = self.firstRange(of: "\r\n\r\n") else { return "" }
        return String(self[range.upperBound...])
    }

    /// How often `text` occurs.
    func occurrences(of text: String) -> Int {
        ranges(of: text).count
    }
}
