import Compression
import HTTP
import Sockets

/// Giving an answer the content coding that its client accepts.
extension HTTPConnection {
    /// What is compressed at once, a third of a millisecond's worth of JSON.
    private static let compressedAtOnce = 64 << 10

    /// Puts the body into gzip where that is asked for and makes it smaller.
    func encode(_ response: inout HTTPResponse, for request: HTTPRequest) async {
        switch response.body {
        case .bytes(let bytes):
            guard ContentCodingChoice.compresses(bytes.count, of: &response, for: request, under: server.configuration),
                let smaller = await compress(bytes)
            else { return }
            response.fields.append(.contentEncoding, literal: "gzip")
            response.body = .bytes(smaller)
        case .prepared(let identity, let gzip):
            response.body = .bytes(
                ContentCodingChoice.pick(
                    identity: identity, gzip: gzip, of: &response, for: request, under: server.configuration))
        case .none, .stream, .file: return
        }
    }

    /// The gzip form of `bytes`; `nil` if it is not smaller, if so many others are being made that there is no encoder, or if
    /// nobody waits for it any more.
    private func compress(_ bytes: [UInt8]) async -> [UInt8]? {
        guard let encoder = server.takeEncoder() else { return nil }
        defer { server.giveBack(encoder) }
        // The answers to earlier requests go out if this one takes longer than a turn.
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
