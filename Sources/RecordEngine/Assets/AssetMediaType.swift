internal import Pictures

/// How a browser presents an asset. The sandbox policy in responses depends on it.
package enum AssetDisplay: Hashable, Sendable {
    /// The browser saves the asset as a file.
    case attachment
    /// The browser shows the asset inline: pictures including SVG, PDF, plain text. Such assets load no other URLs.
    case document
    /// The browser shows a player inline. The player loads the bytes from the asset's URL.
    case media
}

/// The media types for serving assets.
///
/// Clients choose the media type of an upload, and browsers execute some types. Therefore the server sends only listed
/// types, and only types that cannot run code in the server's origin are shown inline.
package enum AssetMediaType {
    /// The type that is sent for assets with an unlisted type.
    package static let unknown = "application/octet-stream"

    /// All media types. Signed URLs contain the index of a type. Therefore the index of a type must not change within
    /// the lifetime of a URL, and new types must be appended.
    ///
    /// SVG can contain scripts, which the content security policy of all asset responses blocks (`ServedContent`).
    /// HTML, XML and JavaScript are not listed and are served as `unknown`.
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

    /// Returns the index of a media type, ignoring parameters and case. For an unlisted type, returns the index of
    /// `unknown`.
    static func number(of text: String?) -> UInt8 {
        guard let text else { return 0 }
        if let number = numbers[text] { return number }
        return numbers[bare(text)] ?? 0
    }

    /// Returns a media type in lower case, without parameters and blanks.
    private static func bare(_ text: String) -> String {
        text.prefix { $0 != ";" }.lowercased().filter { $0 != " " && $0 != "\t" }
    }

    /// Returns the text of the media type with an index, for `Content-Type`. Plain text gets `charset=utf-8`, since
    /// browsers might guess another character set.
    static func text(of number: UInt8) -> String {
        guard number < all.count else { return unknown }
        let text = all[Int(number)].text
        return text == "text/plain" ? "text/plain; charset=utf-8" : text
    }

    /// Returns how a browser presents the media type with an index.
    static func display(of number: UInt8) -> AssetDisplay {
        number < all.count ? all[Int(number)].display : .attachment
    }

    /// The maximum length of a stored media type, in UTF-8 bytes.
    static let longest = 255

    /// Returns the media type to store for an asset.
    ///
    /// - Parameters:
    ///   - claimed: The type that the client sent; `nil` for a missing or invalid type.
    ///   - picture: The picture in the uploaded bytes; `nil` if the bytes are not a picture. The picture's type
    ///     overrides the client's type. Picture types are accepted only for pictures.
    static func stored(claimed: String?, picture: Picture?) -> String {
        if let picture { return picture.format.mediaType }
        guard let claimed, (1...longest).contains(claimed.utf8.count) else { return unknown }
        // Compare without parameters and blanks.
        let served = bare(claimed)
        let isPictures = Picture.Format.allCases.contains { $0.mediaType == served }
        return isPictures ? unknown : claimed
    }
}
