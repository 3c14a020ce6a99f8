import CZlib

/// An encoder for gzip (RFC 1952) that accepts the input in pieces or at once. Equal input gives equal output, because
/// the gzip header contains neither a time nor a file name.
///
/// An encoder holds about 280 KB. Keep one per thread, not one per connection, and reuse it after each
/// ``finish(into:)``. Only one thread at a time can use an instance.
package final class GzipEncoder {
    // zlib's state points back to the stream, so the stream must not move.
    private let stream: UnsafeMutablePointer<z_stream>
    private let scratch = ScratchBuffer(byteCount: 16 << 10)

    /// Creates an encoder.
    ///
    /// - Throws: `outOfMemory`.
    package init(level: CompressionLevel) throws(CompressionError) {
        stream = .allocate(capacity: 1)
        stream.initialize(to: z_stream())
        // Adding 16 to the window bits selects gzip framing (zlib manual, deflateInit2); 8 is the default memory level.
        let result = deflateInit2_(
            stream, level.rawValue, Z_DEFLATED, MAX_WBITS + 16, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION,
            Int32(MemoryLayout<z_stream>.size))
        guard result == Z_OK else {
            stream.deallocate()
            throw .outOfMemory
        }
    }

    deinit {
        deflateEnd(stream)
        stream.deallocate()
    }

    /// Adds `input` to the current member, and appends the compressed bytes that zlib has ready to `output`. Often zlib
    /// has none ready.
    package func encode(_ input: UnsafeRawBufferPointer, into output: inout [UInt8]) {
        guard !input.isEmpty else { return }
        deflate(input, Z_NO_FLUSH, into: &output)
    }

    /// Adds `input` to the current member, and appends the compressed bytes that zlib has ready to `output`. Often zlib
    /// has none ready.
    package func encode(_ input: [UInt8], into output: inout [UInt8]) {
        input.withUnsafeBytes { encode($0, into: &output) }
    }

    /// Appends the compressed form of all input so far to `output`, so that the receiver can decode it. Use it for
    /// streams whose parts must arrive without delay. A flush adds a few bytes and reduces the compression.
    package func flush(into output: inout [UInt8]) {
        deflate(UnsafeRawBufferPointer(start: nil, count: 0), Z_SYNC_FLUSH, into: &output)
    }

    /// Appends the rest of the member with its trailer and starts a new member.
    package func finish(into output: inout [UInt8]) {
        deflate(UnsafeRawBufferPointer(start: nil, count: 0), Z_FINISH, into: &output)
        reset()
    }

    /// Appends a complete member with the content `input` to `output`. The current member must be empty.
    package func encodeAll(_ input: UnsafeRawBufferPointer, into output: inout [UInt8]) {
        precondition(stream.pointee.total_in == 0, "The encoder is within a member")
        deflate(input, Z_FINISH, into: &output)
        reset()
    }

    /// Discards the current member and starts a new one.
    package func reset() {
        let result = deflateReset(stream)
        precondition(result == Z_OK, "zlib cannot reset")
    }

    /// Returns a complete member with the content `input`.
    ///
    /// - Throws: `outOfMemory`.
    package static func encode(_ input: [UInt8], level: CompressionLevel) throws(CompressionError) -> [UInt8] {
        let encoder = try GzipEncoder(level: level)
        var output: [UInt8] = []
        input.withUnsafeBytes { encoder.encodeAll($0, into: &output) }
        return output
    }

    private func deflate(_ input: UnsafeRawBufferPointer, _ flush: Int32, into output: inout [UInt8]) {
        var rest = input[...]
        repeat {
            let piece = UnsafeRawBufferPointer(rebasing: rest.prefix(maxPieceBytes))
            rest = rest.dropFirst(piece.count)
            deflatePiece(piece, rest.isEmpty ? flush : Z_NO_FLUSH, into: &output)
        } while !rest.isEmpty
    }

    private func deflatePiece(_ piece: UnsafeRawBufferPointer, _ flush: Int32, into output: inout [UInt8]) {
        let bytes = piece.bindMemory(to: UInt8.self)
        // zlib does not write through `next_in`, although the pointer type is not const.
        stream.pointee.next_in = UnsafeMutablePointer(mutating: bytes.baseAddress)
        stream.pointee.avail_in = UInt32(bytes.count)
        var isOutputFull = true
        while isOutputFull {
            scratch.append(atMost: .max, to: &output) { free in
                stream.pointee.next_out = free.baseAddress
                stream.pointee.avail_out = UInt32(free.count)
                let result = CZlib.deflate(stream, flush)
                // Z_BUF_ERROR means that zlib had nothing to do. This result is harmless.
                precondition(result != Z_STREAM_ERROR, "zlib's state is damaged")
                isOutputFull = stream.pointee.avail_out == 0 && result != Z_STREAM_END
                return free.count - Int(stream.pointee.avail_out)
            }
        }
        // The pointer to the caller's bytes is invalid after this call.
        stream.pointee.next_in = nil
    }
}
