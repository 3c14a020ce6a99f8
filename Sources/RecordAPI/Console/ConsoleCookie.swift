internal import Cryptography
internal import Encodings
internal import HTTP
internal import RecordModel

/// The console's cookie, the only one that this server reads: a token, sealed, so that neither a script of the page nor a copy
/// of the browser's files has it.
///
/// A cookie comes with requests that its owner never meant to send. So it is a credential only beside the field
/// `X-Fogbase-Console`, which no form, image, link or navigation can send and which a script of another origin may send only if
/// a preflight allows credentials, as ours never do; and only if the browser does not say that the request comes from another
/// origin. That holds for every method: an answer to a GET is worth stealing too.
///
/// Sealed with a key of the process: a restart signs the console out.
struct ConsoleCookie: Sendable {
    /// How long a cookie is good, in seconds. The browser forgets it when it is closed.
    static let lifetime: Int64 = 12 * 3_600

    private static let field = HTTPFieldName("X-Fogbase-Console")
    private static let context = Array("console cookie".utf8)

    private let seal: Seal?
    private let isSecure: Bool
    private let origin: String?
    private let basePath: String
    private let now: @Sendable () -> Int64

    /// - Parameters:
    ///   - url: What browsers call the server.
    ///   - now: Seconds since 1970.
    init(_ url: PublicURL?, now: @escaping @Sendable () -> Int64) {
        // Without the cipher no database opens either.
        seal = try? Seal(secret: SecretKey(), label: "console cookie")
        isSecure = url?.isHTTPS ?? false
        origin = url?.origin
        basePath = url?.basePath ?? ""
        self.now = now
    }

    /// The prefix has browsers refuse a cookie of this name that another host, or http, tries to set (RFC 6265bis §4.1.3.2).
    /// Below a path the cookie is for that path, which `__Host-` does not allow: others on the same host need not get it.
    private var name: String { !isSecure ? "fogbase" : basePath.isEmpty ? "__Host-fogbase" : "__Secure-fogbase" }

    /// The Set-Cookie that signs the console in.
    func issue(_ token: [UInt8]) -> String {
        guard let seal else { return end }
        let expires = now() + Self.lifetime
        let bytes = (0..<8).map { UInt8(truncatingIfNeeded: expires >> (56 - 8 * $0)) } + token
        return setCookie(Base64URL.encode(seal.seal(bytes, context: Self.context)))
    }

    /// The Set-Cookie that signs it out.
    var end: String { setCookie("") + "; Max-Age=0" }

    private func setCookie(_ value: String) -> String {
        "\(name)=\(value); Path=\(basePath)/; HttpOnly; SameSite=Strict\(isSecure ? "; Secure" : "")"
    }

    /// Whether a request is the console's own.
    func isFromConsole(_ request: HTTPRequest) -> Bool {
        let fields = request.fields
        guard let field = Self.field, fields[field] == "1", fields.count(of: field) == 1 else { return false }
        if fields.contains(.secFetchSite) {
            return fields.count(of: .secFetchSite) == 1 && fields[.secFetchSite] == "same-origin"
        }
        if fields.contains(.origin) {
            guard fields.count(of: .origin) == 1, let origin = fields[.origin] else { return false }
            // A proxy may say its own name for the server in Host.
            if origin == self.origin { return true }
            guard let host = fields[.host] else { return false }
            return ["http://", "https://"].contains { origin == $0 + host }
        }
        // Over http, but for this machine, browsers name neither with a GET of their own origin; all of them name Origin with
        // what another origin sends, and with what is no GET.
        return request.method == .get || request.method == .head
    }

    /// The request with the token of its cookie as the credential, if there is one, if it comes from the console, and if
    /// there is no other. The answer is for nobody's cache then.
    func open(_ request: HTTPRequest) -> HTTPRequest? {
        guard request.fields.contains(.cookie), !request.fields.contains(.authorization), isFromConsole(request),
            let token = token(in: request.fields)
        else { return nil }
        var opened = request
        opened.fields.append(.authorization, "Bearer " + String(decoding: token, as: UTF8.self))
        return opened
    }

    /// Whether the console sends a cookie that no longer opens: it has expired, or another process sealed it. The console would
    /// take the response to an anonymous caller for that to an administrator.
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
        // Two of a name: somebody has put his own beside ours.
        guard values.count == 1, let sealed = Base64URL.decode(String(values[0])),
            let bytes = seal?.open(sealed, context: Self.context), bytes.count > 8
        else { return nil }
        let expires = bytes[..<8].reduce(Int64(0)) { $0 << 8 | Int64($1) }
        return expires > now() ? Array(bytes[8...]) : nil
    }
}
