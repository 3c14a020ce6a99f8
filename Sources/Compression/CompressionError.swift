/// Why bytes could not be compressed or decompressed.
package enum CompressionError: Error, Hashable, Sendable {
    /// The input is no gzip, or its content contradicts its check sum or length.
    case malformed
    /// The input ended before its trailer.
    case truncated
    /// Something follows the trailer: rubbish, or a second member.
    case trailingData
    /// There is more output than was allowed.
    case outputTooLarge(limit: Int)
    /// The output grew beyond the allowed multiple of the input.
    case ratioTooHigh(limit: Int)
    /// zlib could not allocate its state.
    case outOfMemory
}
