import HTTP
import Sockets

/// Encodes responses with their bodies.
extension ResponseWriter {
    /// The maximum size in bytes of a body that is copied after its head. Larger bodies are written to the socket
    /// without a copy.
    static let maxCopiedBytes = 16 << 10

    /// Encodes a response into the output. Writes a large or streamed body to the socket.
    ///
    /// - Parameter isHead: Whether the request method is HEAD.
    /// - Returns: `false` if the connection cannot be reused because the peer disconnected or the body failed.
    func send(
        _ response: HTTPResponse, isHead: Bool, version: HTTPVersion, keepsAlive: Bool, id: String
    ) async -> Bool {
        prepareOutput()
        ResponseEncoder.appendHead(
            response, contentLength: response.body.length, date: server.date, requestID: id, keepAlive: keepsAlive,
            version: version, to: &output)
        if isHead || response.status.isBodyless { return true }
        switch response.body {
        case .none: return true
        case .bytes(let body), .prepared(let body, _):
            guard body.count <= Self.maxCopiedBytes else { return await flush(with: body) }
            output += body
            return true
        case .file(let file): return await send(file)
        case .stream(let length, let source):
            return await send(source, length: length, isChunked: length == nil && version == .http11)
        case .events(let source):
            events = source
            server.didOpen(source)
            defer {
                server.didClose(source)
                events = nil
            }
            if socket.hasInputEnded { source.clientDidLeave() }
            return await send(source, length: nil, isChunked: version == .http11)
        }
    }

    private func send(_ source: any HTTPBodySource, length: Int?, isChunked: Bool) async -> Bool {
        var left = length ?? .max
        do {
            while left > 0 {
                // If the body source suspends, the output so far is sent at the end of the loop turn.
                flushAtEndOfTurn()
                guard let piece = try await source.next() else { break }
                guard !piece.isEmpty else { continue }
                // The client would read bytes beyond the announced length as its next response.
                guard piece.count <= left else { return false }
                if length != nil { left -= piece.count }
                guard await send(piece, isChunked: isChunked) else { return false }
            }
        } catch {
            // The client detects the truncation: the last chunk or some bytes are missing.
            return false
        }
        if isChunked {
            prepareOutput()
            output += ResponseEncoder.lastChunk
        }
        return length == nil || left == 0
    }

    private func send(_ piece: [UInt8], isChunked: Bool) async -> Bool {
        prepareOutput()
        if piece.count <= Self.maxCopiedBytes {
            if isChunked {
                ResponseEncoder.appendChunk(piece, to: &output)
            } else {
                output += piece
            }
            return pendingBytes < server.configuration.maxGatheredBytes ? true : await flush()
        }
        guard isChunked else { return await flush(with: piece) }
        output += Array(String(piece.count, radix: 16).utf8)
        output += [0x0D, 0x0A]
        guard await flush(with: piece) else { return false }
        prepareOutput()
        output += [0x0D, 0x0A]
        return true
    }
}

extension HTTPResponseBody {
    /// Whether the end of the body is not known when it begins.
    var isOfUnknownLength: Bool {
        switch self {
        case .stream(nil, _), .events: true
        default: false
        }
    }

    /// The length of the body in bytes; `nil` if unknown.
    fileprivate var length: Int? {
        switch self {
        case .none: 0
        case .bytes(let bytes), .prepared(let bytes, _): bytes.count
        case .file(let file): file.length
        case .stream(let length, _): length
        case .events: nil
        }
    }
}
