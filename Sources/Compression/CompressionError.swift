/// The reason why compression or decompression failed.
package enum CompressionError: Error, Hashable, Sendable {
    /// The input is not in gzip format, or the checksum or length in its trailer does not match the content.
    case malformed
    /// The input ended before the end of the gzip trailer.
    case truncated
    /// Data, such as a second gzip member, follows the trailer.
    case trailingData
    /// The output exceeds the limit, in bytes.
    case outputTooLarge(limit: Int)
    /// The ratio of output bytes to input bytes exceeds the limit.
    case ratioTooHigh(limit: Int)
    /// zlib could not allocate its state.
    case outOfMemory
}
