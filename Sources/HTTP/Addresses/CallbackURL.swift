/// An http or https URL that gets a value in its query after a sign-in.
public struct CallbackURL: Hashable, Sendable {
    /// The URL as it was written.
    public let text: String

    /// The longest URL, in bytes.
    static let longest = 2_000

    /// Checks a URL.
    ///
    /// - Parameter appScheme: A scheme of an app that may receive the token, in addition to https and http; `nil` for
    ///   none. Its case does not matter.
    /// - Throws: `AddressProblem` for another scheme, user information, a fragment, an invalid host or port, a character
    ///   that is not visible ASCII, or a URL longer than 2,000 bytes.
    public init(_ text: String, appScheme: String? = nil) throws(AddressProblem) {
        guard text.utf8.count <= Self.longest, text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            throw AddressProblem(
                "must have at most \(Self.longest) characters of ASCII, with other characters percent-encoded")
        }
        guard !text.contains("#"), !text.contains("\\") else {
            throw AddressProblem("must have no fragment and backslash")
        }
        if let appScheme, text.lowercased().hasPrefix("\(appScheme.lowercased())://") {
            self.text = text
            return
        }
        let parts = try AddressParts(text, example: "https://app.example.org/signed-in")
        guard parts.scheme == "https" || parts.scheme == "http" else {
            throw AddressProblem("must begin with https:// or http://" + (appScheme.map { ", or be \($0)://" } ?? ""))
        }
        _ = try HostName.canonical(parts.host)
        _ = try parts.canonicalPort()
        guard parts.userinfo == nil else { throw AddressProblem("must have no user information") }
        self.text = text
    }

    /// Returns the URL with parameters added to its query.
    ///
    /// - Parameters:
    ///   - names: The names of the parameters.
    ///   - value: The value of all: unreserved characters of RFC 3986 §2.3, which need no encoding.
    public func adding(_ names: [String], _ value: String) -> String {
        let separator = !text.contains("?") ? "?" : text.hasSuffix("?") || text.hasSuffix("&") ? "" : "&"
        return text + separator + names.map { "\($0)=\(value)" }.joined(separator: "&")
    }
}
