import CZlib

/// The content of a gzip member (RFC 1952), decoded in pieces or at once, within limits.
///
/// Exactly one member is accepted. RFC 1952 §2.2 lets several follow each other, but what HTTP clients send is one, and
/// readers disagree on what comes after it; so anything behind the trailer is an error.
///
/// A decoder holds about 60 KB. It can be used again after ``reset(limits:)``; after an error it must be reset first.
/// An instance belongs to one thread at a time.
package final class GzipDecoder {
    /// How much output is borne: the defence against a few bytes that expand to gigabytes.
    package struct Limits: Hashable, Sendable {
        /// The most bytes of output.
        package var maxOutputBytes: Int
        /// The most bytes of output per byte of input, once the output exceeds `ratioFreeBytes`. Deflate reaches
        /// 1,032; JSON of repeated records hardly 100.
        package var maxRatio: Int
        /// As much output is fine at any ratio: short texts of one repeated letter exist.
        package var ratioFreeBytes: Int

        package init(maxOutputBytes: Int, maxRatio: Int = 200, ratioFreeBytes: Int = 1 << 20) {
            precondition(maxOutputBytes >= 0 && maxRatio > 0 && ratioFreeBytes >= 0, "A limit is negative")
            self.maxOutputBytes = maxOutputBytes
            self.maxRatio = maxRatio
            self.ratioFreeBytes = ratioFreeBytes
        }
    }

    private enum State {
        case decoding
        case ended
        case failed(CompressionError)
    }

    // zlib's state points back to the stream, which must therefore not move.
    private let stream: UnsafeMutablePointer<z_stream>
    private let scratch = ScratchBuffer(byteCount: 16 << 10)
    private var limits: Limits
    private var state = State.decoding
    /// Whether the last call ended for want of room: what was used of the input may hold more.
    package private(set) var hasMore = false
    private var inputBytes = 0
    private var outputBytes = 0

    /// Allocates a decoder.
    ///
    /// - Throws: `CompressionError.outOfMemory`.
    package init(limits: Limits) throws(CompressionError) {
        self.limits = limits
        stream = .allocate(capacity: 1)
        stream.initialize(to: z_stream())
        // 16 more window bits accept gzip's framing and no other (zlib manual, inflateInit2).
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

    /// Whether the trailer has been read and found right.
    package var isAtEnd: Bool {
        if case .ended = state { true } else { false }
    }

    /// Decodes the next piece of input and appends what it holds to `output`.
    ///
    /// - Throws: Any `CompressionError` but `.truncated`. `output` then holds what was decoded before, never more
    ///   than the limit; the same error is thrown again until ``reset(limits:)``.
    package func decode(_ input: UnsafeRawBufferPointer, into output: inout [UInt8]) throws(CompressionError) {
        var rest = input
        while !rest.isEmpty {
            let used = try decode(rest, atMost: .max, into: &output)
            rest = UnsafeRawBufferPointer(rebasing: rest[used...])
        }
    }

    /// Decodes the next piece of input until it is used up or `room` bytes have come of it, which are appended to `output`.
    ///
    /// The caller goes on with what was not used; with an empty piece, if ``hasMore`` says so and nothing is left.
    ///
    /// - Parameter room: At least 1.
    /// - Returns: How many bytes of `input` were used.
    /// - Throws: As the other form.
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

    /// Decodes the next piece of input and appends what it holds to `output`; see the other form.
    package func decode(_ input: [UInt8], into output: inout [UInt8]) throws(CompressionError) {
        // Array.withUnsafeBytes does not carry the type of the error.
        try input.withUnsafeBufferPointer { (bytes) throws(CompressionError) in
            try decode(UnsafeRawBufferPointer(bytes), into: &output)
        }
    }

    /// Says that the input is at its end.
    ///
    /// - Throws: `.truncated` if the member is not (no input at all is not a member either), or the error that came
    ///   before.
    package func finish() throws(CompressionError) {
        switch state {
        case .ended: return
        case .decoding: throw .truncated
        case .failed(let error): throw error
        }
    }

    /// Forgets everything, and begins a new member under `limits`.
    package func reset(limits: Limits) {
        let result = inflateReset(stream)
        precondition(result == Z_OK, "zlib cannot reset")
        self.limits = limits
        state = .decoding
        hasMore = false
        inputBytes = 0
        outputBytes = 0
    }

    /// Returns the content of the one member that `input` must be.
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
        case .ended: throw .trailingData
        case .failed(let error): throw error
        }
        let bytes = piece.bindMemory(to: UInt8.self)
        // zlib does not write through next_in; its type just lacks the const.
        stream.pointee.next_in = UnsafeMutablePointer(mutating: bytes.baseAddress)
        stream.pointee.avail_in = UInt32(bytes.count)
        // The caller's bytes are gone after this call.
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
                state = .ended
                guard used == bytes.count else { throw .trailingData }
                return used
            case Z_OK, Z_BUF_ERROR:
                // Room is left only when the input is used up, and zlib has nothing more to give.
                if !step.isOutputFull { return used }
                if outputBytes == end {
                    hasMore = true
                    return used
                }
            case Z_MEM_ERROR: throw .outOfMemory
            default: throw .malformed
            }
        }
    }

    private func inflateStep(upTo end: Int, into output: inout [UInt8]) -> (result: Int32, isOutputFull: Bool) {
        // One byte beyond the limit, so that zlib can show that there is more.
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

    /// The ratio is judged at multiples of so many bytes of output, so that the verdict on a content does not depend on how
    /// its bytes were cut on their way.
    private static let checkedBytes = 16 << 10

    private func check(_ output: inout [UInt8]) throws(CompressionError) {
        if outputBytes > limits.maxOutputBytes {
            output.removeLast(outputBytes - limits.maxOutputBytes)
            throw .outputTooLarge(limit: limits.maxOutputBytes)
        }
        // Divided, not multiplied: no overflow.
        if outputBytes % Self.checkedBytes == 0, outputBytes > limits.ratioFreeBytes,
            outputBytes / limits.maxRatio > inputBytes
        {
            throw .ratioTooHigh(limit: limits.maxRatio)
        }
    }
}
