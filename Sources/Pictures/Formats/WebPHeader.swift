/// The header of a WebP picture (RFC 9649).
enum WebPHeader {
    /// The flag for EXIF metadata in VP8X (§2.7.1.1).
    private static let exifFlag = 0x08

    /// Reads the RIFF header (§2.4) and the first chunk, which contains the size. EXIF metadata may be anywhere after
    /// this chunk.
    static func read<Failure>(_ reader: inout HeaderReader<Failure>) throws(Failure) -> Picture? {
        var file = reader.whole
        guard try reader.code(from: &file) == "RIFF", let size = try reader.number(4, .little, from: &file),
            // Data after the RIFF chunk is not part of the picture.
            var rest = file.take(size),
            try reader.code(from: &rest) == "WEBP",
            let chunk = try chunk(&reader, &rest)
        else { return nil }
        switch chunk.type {
        case "VP8 ": return try lossy(&reader, chunk.data)
        case "VP8L": return try lossless(&reader, chunk.data)
        case "VP8X": return try extended(&reader, chunk.data, rest)
        default: return nil
        }
    }

    /// Reads a chunk: type, size, data, and a byte of padding if the size is odd (§2.3).
    private static func chunk<Failure>(
        _ reader: inout HeaderReader<Failure>, _ rest: inout Extent
    ) throws(Failure) -> (type: Code, data: Extent)? {
        guard let type = try reader.code(from: &rest), let size = try reader.number(4, .little, from: &rest),
            let data = rest.take(size)
        else { return nil }
        // Some writers omit the padding of the last chunk.
        if size & 1 == 1 { _ = rest.take(1) }
        return (type, data)
    }

    /// Reads the frame header of a VP8 key frame (RFC 6386 §9.1): a tag of 3 bytes, a start code, and width and height,
    /// each with a scale in its two highest bits.
    private static func lossy<Failure>(
        _ reader: inout HeaderReader<Failure>, _ data: Extent
    ) throws(Failure) -> Picture? {
        var rest = data
        guard let tag = try reader.number(3, .little, from: &rest),
            tag & 1 == 0,  // A key frame,
            tag >> 1 & 7 <= 3,  // of a known version,
            tag >> 4 & 1 == 1,  // that is shown,
            tag >> 5 < data.count,  // and whose first partition is there.
            try reader.number(3, from: &rest) == 0x9D_012A,
            let width = try reader.number(2, .little, from: &rest),
            let height = try reader.number(2, .little, from: &rest)
        else { return nil }
        return Picture(sound: .webp, width: width & 0x3FFF, height: height & 0x3FFF)
    }

    /// Reads the header of a lossless image (§3.4): a signature, width and height minus 1 in 14 bits each, a hint, and
    /// version 0.
    private static func lossless<Failure>(
        _ reader: inout HeaderReader<Failure>, _ data: Extent
    ) throws(Failure) -> Picture? {
        var rest = data
        guard try reader.number(1, from: &rest) == 0x2F,
            let bits = try reader.number(4, .little, from: &rest), bits >> 29 == 0
        else { return nil }
        return Picture(sound: .webp, width: (bits & 0x3FFF) + 1, height: (bits >> 14 & 0x3FFF) + 1)
    }

    /// Reads the extended format (§2.7): flags, three reserved bytes, and width and height of the canvas minus 1.
    private static func extended<Failure>(
        _ reader: inout HeaderReader<Failure>, _ data: Extent, _ chunks: Extent
    ) throws(Failure) -> Picture? {
        var rest = data
        guard data.count == 10,
            let flags = try reader.number(1, from: &rest), try reader.number(3, from: &rest) != nil,
            let widthLess1 = try reader.number(3, .little, from: &rest),
            let heightLess1 = try reader.number(3, .little, from: &rest),
            var picture = Picture(sound: .webp, width: widthLess1 + 1, height: heightLess1 + 1)
        else { return nil }
        guard flags & exifFlag != 0 else { return picture }
        rest = chunks
        while !rest.isEmpty {
            guard var chunk = try chunk(&reader, &rest) else {
                // An animation may have too many frames to skip within the budget. The picture is returned without an
                // orientation then, because animations seldom have one.
                return reader.isSpent ? picture : nil
            }
            guard chunk.type == "EXIF" else { continue }
            _ = try Exif.takePrefix(&reader, from: &chunk.data)
            picture.orientation = try Exif.orientation(&reader, in: chunk.data) ?? 1
            break
        }
        return picture
    }
}
