import CCrypto

/// Cryptographically secure random bytes from libcrypto's generator, which the kernel seeds.
///
/// If the generator fails, the process ends, because predictable keys and tokens would be insecure.
package enum RandomBytes {
    /// Overwrites `buffer` with random bytes.
    package static func fill(_ buffer: UnsafeMutableRawBufferPointer) {
        var rest = buffer[...]
        while !rest.isEmpty {
            let piece = UnsafeMutableRawBufferPointer(rebasing: rest.prefix(1 << 20))
            // Use the private generator: its output is independent of the public generator, whose bytes others can see.
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
