import Compression
import Sockets

/// Compressing what takes longer than a turn.
extension HTTPConnection {
    /// What is compressed before others have their turn, a third of a millisecond's worth of JSON, and in a crowd.
    static let compressedPerTurn = 64 << 10
    private static let compressedPerTurnInCrowd = 16 << 10

    /// The gzip form of `bytes`; `nil` if it is not smaller, if so many others are being made that there is no encoder, or if
    /// nobody waits for it any more.
    func compress(_ bytes: [UInt8]) async -> [UInt8]? {
        guard let encoder = server.takeEncoder() else { return nil }
        defer { server.giveBack(encoder) }
        // The answers to earlier requests go out meanwhile.
        outputDidGrow()
        var compressed: [UInt8] = []
        compressed.reserveCapacity(bytes.count / 3)
        var offset = 0
        while true {
            let turn = server.loop.share(of: Self.compressedPerTurn, atLeast: Self.compressedPerTurnInCrowd)
            let end = min(bytes.count, offset + turn)
            bytes.withUnsafeBytes { encoder.encode(.init(rebasing: $0[offset..<end]), into: &compressed) }
            offset = end
            guard offset < bytes.count else { break }
            await Task.yield()
            guard !socket.isClosed, !socket.isHungUp else {
                encoder.reset()
                return nil
            }
        }
        encoder.finish(into: &compressed)
        prepareOutput()
        return compressed.count < bytes.count ? compressed : nil
    }
}
