internal import Pictures

/// What a browser does with an asset: what it may show, and in which sandbox, depends on it.
package enum AssetDisplay: Hashable, Sendable {
    /// Saves it, whatever it is.
    case attachment
    /// Shows it in place: pictures, SVG among them, PDF and plain text. None needs anything but its own bytes.
    case document
    /// Shows a player in place, which loads the bytes from the same address.
    case media
}

/// The media types under which assets are served. Clients name them, and browsers act on them; so only what is listed
/// here is ever sent, and only what runs no code of this server's origin is shown inline.
package enum AssetMediaType {
    /// What stands for all others.
    package static let unknown = "application/octet-stream"

    /// All of them. A type's place is its number, as signed URLs have it; never renumbered within the life of a URL, so new
    /// ones go to the end. SVG can hold scripts: the policy that goes with all of them keeps those from running
    /// (`ServedContent`). HTML, XML and JavaScript are not here, and so are sent as `unknown`.
    private static let all: [(text: String, display: AssetDisplay)] = [
        (unknown, .attachment), ("application/pdf", .document), ("application/zip", .attachment),
        ("application/gzip", .attachment), ("application/json", .attachment), ("text/plain", .document),
        ("text/csv", .attachment), ("application/msword", .attachment), ("application/vnd.ms-excel", .attachment),
        ("application/vnd.openxmlformats-officedocument.wordprocessingml.document", .attachment),
        ("application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", .attachment),
        ("application/epub+zip", .attachment), ("font/woff2", .attachment), ("font/ttf", .attachment),
        ("font/otf", .attachment),
        ("image/jpeg", .document), ("image/png", .document), ("image/gif", .document), ("image/webp", .document),
        ("image/heic", .document), ("image/heif", .document), ("image/avif", .document), ("image/bmp", .document),
        ("audio/mpeg", .media), ("audio/mp4", .media), ("audio/aac", .media), ("audio/ogg", .media),
        ("audio/opus", .media), ("audio/wav", .media), ("audio/webm", .media), ("audio/flac", .media),
        ("video/mp4", .media), ("video/mpeg", .media), ("video/ogg", .media), ("video/quicktime", .media),
        ("video/webm", .media),
        ("image/svg+xml", .document),
    ]

    private static let numbers: [String: UInt8] = Dictionary(
        uniqueKeysWithValues: all.enumerated().map { ($1.text, UInt8($0)) })

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

    /// The media type with a number, as it is sent. Plain text is UTF-8: without a word of it browsers guess another.
    static func text(of number: UInt8) -> String {
        guard number < all.count else { return unknown }
        let text = all[Int(number)].text
        return text == "text/plain" ? "text/plain; charset=utf-8" : text
    }

    /// What a browser does with what has this number.
    static func display(of number: UInt8) -> AssetDisplay {
        number < all.count ? all[Int(number)].display : .attachment
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
