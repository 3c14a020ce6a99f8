/// Reads what the header of a picture says: format, width, height, orientation.
///
/// The input may be anything at all. No answer takes more than 256 reads, 1 MiB and 65,536 numbers, whatever lengths the
/// input claims, and no pixel is decoded: what the header promises may still not be there.
package enum PictureHeader {
    /// Reads the header of a picture in random-access bytes.
    ///
    /// - Parameters:
    ///   - size: How many bytes there are.
    ///   - bytes: Gives the `count` bytes at `offset`, or as many of them as there are. Both lie within `size`; `count`
    ///     is 1 to 4,096. It is called at most 256 times.
    /// - Returns: The picture, or `nil` if there is no sound header of a known format, or `bytes` came short of a part
    ///   of it. Sides are 1 to 2²⁰ pixels.
    /// - Throws: What `bytes` throws, and nothing else.
    package static func read<Failure: Error>(
        size: Int, _ bytes: (_ offset: Int, _ count: Int) throws(Failure) -> [UInt8]
    ) throws(Failure) -> Picture? {
        // The reader lives no longer than this call.
        try withoutActuallyEscaping(bytes) { (bytes) throws(Failure) -> Picture? in
            var reader = HeaderReader(size: size, bytes: bytes)
            let picture = try picture(&reader)
            return reader.isIncomplete ? nil : picture
        }
    }

    /// Reads the header of a picture that is in memory; `nil` as in the other form.
    package static func read(_ picture: [UInt8]) -> Picture? {
        read(size: picture.count) { offset, count in Array(picture[offset..<offset + count]) }
    }

    /// Asks the one format whose signature is there. A format that fails is not followed by a guess at another.
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
