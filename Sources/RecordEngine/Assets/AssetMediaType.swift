internal import Pictures

/// The media types under which assets are served. Clients name them, and browsers act on them; so only what is listed
/// here is ever sent, and only what cannot run code is shown inline.
package enum AssetMediaType {
    /// What stands for all others.
    package static let unknown = "application/octet-stream"

    /// Pictures made of pixels, sound and films: what a browser shows without running anything of it.
    static let inline: [String] = [
        "image/jpeg", "image/png", "image/gif", "image/webp", "image/heic", "image/heif", "image/avif", "image/bmp",
        "audio/mpeg", "audio/mp4", "audio/aac", "audio/ogg", "audio/opus", "audio/wav", "audio/webm", "audio/flac",
        "video/mp4", "video/mpeg", "video/ogg", "video/quicktime", "video/webm",
    ]

    /// Known, and only ever offered for download.
    static let attached: [String] = [
        unknown, "application/pdf", "application/zip", "application/gzip", "application/json",
        "text/plain", "text/csv", "application/msword", "application/vnd.ms-excel",
        "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
        "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
        "application/epub+zip", "font/woff2", "font/ttf", "font/otf",
    ]

    /// Each type's number, as signed URLs have it; never renumbered within the life of a URL.
    private static let numbers: [String: UInt8] = Dictionary(
        uniqueKeysWithValues: (attached + inline).enumerated().map { ($1, UInt8($0)) })

    /// The number of a media type, whatever its parameters and case; that of `unknown` for one that is not served.
    static func number(of text: String?) -> UInt8 {
        guard let text else { return 0 }
        if let number = numbers[text] { return number }
        return numbers[bare(text)] ?? 0
    }

    /// Without parameters and blanks, in lower case.
    private static func bare(_ text: String) -> String {
        text.prefix { $0 != ";" }.lowercased().filter { $0 != " " && $0 != "\t" }
    }

    /// The media type with a number.
    static func text(of number: UInt8) -> String {
        let all = attached.count + inline.count
        guard number < all else { return unknown }
        return number < attached.count ? attached[Int(number)] : inline[Int(number) - attached.count]
    }

    /// Whether a browser may show what has this number.
    static func isInline(_ number: UInt8) -> Bool {
        number >= attached.count && number < attached.count + inline.count
    }

    /// The longest media type that is stored.
    static let longest = 255

    /// What is stored as an asset's type.
    ///
    /// - Parameters:
    ///   - claimed: What the uploader says; `nil` for nothing, or for what is no media type.
    ///   - picture: What the bytes say. They win: a type that only pictures have is believed of pictures only.
    static func stored(claimed: String?, picture: Picture?) -> String {
        if let picture { return picture.format.mediaType }
        guard let claimed, (1...longest).contains(claimed.utf8.count) else { return unknown }
        // As it would be served: parameters and blanks around it make it no other type.
        let served = bare(claimed)
        let isPictures = Picture.Format.allCases.contains { $0.mediaType == served }
        return isPictures ? unknown : claimed
    }
}
