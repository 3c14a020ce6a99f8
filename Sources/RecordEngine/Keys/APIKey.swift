package import Cryptography
package import RecordModel
internal import Encodings
internal import RecordStorage
package import RecordWire
internal import Threads

/// The properties of an API key for lists and responses, without token or hash.
package struct APIKey: Hashable, Sendable {
    /// The public id of the key.
    package let id: String
    /// The name, unique among keys that are not revoked.
    package let name: String
    /// The first 8 characters of the token after `fbk_`.
    package let prefix: String
    /// The permissions of the key.
    package let scope: KeyScope
    /// The record name of the key's account, which is the creator of its records.
    package let userRecordName: String
    /// When the key was created, in milliseconds since 1970.
    package let created: Int64
    /// When the key expires, in milliseconds since 1970; `nil` for never.
    package let expires: Int64?
    /// When the key was last used, in milliseconds since 1970 with a resolution of about a minute.
    package let used: Int64?
    /// When the key was revoked, in milliseconds since 1970; `nil` for a key that is not revoked.
    package let revoked: Int64?
    /// When the previous token of a rotated key expires, in milliseconds since 1970.
    package let overlaps: Int64?
    /// The ID and the public key of a server-to-server key; `nil` for a key with a token.
    package let signing: SigningKey?

    /// A public key that verifies signed requests.
    package struct SigningKey: Hashable, Sendable {
        /// The ID that requests name: 64 hexadecimal digits.
        package let keyID: String
        /// The public key.
        package let publicKey: P256PublicKey

        /// `nil` for stored bytes that are damaged.
        init?(_ row: APIKeyRow.SigningKey) {
            guard let publicKey = try? P256PublicKey(subjectPublicKeyInfo: row.publicKey) else { return nil }
            keyID = row.keyID
            self.publicKey = publicKey
        }
    }

    init(_ row: APIKeyRow, userRecordName: String) {
        id = row.publicID
        name = row.name
        prefix = row.prefix
        scope = KeyScope(stored: row.scope)
        self.userRecordName = userRecordName
        created = row.created
        expires = row.expires
        used = row.used
        revoked = row.revoked
        overlaps = row.overlaps
        signing = row.signing.flatMap(SigningKey.init)
    }

    /// The key as JSON, with its state: `active`, `expired` or `revoked`.
    package var json: JSONValue {
        let now = WallClock.milliseconds
        var object: [(String, JSONValue)] = [
            ("id", .string(id)), ("name", .string(name)),
            ("kind", .string(signing == nil ? "token" : "serverToServer")),
        ]
        if let signing {
            object += [("keyID", .string(signing.keyID)), ("publicKey", .string(signing.publicKey.pem))]
        } else {
            object.append(("prefix", .string("fbk_" + prefix)))
        }
        object += [
            ("scope", scope.json), ("userRecordName", .string(userRecordName)), ("createdAt", .integer(created)),
        ]
        if let expires { object.append(("expiresAt", .integer(expires))) }
        if let used { object.append(("usedAt", .integer(used))) }
        if let overlaps, overlaps > now, revoked == nil { object.append(("overlapsUntil", .integer(overlaps))) }
        if let revoked { object.append(("revokedAt", .integer(revoked))) }
        let isExpired = (expires ?? .max) <= now
        object.append(("state", .string(revoked != nil ? "revoked" : isExpired ? "expired" : "active")))
        return .object(JSONObject(object))
    }
}

/// The result of creating or rotating a key. Only this response contains the token.
package struct NewAPIKey: Hashable, Sendable {
    /// The token.
    package let token: String
    /// The key.
    package let key: APIKey
}

/// When a key expires.
package enum APIKeyExpiry: Hashable, Sendable {
    case never
    /// The key expires at a time in milliseconds since 1970.
    case at(Int64)
    /// The key expires after a number of seconds.
    case after(Int64)

    /// The longest lifetime of a key: 100 years of 366 days, in seconds.
    static let longestSeconds: Int64 = 100 * 366 * 86_400

    /// Returns when the key expires, in milliseconds since 1970; `nil` for never.
    ///
    /// - Throws: BAD_REQUEST for a time in the past or too far in the future.
    func moment(now: Int64) throws(RecordError) -> Int64? {
        switch self {
        case .never: return nil
        case .at(let moment):
            guard moment > now, moment <= now + Self.longestSeconds * 1_000 else {
                throw .badRequest(
                    "'expiresAt' is a moment to come, in milliseconds since 1970",
                    details: [("field", .text("expiresAt"))])
            }
            return moment
        case .after(let seconds):
            guard (1...Self.longestSeconds).contains(seconds) else {
                throw .badRequest(
                    "'expiresIn' is 1 to \(Self.longestSeconds) seconds", details: [("field", .text("expiresIn"))])
            }
            return now + seconds * 1_000
        }
    }
}

/// The name of a key: 1 to 100 UTF-8 bytes.
package struct APIKeyName: Hashable, Sendable {
    let text: String

    /// Checks the text of a key name.
    ///
    /// - Throws: BAD_REQUEST for a wrong length, control characters, or spaces at the ends.
    package init(_ text: String) throws(RecordError) {
        guard RecordName(text) != nil, text.utf8.count <= 100, text.first?.isWhitespace == false,
            text.last?.isWhitespace == false
        else {
            throw .badRequest(
                "A key's name has 1 to 100 bytes, no control characters, and no space at its ends",
                details: [("field", .text("name"))])
        }
        self.text = text
    }
}

/// A new token of an API key.
///
/// ```text
/// fbk_           base64url of 256 random bits
/// 4 characters   43 characters
/// ```
///
/// The prefix lets scanners find leaked tokens.
struct APIKeyToken: Sendable {
    static let prefix = "fbk_"

    let text: String
    let hash: [UInt8]
    /// The first 8 characters after the prefix, for lists.
    let shown: String

    init() {
        let random = Base64URL.encode(RandomBytes.make(32))
        text = Self.prefix + random
        hash = SHA256.hash(utf8: text).bytes
        shown = String(random.prefix(8))
    }
}

extension KeyScope {
    /// Parses a stored scope. A scope that cannot be parsed allows nothing.
    init(stored text: String) {
        do {
            self = try KeyScope(try JSONValue.parse(Array(text.utf8)))
        } catch {
            self.init(types: [], permissions: [])
        }
    }

    /// The stored form: the scope as JSON.
    var stored: String { String(decoding: json.bytes, as: UTF8.self) }
}
