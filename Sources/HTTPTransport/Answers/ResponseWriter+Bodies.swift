import HTTP

/// Putting an answer into bytes.
extension ResponseWriter {
    /// Bodies up to this size are copied behind their head; larger ones are handed to the socket from where they are.
    static let maxCopiedBytes = 16 << 10

    /// Encodes an answer into the output, and writes what does not fit in there.
    ///
    /// - Parameter isHead: Whether the answer is one to HEAD.
    /// - Returns: `false` if the connection cannot be used any more, because the peer is gone or the body broke off.
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
        }
    }

    private func send(_ source: any HTTPBodySource, length: Int?, isChunked: Bool) async -> Bool {
        var left = length ?? .max
        do {
            while left > 0 {
                // If the source suspends, what there is goes out at the end of the loop's turn.
                flushAtEndOfTurn()
                guard let piece = try await source.next() else { break }
                guard !piece.isEmpty else { continue }
                // More than was announced would be taken for the next answer.
                guard piece.count <= left else { return false }
                if length != nil { left -= piece.count }
                guard await send(piece, isChunked: isChunked) else { return false }
            }
        } catch {
            // No last chunk, or too few bytes: the client sees that the answer broke off.
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
    /// How many bytes are sent; `nil` if nobody knows beforehand.
    fileprivate var length: Int? {
        switch self {
        case .none: 0
        case .bytes(let bytes), .prepared(let bytes, _): bytes.count
        case .file(let file): file.length
        case .stream(let length, _): length
        }
    }
}
