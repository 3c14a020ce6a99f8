/// Files of chunks (PNG, third edition, §5).
enum PNG {
    static let signature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
    static let pixels = chunk("IDAT", [0x78, 0x9C, 0x03, 0x00, 0x00, 0x00, 0x00, 0x01])
    static let end = chunk("IEND", [])

    static func chunk(_ type: String, _ data: [UInt8], length: Int? = nil) -> [UInt8] {
        big(length ?? data.count, 4) + ascii(type) + data + big(crc(ascii(type) + data), 4)
    }

    /// IHDR: sides, bit depth, colour type, compression, filter, interlace.
    static func header(
        _ width: Int, _ height: Int, depth: Int = 8, colour: Int = 2, methods: [UInt8] = [0, 0, 0], length: Int? = nil
    ) -> [UInt8] {
        chunk("IHDR", big(width, 4) + big(height, 4) + big(depth, 1) + big(colour, 1) + methods, length: length)
    }

    static func file(_ chunks: [UInt8]...) -> [UInt8] { signature + chunks.flatMap { $0 } + pixels + end }

    /// §5.5 and Annex D: by a table, unlike the module's.
    static func crc(_ bytes: [UInt8]) -> Int {
        var register = UInt32.max
        for byte in bytes {
            let index = UInt8(truncatingIfNeeded: register) ^ byte
            register = table[Int(index)] ^ (register >> 8)
        }
        return Int(~register)
    }

    private static let table: [UInt32] = (0..<256).map { index in
        var entry = UInt32(index)
        for _ in 0..<8 { entry = entry & 1 == 1 ? 0xEDB8_8320 ^ (entry >> 1) : entry >> 1 }
        return entry
    }
}
