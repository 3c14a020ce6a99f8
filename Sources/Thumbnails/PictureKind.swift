/// The kinds of pictures that are given to the program, told from their first bytes.
///
/// libvips picks its decoder by the content, whatever a file is called, and has dozens of them, some with a history of
/// holes. So what does not begin like one of these five is not shown to it at all. Only the kind is judged here; a file
/// that only begins well is the decoder's to refuse.
enum PictureKind: Hashable, Sendable {
    case jpeg, png, gif, webp, heif

    /// How many bytes `init` wants to see.
    static let headLength = 12

    /// The kind of a file that begins with `head`, or `nil` if it is none of these.
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
            // ISO 14496-12: which brands it can decode is for libheif to know.
            self = .heif
        } else {
            return nil
        }
    }
}
