import CZlib

/// How much time to spend on making the output small, 1 to 9.
package struct CompressionLevel: Hashable, Sendable {
    let rawValue: Int32

    /// Creates a level, or `nil` if `rawValue` is not within 1...9.
    package init?(_ rawValue: Int) {
        guard (1...9).contains(rawValue) else { return nil }
        self.rawValue = Int32(rawValue)
    }

    private init(fixed: Int32) {
        rawValue = fixed
    }

    /// Level 1, for answers that are made once and sent once.
    package static let fastest = CompressionLevel(fixed: Z_BEST_SPEED)
    /// Level 6, zlib's own choice.
    package static let balanced = CompressionLevel(fixed: 6)
    /// Level 9, for files that are made once and sent often.
    package static let smallest = CompressionLevel(fixed: Z_BEST_COMPRESSION)
}
