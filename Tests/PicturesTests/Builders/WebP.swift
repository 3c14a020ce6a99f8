/// Files of RIFF chunks (RFC 9649 §2).
enum WebP {
    static func chunk(_ type: String, _ data: [UInt8], size: Int? = nil) -> [UInt8] {
        ascii(type) + little(size ?? data.count, 4) + data + (data.count & 1 == 1 ? [0] : [])
    }

    static func file(_ chunks: [UInt8]..., size: Int? = nil) -> [UInt8] {
        let body = ascii("WEBP") + chunks.flatMap { $0 }
        return ascii("RIFF") + little(size ?? body.count, 4) + body
    }

    /// A VP8 key frame, version 0, shown, with a first partition of 4 bytes. The two bits above the dimensions are the
    /// scale.
    static func lossy(_ width: Int, _ height: Int, tag: Int = 4 << 5 | 1 << 4, scale: Int = 0) -> [UInt8] {
        let sides = little(width | scale << 14, 2) + little(height | scale << 14, 2)
        return chunk("VP8 ", little(tag, 3) + [0x9D, 0x01, 0x2A] + sides + [1, 2, 3, 4])
    }

    static func lossless(_ width: Int, _ height: Int, signature: UInt8 = 0x2F, version: Int = 0) -> [UInt8] {
        let bits = width - 1 | (height - 1) << 14 | 1 << 28 | version << 29
        return chunk("VP8L", [signature] + little(bits, 4) + [0x07, 0xD0, 0xFF])
    }

    /// VP8X; flag 0x08 is EXIF.
    static func extended(_ width: Int, _ height: Int, flags: UInt8 = 0, size: Int? = nil) -> [UInt8] {
        chunk("VP8X", [flags, 0, 0, 0] + little(width - 1, 3) + little(height - 1, 3), size: size)
    }
}
