/// A fixed piece of memory that zlib writes to before the bytes are appended to an array, which cannot lend its spare
/// capacity without clearing it first.
struct ScratchBuffer: ~Copyable {
    private let memory: UnsafeMutableBufferPointer<UInt8>

    init(byteCount: Int) {
        memory = .allocate(capacity: byteCount)
        memory.initialize(repeating: 0)
    }

    deinit {
        memory.deallocate()
    }

    /// Lends at most `room` bytes to `write`, and appends as many of them to `output` as it says it wrote.
    borrowing func append(
        atMost room: Int, to output: inout [UInt8], _ write: (UnsafeMutableBufferPointer<UInt8>) -> Int
    ) {
        let written = write(UnsafeMutableBufferPointer(rebasing: memory.prefix(room)))
        output.append(contentsOf: UnsafeBufferPointer(rebasing: memory.prefix(written)))
    }
}

/// The most bytes given to zlib at once: it counts in 32 bits.
let maxPieceBytes = 1 << 30
