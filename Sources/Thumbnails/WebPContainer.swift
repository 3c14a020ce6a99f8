/// Removes metadata from WebP files (RFC 9649).
enum WebPContainer {
    /// Returns the file without EXIF, XMP, color profile and unknown chunks. The result is `nil` if the file is
    /// malformed.
    ///
    /// libvips 8.13 and 8.14 ignore the option `strip` for WebP (libvips issue 3340). The location of a photograph must
    /// not leak through a thumbnail.
    static func withoutMetadata(_ file: [UInt8]) -> [UInt8]? {
        guard PictureKind(head: Array(file.prefix(PictureKind.headLength))) == .webp else { return nil }
        var result = Array(file[..<12])
        var offset = 12
        var hasPicture = false
        while offset < file.count {
            guard file.count - offset >= 8 else { return nil }
            let size = (0..<4).reduce(0) { $0 | Int(file[offset + 4 + $1]) << (8 * $1) }
            // A byte of padding follows a chunk of odd size. The size does not include this byte (RFC 9649 §2.3).
            let end = offset + 8 + size + size % 2
            guard end <= file.count else { return nil }
            let name = String(decoding: file[offset..<offset + 4], as: UTF8.self)
            switch name {
            case "VP8X":
                guard size >= 10, result.count == 12 else { return nil }
                result += file[offset..<end]
                // Only the alpha flag is kept (§2.7.1), because the chunks of animations are removed too.
                result[20] &= 0x10
            case "VP8 ", "VP8L", "ALPH":
                result += file[offset..<end]
                if name != "ALPH" { hasPicture = true }
            default: break
            }
            offset = end
        }
        guard hasPicture else { return nil }
        let size = result.count - 8
        for byte in 0..<4 { result[4 + byte] = UInt8(truncatingIfNeeded: size >> (8 * byte)) }
        return result
    }
}
