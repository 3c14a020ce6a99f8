import HTTP
import Sockets
import Threads

/// Putting an answer into bytes.
extension HTTPConnection {
    /// Bodies up to this size are copied behind their head; larger ones are handed to the socket from where they are.
    static let maxCopiedBytes = 16 << 10

    /// Encodes an answer and, unless more pipelined requests wait, hands it to the socket.
    ///
    /// - Parameter request: What is answered; `nil` for a refusal.
    /// - Returns: `false` if the connection cannot be used any more, because the peer is gone or the body broke off.
    func send(
        _ response: inout HTTPResponse, to request: HTTPRequest?, version: HTTPVersion, keepsAlive: Bool, id: String
    ) async -> Bool {
        let isHead = request?.method == .head
        let date = server.date
        prepareOutput()
        var body: [UInt8]
        switch response.body {
        case .none: body = []
        case .bytes(let bytes):
            body = bytes
            if ContentCodingChoice.compresses(bytes.count, of: &response, for: request, under: server.configuration),
                let smaller = bytes.count <= Self.compressedPerTurn ? server.compress(bytes) : await compress(bytes)
            {
                response.fields.append(.contentEncoding, literal: "gzip")
                body = smaller
            }
            // The server may have begun to stop meanwhile.
            if isLastAnswer { mustClose = true }
        case .prepared(let identity, let gzip):
            body = ContentCodingChoice.pick(
                identity: identity, gzip: gzip, of: &response, for: request, under: server.configuration)
        case .file(let file):
            ResponseEncoder.appendHead(
                response, contentLength: file.length, date: date, requestID: id, keepAlive: keepsAlive,
                version: version, to: &output)
            if isHead || response.status.isBodyless { return await flushUnlessPipelined() }
            return await send(file)
        case .stream(let length, let source):
            ResponseEncoder.appendHead(
                response, contentLength: length, date: date, requestID: id, keepAlive: keepsAlive, version: version,
                to: &output)
            if length == nil, version == .http10 { mustClose = true }
            if isHead || response.status.isBodyless { return await flushUnlessPipelined() }
            return await send(source, length: length, isChunked: length == nil && version == .http11)
        }
        ResponseEncoder.appendHead(
            response, contentLength: body.count, date: date, requestID: id, keepAlive: keepsAlive && !mustClose,
            version: version, to: &output)
        if isHead || response.status.isBodyless { return await flushUnlessPipelined() }
        guard body.count <= Self.maxCopiedBytes else { return await flush(with: body) }
        output += body
        return await flushUnlessPipelined()
    }

    /// Writes, or leaves it to the next answer if a pipelined request waits and the output is not large.
    func flushUnlessPipelined() async -> Bool {
        if pendingCount > 0, output.count - outputStart < server.configuration.maxGatheredBytes { return true }
        return await flush()
    }

    private func send(_ source: any HTTPBodySource, length: Int?, isChunked: Bool) async -> Bool {
        var left = length ?? .max
        do {
            while left > 0 {
                // If the source suspends, what there is goes out at the end of the loop's turn.
                outputDidGrow()
                guard let piece = try await source.next() else { break }
                guard !piece.isEmpty else { continue }
                // More than was announced would be taken for the next answer.
                guard piece.count <= left else { return false }
                if length != nil { left -= piece.count }
                guard await send(piece, isChunked: isChunked) else { return false }
            }
        } catch {
            // No last chunk, or too few bytes: the client sees that the answer broke off.
            _ = await flush()
            return false
        }
        if isChunked {
            prepareOutput()
            output += ResponseEncoder.lastChunk
        }
        guard await flushUnlessPipelined() else { return false }
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
            return output.count - outputStart < server.configuration.maxGatheredBytes ? true : await flush()
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
