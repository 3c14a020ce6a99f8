import Foundation

/// A directory that is removed with its test.
final class TestDirectory: Sendable {
    let url: URL

    init() throws {
        url = URL(fileURLWithPath: NSTemporaryDirectory()).appendingPathComponent("fogbase-files-" + UUID().uuidString)
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: url) }

    /// A file of bytes without repeated ranges.
    func file(_ name: String, bytes count: Int) throws -> URL {
        var state: UInt64 = 0x9E37_79B9_7F4A_7C15
        let words = (0..<(count + 7) / 8).map { _ in
            state ^= state << 13
            state ^= state >> 7
            state ^= state << 17
            return state
        }
        let file = url.appendingPathComponent(name)
        try words.withUnsafeBytes { try Data($0.prefix(count)).write(to: file) }
        return file
    }
}
