internal import Cryptography
package import RecordModel
internal import Encodings
internal import RecordStorage
package import RecordWire

/// A named administrator as others see it.
package struct AdministratorInfo: Hashable, Sendable {
    package let id: Int64
    package let name: String
    package let role: AdministratorRole
    /// Milliseconds since 1970.
    package let created: Int64
    /// Since when it may not sign in.
    package let disabled: Int64?

    package var json: JSONValue {
        var object: [(String, JSONValue)] = [
            ("name", .string(name)), ("role", .string(role.rawValue)), ("createdAt", .integer(created)),
            ("disabled", .bool(disabled != nil)),
        ]
        if let disabled { object.append(("disabledAt", .integer(disabled))) }
        return .object(JSONObject(object))
    }
}

/// What an administrator's signing in gives.
package struct AdministratorSession: Hashable, Sendable {
    /// Shown once, stored as a hash.
    package let token: String
    /// When it ends unless it is used before, in milliseconds since 1970.
    package let expires: Int64
    package let administrator: AdministratorInfo
}

/// A session as the administrator sees it whose it is.
package struct AdministratorSessionInfo: Hashable, Sendable {
    package let id: String
    package let label: String?
    /// Milliseconds since 1970, as all of them.
    package let created: Int64
    package let used: Int64
    package let expires: Int64
    /// Whether the request came with it.
    package let isCurrent: Bool

    package var json: JSONValue {
        var object: [(String, JSONValue)] = [
            ("id", .string(id)), ("createdAt", .integer(created)), ("usedAt", .integer(used)),
            ("expiresAt", .integer(expires)), ("isCurrent", .bool(isCurrent)),
        ]
        if let label { object.append(("label", .string(label))) }
        return .object(JSONObject(object))
    }
}

/// The name of an administrator, which stands in paths: 1 to 64 small ASCII letters, digits, `.`, `_`, `-` and `@`, the
/// first a letter or digit. `me` and `sessions` are none.
package struct AdministratorName: Hashable, Sendable {
    package let text: String

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

/// The password of an administrator: 12 to 256 bytes.
package struct AdministratorPassword: Sendable {
    let text: String

    package init(_ text: String, field: String = "password") throws(RecordError) {
        guard text.utf8.count <= 768, (12...256).contains(text.preparedPassword.utf8.count) else {
            throw .badRequest(
                "An administrator's password has 12 to 256 bytes", details: [("field", .text(field))])
        }
        self.text = text
    }
}

/// A new token of an administrator: 256 random bits behind a prefix by which leaked ones are found.
struct AdministratorToken: Sendable {
    static let prefix = "fba_"

    let text: String
    let hash: Digest

    init() {
        text = Self.prefix + Base64URL.encode(RandomBytes.make(32))
        hash = SHA256.hash(utf8: text)
    }
}
