import RecordWire
import TestSupport

/// One keep-alive connection to the server, for tests that need responses rather than bytes.
final class HTTPClient {
    struct Response {
        var status = 0
        /// By lower-case name.
        var fields: [String: String] = [:]
        var body: [UInt8] = []

        var json: JSONValue? { try? JSONValue.parse(body) }
        var text: String { String(decoding: body, as: UTF8.self) }
    }

    private let socket: RawClient
    private var buffer: [UInt8] = []

    private let host: String

    init(port: UInt16, host: String = "localhost") throws {
        self.host = host
        socket = try RawClient(port: port)
    }

    /// Sends one request and reads its response.
    func send(
        _ method: String, _ target: String, _ body: String? = nil, token: String? = nil,
        fields: [String: String] = [:]
    ) throws -> Response {
        try send(
            method, target, bytes: body.map { Array($0.utf8) }, type: "application/json", token: token, fields: fields)
    }

    /// The same with a body of any type.
    func send(
        _ method: String, _ target: String, bytes: [UInt8]?, type: String, token: String? = nil,
        fields: [String: String] = [:]
    ) throws -> Response {
        var head = "\(method) \(target) HTTP/1.1\r\nHost: \(host)\r\n"
        if let token { head += "Authorization: Bearer \(token)\r\n" }
        for (name, value) in fields { head += "\(name): \(value)\r\n" }
        if let bytes { head += "Content-Type: \(type)\r\nContent-Length: \(bytes.count)\r\n" }
        do {
            try socket.send(Array((head + "\r\n").utf8) + (bytes ?? []))
            return try receive(hasBody: method != "HEAD")
        } catch let failure as RawClient.Failure {
            throw RawClient.Failure(description: "\(method) \(target): \(failure)")
        }
    }

    private func receive(hasBody: Bool) throws -> Response {
        let end = Array("\r\n\r\n".utf8)
        var headEnd = buffer.firstRange(of: end)
        while headEnd == nil {
            try fill()
            headEnd = buffer.firstRange(of: end)
        }
        guard let headEnd else { throw RawClient.Failure(description: "no head") }
        let lines = String(decoding: buffer[..<headEnd.lowerBound], as: UTF8.self).split(separator: "\r\n")
        buffer.removeSubrange(..<headEnd.upperBound)
        var response = Response()
        response.status = Int(lines.first?.split(separator: " ").dropFirst().first ?? "") ?? 0
        for line in lines.dropFirst() {
            guard let colon = line.firstIndex(of: ":") else { continue }
            response.fields[line[..<colon].lowercased()] = String(line[line.index(after: colon)...].drop { $0 == " " })
        }
        let length = hasBody ? Int(response.fields["content-length"] ?? "0") ?? 0 : 0
        while buffer.count < length { try fill() }
        response.body = Array(buffer[..<length])
        buffer.removeSubrange(..<length)
        return response
    }

    private func fill() throws {
        let piece = try socket.receive()
        guard !piece.isEmpty else { throw RawClient.Failure(description: "The server closed the connection") }
        buffer += piece
    }
}
