internal import Cryptography
internal import Encodings
internal import HTTP
internal import RecordModel

/// The console's cookie, the only cookie that this server reads. Its value is an encrypted token. So neither a script
/// of the page nor a copy of the browser's files reveals the token.
///
/// ```
/// sealed value (Base64URL):  expiry, 8 bytes (big-endian seconds since 1970) | token
/// ```
///
/// Browsers attach cookies to requests that the user did not intend. So the cookie is a credential only together with
/// the field `X-Fogbase-Console`. No form, image, link or navigation can send this field. A script of another origin
/// can send it only if a preflight allows credentials, and this server's preflights never do. In addition, the browser
/// must not declare another origin. These rules apply to every method, because the response to a GET must be protected
/// too.
///
/// The process creates the encryption key at startup, so a restart signs the console out.
struct ConsoleCookie: Sendable {
    /// The lifetime of a cookie in seconds. The browser also discards the cookie when the browser is closed.
    static let lifetime: Int64 = 12 * 3_600

    private static let field = HTTPFieldName("X-Fogbase-Console")
    private static let context = Array("console cookie".utf8)

    private let seal: Seal?
    private let isSecure: Bool
    private let origin: String?
    private let basePath: String
    private let now: @Sendable () -> Int64

    /// Creates a cookie format with a new encryption key.
    ///
    /// - Parameters:
    ///   - url: The URL that browsers use to reach the server.
    ///   - isEncrypted: Whether browsers use https if there is no such URL.
    ///   - now: Returns the current time in seconds since 1970.
    init(_ url: PublicURL?, isEncrypted: Bool = false, now: @escaping @Sendable () -> Int64) {
        // If the cipher is not available, no database can be opened either.
        seal = try? Seal(secret: SecretKey(), label: "console cookie")
        isSecure = url?.isHTTPS ?? isEncrypted
        origin = url?.origin
        basePath = url?.basePath ?? ""
        self.now = now
    }

    /// The name of the cookie. With the prefix, browsers reject a cookie of this name if another host or an http
    /// response sets it (RFC 6265bis §4.1.3.2). Below a base path, the cookie is limited to that path, so that other
    /// applications on the host do not receive it. `__Host-` does not allow such a limit.
    private var name: String { !isSecure ? "fogbase" : basePath.isEmpty ? "__Host-fogbase" : "__Secure-fogbase" }

    /// Returns the value of Set-Cookie that signs the console in.
    func issue(_ token: [UInt8]) -> String {
        guard let seal else { return end }
        let expires = now() + Self.lifetime
        let bytes = (0..<8).map { UInt8(truncatingIfNeeded: expires >> (56 - 8 * $0)) } + token
        return setCookie(Base64URL.encode(seal.seal(bytes, context: Self.context)))
    }

    /// The value of Set-Cookie that signs the console out.
    var end: String { setCookie("") + "; Max-Age=0" }

    private func setCookie(_ value: String) -> String {
        "\(name)=\(value); Path=\(basePath)/; HttpOnly; SameSite=Strict\(isSecure ? "; Secure" : "")"
    }

    /// Whether a request comes from the console.
    func isFromConsole(_ request: HTTPRequest) -> Bool {
        let fields = request.fields
        guard let field = Self.field, fields[field] == "1", fields.count(of: field) == 1 else { return false }
        if fields.contains(.secFetchSite) {
            return fields.count(of: .secFetchSite) == 1 && fields[.secFetchSite] == "same-origin"
        }
        if fields.contains(.origin) {
            guard fields.count(of: .origin) == 1, let origin = fields[.origin] else { return false }
            // The Host that a proxy sends may be the proxy's own name for the server.
            if origin == self.origin { return true }
            guard let host = fields[.host] else { return false }
            return ["http://", "https://"].contains { origin == $0 + host }
        }
        // Over http, except on localhost, browsers send neither field with a same-origin GET. All browsers send Origin
        // with cross-origin requests that have `X-Fogbase-Console`, and with methods other than GET and HEAD.
        return request.method == .get || request.method == .head
    }

    /// Returns the request with the token of its cookie as its credential. Returns `nil` if there is no valid cookie,
    /// if the request does not come from the console, or if it has another credential. If the result is not `nil`, the
    /// response must not be cached.
    func open(_ request: HTTPRequest) -> HTTPRequest? {
        guard request.fields.contains(.cookie), !request.fields.contains(.authorization), isFromConsole(request),
            let token = token(in: request.fields)
        else { return nil }
        var opened = request
        opened.fields.append(.authorization, "Bearer " + String(decoding: token, as: UTF8.self))
        return opened
    }

    /// Whether the console sent a cookie that is no longer valid: the cookie has expired, or another process encrypted
    /// it. Without this check, the server would respond as to an anonymous caller, and the console would show that
    /// response as an administrator's.
    func hasEnded(_ request: HTTPRequest) -> Bool {
        request.fields.contains(.cookie) && !request.fields.contains(.authorization) && isFromConsole(request)
            && !values(in: request.fields).allSatisfy(\.isEmpty) && token(in: request.fields) == nil
    }

    private func values(in fields: HTTPFields) -> [Substring] {
        var values: [Substring] = []
        let lines = fields.values(of: .cookie)
        for pair in lines.flatMap({ $0.split(separator: ";") }) {
            let text = pair.drop { $0 == " " }
            if text.hasPrefix(name + "=") { values.append(text.dropFirst(name.utf8.count + 1)) }
        }
        return values
    }

    private func token(in fields: HTTPFields) -> [UInt8]? {
        let values = values(in: fields)
        // If there are two cookies of this name, another party may have added one. So neither is trusted.
        guard values.count == 1, let sealed = Base64URL.decode(String(values[0])),
            let bytes = seal?.open(sealed, context: Self.context), bytes.count > 8
        else { return nil }
        let expires = bytes[..<8].reduce(Int64(0)) { $0 << 8 | Int64($1) }
        return expires > now() ? Array(bytes[8...]) : nil
    }
}
