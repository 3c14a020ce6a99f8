internal import Cryptography
package import RecordModel
internal import Encodings
internal import RecordStorage
package import RecordWire
internal import Threads

/// An API key as those see it who manage keys: neither its token nor a hash.
package struct APIKey: Hashable, Sendable {
    package let id: String
    package let name: String
    /// The first characters of its token behind `fbk_`.
    package let prefix: String
    package let scope: KeyScope
    /// The record name of the account that creates what it creates.
    package let userRecordName: String
    /// Milliseconds since 1970, as all moments.
    package let created: Int64
    package let expires: Int64?
    /// To the minute.
    package let used: Int64?
    package let revoked: Int64?
    /// Until when the token before the last rotation is good.
    package let overlaps: Int64?

    init(_ row: KeyRow, userRecordName: String) {
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
    }

    package var json: JSONValue {
        let now = WallClock.milliseconds
        var object: [(String, JSONValue)] = [
            ("id", .string(id)), ("name", .string(name)), ("prefix", .string("fbk_" + prefix)), ("scope", scope.json),
            ("userRecordName", .string(userRecordName)), ("createdAt", .integer(created)),
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

/// A key with its token, which is shown this once.
package struct NewKey: Hashable, Sendable {
    package let token: String
    package let key: APIKey
}

/// When a key shall end.
package enum KeyExpiry: Hashable, Sendable {
    case never
    /// Milliseconds since 1970.
    case at(Int64)
    /// Seconds from now.
    case after(Int64)

    /// The longest that a key may be said to last: a hundred years.
    static let longestSeconds: Int64 = 100 * 366 * 86_400

    /// - Throws: BAD_REQUEST for a moment that has passed, or that is beyond reason.
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

/// The name of a key, for those who manage them: 1 to 100 UTF-8 bytes.
package struct KeyName: Hashable, Sendable {
    let text: String

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

/// A new token of a key: 256 random bits behind a prefix by which leaked ones are found.
struct KeyToken: Sendable {
    static let prefix = "fbk_"

    let text: String
    let hash: [UInt8]
    /// What lists show of it.
    let shown: String

    init() {
        let random = Base64URL.encode(RandomBytes.make(32))
        text = Self.prefix + random
        hash = SHA256.hash(utf8: text).bytes
        shown = String(random.prefix(8))
    }
}

extension KeyScope {
    /// A scope as the file has it. One that cannot be read allows nothing.
    init(stored text: String) {
        do {
            self = try KeyScope(try JSONValue.parse(Array(text.utf8)))
        } catch {
            self.init(types: [], permissions: [])
        }
    }

    var stored: String { String(decoding: json.bytes, as: UTF8.self) }
}
