internal import HTTP

/// The path of a request as logs may show it.
///
/// Some paths are secrets: the signed URL of a file, the link of a share, the address at which a device polls, the
/// permission of an upload. A route that matches says so (`HTTPResponse.hidesPath`). But the same path also arrives as a
/// preflight, with a wrong method, in wrong case, below a prefix or with a second slash, and then no route matches. The
/// secret is still valid at its correct path. So the logs decide by the path alone.
package enum LoggedPath {
    /// The words after which a path may hold a secret: those of the routes, and how people misspell them.
    private static let words: Set<Substring> = [
        "asset", "assets", "share", "shares", "device", "devices", "upload", "uploads", "ticket", "tickets",
    ]
    /// The length from which a segment may be a secret itself, in bytes: that of the GUID of a share.
    private static let secretBytes = 24
    /// How often a path may be percent-encoded to be shown.
    private static let encodings = 3
    /// The maximum number of segments that are shown.
    private static let segments = 16

    /// Returns a path that matches no route, without what may be a secret: what follows one of the words is `*`, and so is
    /// a segment that looks like a token or contains such a text.
    ///
    /// - Parameter path: The path as received, without its query.
    package static func ofUnmatched(_ path: String) -> String {
        var shown = ""
        for (index, part) in path.split(separator: "/", omittingEmptySubsequences: false).enumerated() {
            if index > 0 { shown += "/" }
            guard index <= segments, let plain = decoded(part) else { return shown + "*" }
            let found = plain.lowercased().split { !$0.isLetter && !$0.isNumber }
            // An encoded slash or a dot may stand between the word and the secret.
            guard !found.dropLast().contains(where: words.contains) else { return shown + "*" }
            shown += mayHoldToken(plain) ? "*" : part
            guard found.last.map(words.contains) ?? false else { continue }
            return shown.utf8.count < path.utf8.count ? shown + "/*" : shown
        }
        return shown
    }

    /// Whether a segment may be or contain a token: other characters may stand before and after it.
    private static func mayHoldToken(_ text: String) -> Bool {
        var length = 0
        for byte in text.utf8 where length < secretBytes {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"):
                length += 1
            default: length = 0
            }
        }
        return length >= secretBytes
    }

    /// Returns a segment without percent escapes, however often it was encoded; `nil` if it cannot be decoded.
    private static func decoded(_ part: Substring) -> String? {
        var text = String(part)
        for _ in 0..<encodings where text.utf8.contains(UInt8(ascii: "%")) {
            let bytes = Array(text.utf8)
            guard let next = bytes.withUnsafeBytes({ PercentCoding.decode($0, plusIsSpace: false) }) else { return nil }
            text = next
        }
        return text.utf8.contains(UInt8(ascii: "%")) ? nil : text
    }
}
