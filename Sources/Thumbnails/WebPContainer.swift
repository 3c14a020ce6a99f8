/// The chunks of a WebP file (RFC 9649).
enum WebPContainer {
    /// The file without EXIF, XMP and colour profile, and without chunks that no reader needs; `nil` if it is not well formed.
    ///
    /// libvips' option `strip` does nothing for WebP in 8.13 and 8.14 (its issue 3340), and the place where a photograph
    /// was taken must not leak through a thumbnail.
    static func withoutMetadata(_ file: [UInt8]) -> [UInt8]? {
        guard PictureKind(head: Array(file.prefix(PictureKind.headLength))) == .webp else { return nil }
        var result = Array(file[..<12])
        var offset = 12
        var hasPicture = false
        while offset < file.count {
            guard file.count - offset >= 8 else { return nil }
            let size = (0..<4).reduce(0) { $0 | Int(file[offset + 4 + $1]) << (8 * $1) }
            // RFC 9649 §2.3: an odd chunk is followed by a byte that its size does not count.
            let end = offset + 8 + size + size % 2
            guard end <= file.count else { return nil }
            let name = String(decoding: file[offset..<offset + 4], as: UTF8.self)
            switch name {
            case "VP8X":
                guard size >= 10, result.count == 12 else { return nil }
                result += file[offset..<end]
                // §2.7.1: of its flags only alpha is left; an animation's chunks are not kept either.
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
