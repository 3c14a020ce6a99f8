/// The header of a PNG (Portable Network Graphics, third edition).
enum PNGHeader {
    /// Reads from the signature up to the first IDAT chunk. An eXIf chunk must precede IDAT (§5.6). Some old writers
    /// put eXIf at the end, where libvips ignores it too.
    static func read<Failure>(_ reader: inout HeaderReader<Failure>) throws(Failure) -> Picture? {
        var rest = reader.whole
        guard try reader.number(4, from: &rest) == 0x8950_4E47, try reader.number(4, from: &rest) == 0x0D0A_1A0A,
            try reader.number(4, from: &rest) == 13,
            var picture = try imageHeader(&reader, &rest)
        else { return nil }
        var isTurned = false
        while let length = try reader.number(4, from: &rest), let type = try reader.code(from: &rest) {
            switch type {
            case "IDAT": return picture
            case "IHDR", "IEND": return nil
            default: break
            }
            // A length is less than 2³¹, a type consists of letters, and a CRC follows the data (§5.3).
            guard type.isLetters, length <= Int(Int32.max), var data = rest.take(length), rest.take(4) != nil else {
                return nil
            }
            if type == "eXIf", !isTurned {
                isTurned = true
                _ = try Exif.takePrefix(&reader, from: &data)
                picture.orientation = try Exif.orientation(&reader, in: data) ?? 1
            }
        }
        return nil
    }

    /// Reads IHDR from its type to its CRC (§11.2.1).
    private static func imageHeader<Failure>(
        _ reader: inout HeaderReader<Failure>, _ rest: inout Extent
    ) throws(Failure) -> Picture? {
        var copy = rest
        guard try reader.code(from: &rest) == "IHDR",
            let width = try reader.number(4, from: &rest),
            let height = try reader.number(4, from: &rest),
            let depth = try reader.number(1, from: &rest),
            let colour = try reader.number(1, from: &rest), isAllowed(depth: depth, colour: colour),
            try reader.number(2, from: &rest) == 0,  // The compression and filter methods.
            let interlace = try reader.number(1, from: &rest), interlace <= 1,
            let checksum = try reader.number(4, from: &rest)
        else { return nil }
        var actual = CRC32()
        for _ in 0..<17 {
            guard let byte = try reader.number(1, from: &copy) else { return nil }
            actual.add(UInt8(truncatingIfNeeded: byte))
        }
        guard actual.value == checksum else { return nil }
        return Picture(sound: .png, width: width, height: height)
    }

    /// Returns whether a color type allows a bit depth (§11.2.1, table 8).
    private static func isAllowed(depth: Int, colour: Int) -> Bool {
        switch colour {
        case 0: [1, 2, 4, 8, 16].contains(depth)
        case 3: [1, 2, 4, 8].contains(depth)
        case 2, 4, 6: depth == 8 || depth == 16
        default: false
        }
    }
}

/// The checksum of a chunk's type and data (§5.5). The computation goes bit by bit, because only 17 bytes need a
/// checksum.
private struct CRC32 {
    private var register: UInt32 = .max

    var value: Int { Int(~register) }

    mutating func add(_ byte: UInt8) {
        register ^= UInt32(byte)
        for _ in 0..<8 {
            register = register & 1 == 1 ? register >> 1 ^ 0xEDB8_8320 : register >> 1
        }
    }
}
