import CCrypto

/// Bytes that nobody can foretell, from libcrypto's generator, which the kernel seeds.
///
/// A generator that fails ends the process: a key or a token of zeros would be worse than no server.
package enum RandomBytes {
    /// Overwrites `buffer` with random bytes.
    package static func fill(_ buffer: UnsafeMutableRawBufferPointer) {
        var rest = buffer[...]
        while !rest.isEmpty {
            let piece = UnsafeMutableRawBufferPointer(rebasing: rest.prefix(1 << 20))
            // The private generator: what it gives is kept apart from bytes that are shown to others.
            let filled = RAND_priv_bytes(piece.baseAddress, Int32(piece.count))
            precondition(filled == 1, "The random generator failed")
            rest = rest.dropFirst(piece.count)
        }
    }

    /// Returns `count` random bytes.
    package static func make(_ count: Int) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
            fill(UnsafeMutableRawBufferPointer(buffer))
            initialized = count
        }
    }
}
