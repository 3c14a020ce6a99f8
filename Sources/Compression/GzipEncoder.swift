import CZlib

/// Gzip (RFC 1952), made in pieces or at once, and the same bytes for the same input: the header has neither time nor
/// name.
///
/// An encoder holds about 256 KB, which take longer to set up than a short answer takes to compress: keep one per
/// thread, and use it again after each ``finish(into:)``. An instance belongs to one thread at a time.
package final class GzipEncoder {
    // zlib's state points back to the stream, which must therefore not move.
    private let stream: UnsafeMutablePointer<z_stream>
    private let scratch = ScratchBuffer(byteCount: 16 << 10)

    /// Allocates an encoder.
    ///
    /// - Throws: `CompressionError.outOfMemory`.
    package init(level: CompressionLevel) throws(CompressionError) {
        stream = .allocate(capacity: 1)
        stream.initialize(to: z_stream())
        // 16 more window bits ask for gzip's framing (zlib manual, deflateInit2); 8 is the usual memory level.
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

    /// Adds `input` to the member that is being made, and appends to `output` what became ready, often nothing.
    package func encode(_ input: UnsafeRawBufferPointer, into output: inout [UInt8]) {
        guard !input.isEmpty else { return }
        deflate(input, Z_NO_FLUSH, into: &output)
    }

    /// Adds `input` to the member that is being made, and appends to `output` what became ready, often nothing.
    package func encode(_ input: [UInt8], into output: inout [UInt8]) {
        input.withUnsafeBytes { encode($0, into: &output) }
    }

    /// Appends everything added so far, on a byte boundary, so that the receiver can decode all of it: for streams whose
    /// parts must arrive. Costs a few bytes and some compression.
    package func flush(into output: inout [UInt8]) {
        deflate(UnsafeRawBufferPointer(start: nil, count: 0), Z_SYNC_FLUSH, into: &output)
    }

    /// Appends the rest of the member with its trailer, and begins a new member.
    package func finish(into output: inout [UInt8]) {
        deflate(UnsafeRawBufferPointer(start: nil, count: 0), Z_FINISH, into: &output)
        reset()
    }

    /// Appends a whole member that holds `input`. Nothing must have been added before.
    package func encodeAll(_ input: UnsafeRawBufferPointer, into output: inout [UInt8]) {
        precondition(stream.pointee.total_in == 0, "The encoder is within a member")
        deflate(input, Z_FINISH, into: &output)
        reset()
    }

    /// Gives up the member that is being made, and begins a new one.
    package func reset() {
        let result = deflateReset(stream)
        precondition(result == Z_OK, "zlib cannot reset")
    }

    /// Returns a whole member that holds `input`, from an encoder made for it.
    ///
    /// - Throws: `CompressionError.outOfMemory`.
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
        // zlib does not write through next_in; its type just lacks the const.
        stream.pointee.next_in = UnsafeMutablePointer(mutating: bytes.baseAddress)
        stream.pointee.avail_in = UInt32(bytes.count)
        var isOutputFull = true
        while isOutputFull {
            scratch.append(atMost: .max, to: &output) { free in
                stream.pointee.next_out = free.baseAddress
                stream.pointee.avail_out = UInt32(free.count)
                let result = CZlib.deflate(stream, flush)
                // Z_BUF_ERROR says that there was nothing to do: harmless.
                precondition(result != Z_STREAM_ERROR, "zlib's state is damaged")
                isOutputFull = stream.pointee.avail_out == 0 && result != Z_STREAM_END
                return free.count - Int(stream.pointee.avail_out)
            }
        }
        // The caller's bytes are gone after this call.
        stream.pointee.next_in = nil
    }
}
