/// What stands for the SHA-256 of a file in a server that is none: 32 bytes that the same content has again. Cryptography is for
/// libraries, of which the client has none on all of its platforms, and a test's files have no enemies.
enum FileFingerprint {
    /// Four sums by FNV-1a (64 bits), each from another start.
    static func of(_ content: [UInt8]) -> [UInt8] {
        (1...4).flatMap { (start: UInt64) -> [UInt8] in
            var sum: UInt64 = 0xcbf2_9ce4_8422_2325 &* start
            for byte in content { sum = (sum ^ UInt64(byte)) &* 0x100_0000_01b3 }
            return withUnsafeBytes(of: sum.bigEndian) { Array($0) }
        }
    }
}
