/// Reads format, width, height and orientation from the header of a picture.
///
/// The input may be arbitrary bytes. A call makes at most 256 reads, and reads at most 1 MiB and 65,536 numbers,
/// whatever lengths the input claims. Pixels are not decoded, so the pixel data may be missing or damaged.
package enum PictureHeader {
    /// Reads the header of a picture with random access.
    ///
    /// - Parameters:
    ///   - size: The size of the file in bytes.
    ///   - bytes: Returns `count` bytes of the file, starting at `offset`, or fewer if the file is shorter. The range
    ///     is within `size`, and `count` is 1 to 4,096. The closure is called at most 256 times.
    /// - Returns: The picture; `nil` if the file has no valid header of a known format, or if `bytes` returned too few
    ///   bytes for a part of the header. Width and height are 1 to 2²⁰ pixels.
    /// - Throws: Any error that `bytes` throws.
    package static func read<Failure: Error>(
        size: Int, _ bytes: (_ offset: Int, _ count: Int) throws(Failure) -> [UInt8]
    ) throws(Failure) -> Picture? {
        // The closure does not escape, because the reader exists only during this call.
        try withoutActuallyEscaping(bytes) { (bytes) throws(Failure) -> Picture? in
            var reader = HeaderReader(size: size, bytes: bytes)
            let picture = try picture(&reader)
            return reader.isIncomplete ? nil : picture
        }
    }

    /// Reads the header of a picture in memory.
    ///
    /// - Returns: The picture; `nil` if there is no valid header of a known format.
    package static func read(_ picture: [UInt8]) -> Picture? {
        read(size: picture.count) { offset, count in Array(picture[offset..<offset + count]) }
    }

    /// Reads the header in the format that the file's signature indicates. If that fails, no other format is tried.
    private static func picture<Failure>(_ reader: inout HeaderReader<Failure>) throws(Failure) -> Picture? {
        var rest = reader.whole
        guard let first = try reader.code(from: &rest) else { return nil }
        switch first {
        case "\u{89}PNG": return try PNGHeader.read(&reader)
        case "GIF8": return try GIFHeader.read(&reader)
        case "RIFF": return try WebPHeader.read(&reader)
        case _ where first.isJPEG: return try JPEGHeader.read(&reader)
        default:
            guard try reader.code(from: &rest) == "ftyp" else { return nil }
            return try HEIFHeader.read(&reader)
        }
    }
}
