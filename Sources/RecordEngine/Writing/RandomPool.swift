internal import Cryptography

/// Random numbers from the system, fetched in blocks of 4 KiB. A system call per record name would take longer than
/// formatting the name.
struct RandomPool {
    private var bytes: [UInt8] = []
    private var position = 0

    /// Returns 64 random bits.
    mutating func next() -> UInt64 {
        if position + 8 > bytes.count {
            bytes = RandomBytes.make(4_096)
            position = 0
        }
        var value: UInt64 = 0
        for index in position..<position + 8 { value = value << 8 | UInt64(bytes[index]) }
        position += 8
        return value
    }

    /// Returns a UUID version 7 as lower-case text (RFC 9562 §5.7).
    mutating func makeUUIDv7(milliseconds: Int64) -> String {
        let time = UInt64(bitPattern: milliseconds)
        let high = time << 16 | 0x7000 | (next() & 0x0FFF)
        let low = 0x8000_0000_0000_0000 | (next() >> 2)
        return String(unsafeUninitializedCapacity: 36) { output in
            var position = 0
            for digit in 0..<32 {
                if digit == 8 || digit == 12 || digit == 16 || digit == 20 {
                    output[position] = UInt8(ascii: "-")
                    position += 1
                }
                let word = digit < 16 ? high : low
                let nibble = UInt8(truncatingIfNeeded: word >> UInt64(60 - (digit & 15) * 4)) & 0x0F
                output[position] = nibble < 10 ? UInt8(ascii: "0") + nibble : UInt8(ascii: "a") + nibble - 10
                position += 1
            }
            return 36
        }
    }
}
