/// The kinds of pictures that are passed to the program. The first bytes of a file determine its kind.
///
/// libvips chooses a decoder by the content, whatever the file's name. libvips has dozens of decoders, some with a
/// history of vulnerabilities. So a file is passed to libvips only if it starts like one of these five kinds. The rest
/// of the file is not checked; the decoder rejects invalid files.
enum PictureKind: Hashable, Sendable {
    case jpeg, png, gif, webp, heif

    /// The number of bytes that `init` needs.
    static let headLength = 12

    /// Determines the kind of a file that starts with `head`. The result is `nil` for any other kind of file.
    init?(head: [UInt8]) {
        func has(_ text: StaticString, at offset: Int = 0) -> Bool {
            let count = text.utf8CodeUnitCount
            guard head.count >= offset + count else { return false }
            return (0..<count).allSatisfy { head[offset + $0] == text.utf8Start[$0] }
        }
        if head.starts(with: [0xFF, 0xD8, 0xFF]) {
            self = .jpeg
        } else if head.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) {
            self = .png
        } else if has("GIF87a") || has("GIF89a") {
            self = .gif
        } else if has("RIFF") && has("WEBP", at: 8) {
            self = .webp
        } else if has("ftyp", at: 4) {
            // The file is an ISO base media file (ISO/IEC 14496-12). libheif decides whether it can decode the brand.
            self = .heif
        } else {
            return nil
        }
    }
}
