import CZlib

/// A decoder for gzip (RFC 1952) that accepts the input in pieces or at once, and limits the output.
///
/// The input is one member or several in sequence (§2.2), as `cat a.gz b.gz` makes them. The limits are for all of them
/// together. Anything else after a member is an error.
///
/// A decoder holds about 60 KB. Call ``reset(limits:)`` before decoding other input. The call is also required before
/// reuse after an error. Only one thread at a time can use an instance.
package final class GzipDecoder {
    /// The limits on the output. The limits prevent a small input from expanding to gigabytes.
    package struct Limits: Hashable, Sendable {
        /// The maximum number of output bytes.
        package var maxOutputBytes: Int
        /// The maximum number of output bytes per input byte. The limit applies when the output exceeds
        /// `ratioFreeBytes`. Deflate can reach 1,032; JSON of repeated records hardly reaches 100.
        package var maxRatio: Int
        /// The number of output bytes up to which any ratio is allowed, because short texts of one repeated letter are
        /// legitimate.
        package var ratioFreeBytes: Int

        /// Creates limits.
        package init(maxOutputBytes: Int, maxRatio: Int = 200, ratioFreeBytes: Int = 1 << 20) {
            precondition(maxOutputBytes >= 0 && maxRatio > 0 && ratioFreeBytes >= 0, "A limit is negative")
            self.maxOutputBytes = maxOutputBytes
            self.maxRatio = maxRatio
            self.ratioFreeBytes = ratioFreeBytes
        }
    }

    private enum State {
        case decoding
        /// A member has ended, and another may begin.
        case ended
        case failed(CompressionError)
    }

    // zlib's state points back to the stream, so the stream must not move.
    private let stream: UnsafeMutablePointer<z_stream>
    private let scratch = ScratchBuffer(byteCount: 16 << 10)
    private var limits: Limits
    private var state = State.decoding
    /// Whether the last call stopped because the output had reached `room` bytes. The decoder can then have more output
    /// without further input.
    package private(set) var hasMore = false
    private var inputBytes = 0
    private var outputBytes = 0
    /// Whether the member is not the first one.
    private var isFurtherMember = false

    /// Creates a decoder.
    ///
    /// - Throws: `outOfMemory`.
    package init(limits: Limits) throws(CompressionError) {
        self.limits = limits
        stream = .allocate(capacity: 1)
        stream.initialize(to: z_stream())
        // Adding 16 to the window bits accepts gzip framing only (zlib manual, inflateInit2).
        let result = inflateInit2_(stream, MAX_WBITS + 16, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
        guard result == Z_OK else {
            stream.deallocate()
            throw .outOfMemory
        }
    }

    deinit {
        inflateEnd(stream)
        stream.deallocate()
    }

    /// Whether the trailer of the last member has been read and is valid.
    package var isAtEnd: Bool {
        if case .ended = state { true } else { false }
    }

    /// Decodes the next piece of input and appends the result to `output`.
    ///
    /// - Throws: Any `CompressionError` except `truncated`. `output` then contains the bytes that were decoded before
    ///   the error, never more than the limit. Later calls throw the same error until ``reset(limits:)``.
    package func decode(_ input: UnsafeRawBufferPointer, into output: inout [UInt8]) throws(CompressionError) {
        var rest = input
        while !rest.isEmpty {
            let used = try decode(rest, atMost: .max, into: &output)
            rest = UnsafeRawBufferPointer(rebasing: rest[used...])
        }
    }

    /// Decodes the next piece of input until the piece is used up or `room` bytes have been appended to `output`.
    ///
    /// The caller passes the unused input to the next call. If no input is left and ``hasMore`` is true, the caller
    /// passes an empty piece.
    ///
    /// - Parameter room: The maximum number of bytes to append, at least 1.
    /// - Returns: The number of bytes of `input` that were used.
    /// - Throws: The same errors as `decode(_:into:)` with a raw buffer.
    package func decode(
        _ input: UnsafeRawBufferPointer, atMost room: Int, into output: inout [UInt8]
    ) throws(CompressionError) -> Int {
        precondition(room > 0, "There is no room for output")
        guard !input.isEmpty || hasMore else { return 0 }
        hasMore = false
        do {
            return try inflatePiece(UnsafeRawBufferPointer(rebasing: input.prefix(maxPieceBytes)), room, into: &output)
        } catch {
            state = .failed(error)
            throw error
        }
    }

    /// Decodes the next piece of input and appends the result to `output`.
    ///
    /// - Throws: The same errors as `decode(_:into:)` with a raw buffer.
    package func decode(_ input: [UInt8], into output: inout [UInt8]) throws(CompressionError) {
        // Array.withUnsafeBytes does not preserve the error type.
        try input.withUnsafeBufferPointer { (bytes) throws(CompressionError) in
            try decode(UnsafeRawBufferPointer(bytes), into: &output)
        }
    }

    /// Checks that the input was complete.
    ///
    /// - Throws: `truncated` if a member is incomplete or there was no input; the earlier error if decoding has
    ///   failed.
    package func finish() throws(CompressionError) {
        switch state {
        case .ended: return
        case .decoding: throw .truncated
        case .failed(let error): throw error
        }
    }

    /// Resets the decoder for other input with the given limits.
    package func reset(limits: Limits) {
        beginMember()
        self.limits = limits
        isFurtherMember = false
        hasMore = false
        inputBytes = 0
        outputBytes = 0
    }

    private func beginMember() {
        let result = inflateReset(stream)
        precondition(result == Z_OK, "zlib cannot reset")
        state = .decoding
    }

    /// Returns the content of `input`.
    ///
    /// - Throws: Any `CompressionError`.
    package static func decode(_ input: [UInt8], limits: Limits) throws(CompressionError) -> [UInt8] {
        let decoder = try GzipDecoder(limits: limits)
        var output: [UInt8] = []
        try decoder.decode(input, into: &output)
        try decoder.finish()
        return output
    }

    private func inflatePiece(
        _ piece: UnsafeRawBufferPointer, _ room: Int, into output: inout [UInt8]
    ) throws(CompressionError) -> Int {
        switch state {
        case .decoding: break
        case .ended:
            guard piece.first == 0x1F else { throw .trailingData }
            beginMember()
            isFurtherMember = true
        case .failed(let error): throw error
        }
        let bytes = piece.bindMemory(to: UInt8.self)
        // zlib does not write through `next_in`, although the pointer type is not const.
        stream.pointee.next_in = UnsafeMutablePointer(mutating: bytes.baseAddress)
        stream.pointee.avail_in = UInt32(bytes.count)
        // The pointer to the caller's bytes is invalid after this call.
        defer { stream.pointee.next_in = nil }
        let start = inputBytes
        let end = room < .max - outputBytes ? outputBytes + room : .max
        while true {
            let step = inflateStep(upTo: end, into: &output)
            let used = bytes.count - Int(stream.pointee.avail_in)
            inputBytes = start + used
            try check(&output)
            switch step.result {
            case Z_STREAM_END:
                // The caller passes the rest again.
                state = .ended
                return used
            case Z_OK, Z_BUF_ERROR:
                // Output space is left only if the input is used up and zlib has no more output.
                if !step.isOutputFull { return used }
                if outputBytes == end {
                    hasMore = true
                    return used
                }
            case Z_MEM_ERROR: throw .outOfMemory
            // No member begins so.
            default: throw isFurtherMember && stream.pointee.total_out == 0 ? .trailingData : .malformed
            }
        }
    }

    private func inflateStep(upTo end: Int, into output: inout [UInt8]) -> (result: Int32, isOutputFull: Bool) {
        // Give zlib room for one byte more than the limit, to detect output beyond the limit.
        let left = limits.maxOutputBytes - outputBytes
        let room = min(
            left == .max ? left : left + 1, end - outputBytes, Self.checkedBytes - outputBytes % Self.checkedBytes)
        var result = Z_OK
        var isOutputFull = false
        scratch.append(atMost: room, to: &output) { free in
            stream.pointee.next_out = free.baseAddress
            stream.pointee.avail_out = UInt32(free.count)
            result = inflate(stream, Z_NO_FLUSH)
            isOutputFull = stream.pointee.avail_out == 0
            let written = free.count - Int(stream.pointee.avail_out)
            outputBytes += written
            return written
        }
        return (result, isOutputFull)
    }

    /// The interval of the ratio checks, in output bytes. Checks at fixed positions give the same result for any
    /// division of the input into pieces.
    private static let checkedBytes = 16 << 10

    private func check(_ output: inout [UInt8]) throws(CompressionError) {
        if outputBytes > limits.maxOutputBytes {
            output.removeLast(outputBytes - limits.maxOutputBytes)
            throw .outputTooLarge(limit: limits.maxOutputBytes)
        }
        // Divide instead of multiplying, to avoid overflow.
        if outputBytes % Self.checkedBytes == 0, outputBytes > limits.ratioFreeBytes,
            outputBytes / limits.maxRatio > inputBytes
        {
            throw .ratioTooHigh(limit: limits.maxRatio)
        }
    }
}
