import Compression
import HTTP
import Sockets

/// Compression of responses.
extension HTTPConnection {
    /// The maximum number of bytes to compress in one step: a third of a millisecond of CPU time for JSON.
    private static let compressedAtOnce = 64 << 10

    /// Compresses the response body with gzip if the client accepts gzip and the result is smaller.
    func encode(_ response: inout HTTPResponse, for request: HTTPRequest) async {
        switch response.body {
        case .bytes(let bytes):
            guard ContentCodingChoice.compresses(bytes.count, of: &response, for: request, on: server),
                let smaller = await compress(bytes)
            else { return }
            response.fields.append(.contentEncoding, literal: "gzip")
            response.body = .bytes(smaller)
        case .prepared(let identity, let gzip):
            response.body = .bytes(
                ContentCodingChoice.pick(
                    identity: identity, gzip: gzip, of: &response, for: request, on: server))
        case .none, .stream, .events, .file: return
        }
    }

    /// Returns the gzip form of `bytes`. Returns `nil` if the gzip form is not smaller, if all encoders of the loop are
    /// in use, or if the client disconnected.
    private func compress(_ bytes: [UInt8]) async -> [UInt8]? {
        guard let encoder = server.takeEncoder() else { return nil }
        defer { server.giveBack(encoder) }
        // Earlier responses are sent now if compressing takes longer than the current loop turn.
        writer.flushAtEndOfTurn()
        var compressed: [UInt8] = []
        compressed.reserveCapacity(bytes.count / 3)
        var offset = 0
        while true {
            let end = min(bytes.count, offset + Self.compressedAtOnce)
            bytes.withUnsafeBytes { encoder.encode(.init(rebasing: $0[offset..<end]), into: &compressed) }
            offset = end
            guard offset < bytes.count else { break }
            await server.loop.yieldIfTimeSliceIsOver()
            guard !socket.isClosed, !socket.isHungUp else {
                encoder.reset()
                return nil
            }
        }
        encoder.finish(into: &compressed)
        return compressed.count < bytes.count ? compressed : nil
    }
}
