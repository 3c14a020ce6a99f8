/// A 32-byte hash of a file's content. The in-memory server uses it instead of SHA-256.
///
/// Not every platform of the client has a cryptography library, and tests need no collision resistance.
enum FileFingerprint {
    /// Returns four concatenated 64-bit FNV-1a hashes of the content, each with another start value.
    static func of(_ content: [UInt8]) -> [UInt8] {
        (1...4).flatMap { (start: UInt64) -> [UInt8] in
            var sum: UInt64 = 0xcbf2_9ce4_8422_2325 &* start
            for byte in content { sum = (sum ^ UInt64(byte)) &* 0x100_0000_01b3 }
            return withUnsafeBytes(of: sum.bigEndian) { Array($0) }
        }
    }
}
