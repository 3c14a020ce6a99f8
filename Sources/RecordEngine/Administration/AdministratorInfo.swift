internal import Cryptography
package import RecordModel
internal import Encodings
internal import RecordStorage
package import RecordWire

/// The properties of a named administrator, without the password hash.
package struct AdministratorInfo: Hashable, Sendable {
    /// The number of the administrator.
    package let id: Int64
    /// The name to sign in with.
    package let name: String
    /// The administrator's role.
    package let role: AdministratorRole
    /// When the administrator was added, in milliseconds since 1970.
    package let created: Int64
    /// When sign-in was disabled, in milliseconds since 1970; `nil` if sign-in is enabled.
    package let disabled: Int64?

    /// The administrator as JSON: `{"name","role","createdAt","disabled","disabledAt"?}`.
    package var json: JSONValue {
        var object: [(String, JSONValue)] = [
            ("name", .string(name)), ("role", .string(role.rawValue)), ("createdAt", .integer(created)),
            ("disabled", .bool(disabled != nil)),
        ]
        if let disabled { object.append(("disabledAt", .integer(disabled))) }
        return .object(JSONObject(object))
    }
}

/// The result of an administrator's sign-in.
package struct AdministratorSession: Hashable, Sendable {
    /// The bearer token. Only this response contains the token; the server stores its hash.
    package let token: String
    /// When the session ends, in milliseconds since 1970. Later use extends the session up to its maximum lifetime.
    package let expires: Int64
    /// The signed-in administrator.
    package let administrator: AdministratorInfo
}

/// The properties of a session for its administrator, without the token.
package struct AdministratorSessionInfo: Hashable, Sendable {
    /// The public id of the session.
    package let id: String
    /// The client's label.
    package let label: String?
    /// When the session began, in milliseconds since 1970.
    package let created: Int64
    /// When the session was last used, in milliseconds since 1970.
    package let used: Int64
    /// When the session ends, in milliseconds since 1970. Later use extends the session up to its maximum lifetime.
    package let expires: Int64
    /// Whether the request uses this session.
    package let isCurrent: Bool

    /// The session as JSON: `{"id","createdAt","usedAt","expiresAt","isCurrent","label"?}`.
    package var json: JSONValue {
        var object: [(String, JSONValue)] = [
            ("id", .string(id)), ("createdAt", .integer(created)), ("usedAt", .integer(used)),
            ("expiresAt", .integer(expires)), ("isCurrent", .bool(isCurrent)),
        ]
        if let label { object.append(("label", .string(label))) }
        return .object(JSONObject(object))
    }
}

/// The name of an administrator, which is part of URL paths. A name has 1 to 64 lower-case ASCII letters, digits, `.`,
/// `_`, `-` and `@`, and begins with a letter or digit. The names `me` and `sessions` are reserved.
package struct AdministratorName: Hashable, Sendable {
    /// The name.
    package let text: String

    /// Checks the text of an administrator's name.
    ///
    /// - Throws: BAD_REQUEST for a malformed or reserved name.
    package init(_ text: String) throws(RecordError) {
        let bytes = Array(text.utf8)
        let isSound =
            (1...64).contains(bytes.count) && text != "me" && text != "sessions"
            && bytes.enumerated().allSatisfy { place, byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
                case UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "-"), UInt8(ascii: "@"): place > 0
                default: false
                }
            }
        guard isSound else {
            throw .badRequest(
                "An administrator's name has 1 to 64 small letters, digits, dots, hyphens, underscores and @, the first a letter or digit, and is neither 'me' nor 'sessions'",
                details: [("field", .text("name"))])
        }
        self.text = text
    }
}

/// The password of an administrator: 12 to 256 UTF-8 bytes.
package struct AdministratorPassword: Sendable {
    let text: String

    /// Checks the length of a password.
    ///
    /// - Throws: BAD_REQUEST for a password of another length.
    package init(_ text: String, field: String = "password") throws(RecordError) {
        guard text.utf8.count <= 768, (12...256).contains(text.preparedPassword.utf8.count) else {
            throw .badRequest(
                "An administrator's password has 12 to 256 bytes", details: [("field", .text(field))])
        }
        self.text = text
    }
}

/// A new token of an administrator.
///
/// ```text
/// fba_           base64url of 256 random bits
/// 4 characters   43 characters
/// ```
///
/// The prefix lets scanners find leaked tokens.
struct AdministratorToken: Sendable {
    static let prefix = "fba_"

    let text: String
    let hash: Digest

    init() {
        text = Self.prefix + Base64URL.encode(RandomBytes.make(32))
        hash = SHA256.hash(utf8: text)
    }
}
