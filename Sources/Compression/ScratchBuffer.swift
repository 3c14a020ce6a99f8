/// A fixed buffer for zlib's output. The bytes are appended to an array afterwards, because Swift must clear an array's
/// spare capacity before zlib could write there.
struct ScratchBuffer: ~Copyable {
    private let memory: UnsafeMutableBufferPointer<UInt8>

    init(byteCount: Int) {
        memory = .allocate(capacity: byteCount)
        memory.initialize(repeating: 0)
    }

    deinit {
        memory.deallocate()
    }

    /// Calls `write` with a buffer of at most `room` bytes. `write` returns the number of bytes to append to `output`.
    borrowing func append(
        atMost room: Int, to output: inout [UInt8], _ write: (UnsafeMutableBufferPointer<UInt8>) -> Int
    ) {
        let written = write(UnsafeMutableBufferPointer(rebasing: memory.prefix(room)))
        output.append(contentsOf: UnsafeBufferPointer(rebasing: memory.prefix(written)))
    }
}

/// The maximum number of bytes in one call of zlib, whose counters have 32 bits.
let maxPieceBytes = 1 << 30
