import CZlib

/// The compression level, 1 to 9. Higher levels take more time and give smaller output.
package struct CompressionLevel: Hashable, Sendable {
    let rawValue: Int32

    /// Creates a level. The result is `nil` if `rawValue` is not within 1...9.
    package init?(_ rawValue: Int) {
        guard (1...9).contains(rawValue) else { return nil }
        self.rawValue = Int32(rawValue)
    }

    private init(fixed: Int32) {
        rawValue = fixed
    }

    /// Level 1, for responses that are compressed once and sent once.
    package static let fastest = CompressionLevel(fixed: Z_BEST_SPEED)
    /// Level 6, zlib's default.
    package static let balanced = CompressionLevel(fixed: 6)
    /// Level 9, for files that are compressed once and sent often.
    package static let smallest = CompressionLevel(fixed: Z_BEST_COMPRESSION)
}
