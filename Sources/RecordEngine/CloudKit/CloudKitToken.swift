internal import Cryptography
internal import RecordStorage
internal import RecordModel
package import RecordWire

/// The properties of an API token of CloudKit Web Services, without its text.
///
/// The token identifies an app, not a person: requests with the token alone have the permissions of anonymous callers.
package struct CloudKitToken: Hashable, Sendable {
    /// The public id of the token.
    package let id: String
    /// The name, which is unique. The sign-in page shows it.
    package let name: String
    /// The first characters of the token.
    package let prefix: String
    /// The web origins whose pages may use the token; `nil` for any.
    package let origins: [String]?
    /// The URL that gets the web auth token after a sign-in; `nil` to post a message to the page that opened the
    /// sign-in page.
    package let callback: String?
    /// Remarks of the administrators.
    package let notes: String
    /// When the token was created, in milliseconds since 1970.
    package let created: Int64
    /// When the token was last used, in milliseconds since 1970 with a resolution of about a minute.
    package let used: Int64?
    /// The number in the table.
    let number: Int64

    init(_ row: CloudKitTokenRow) {
        id = row.publicID
        name = row.name
        prefix = row.prefix
        // A list that cannot be parsed allows no origin.
        origins = row.origins.map { text in
            (try? JSONValue.parse(Array(text.utf8)))?.array?.compactMap(\.string) ?? []
        }
        callback = row.callback
        notes = row.notes
        created = row.created
        used = row.used
        number = row.id
    }

    /// The token as JSON.
    package var json: JSONValue {
        var object = auditDetail
        object["createdAt"] = .integer(created)
        if let used { object["usedAt"] = .integer(used) }
        return .object(object)
    }

    /// The details of audit entries about the token.
    var auditDetail: JSONObject {
        JSONObject([
            ("id", .string(id)), ("name", .string(name)), ("prefix", .string(prefix)),
            ("origins", origins.map { .array($0.map(JSONValue.string)) } ?? .null),
            ("callback", callback.map(JSONValue.string) ?? .null), ("notes", .string(notes)),
        ])
    }
}

/// The text of a new API token: 64 lowercase hexadecimal digits, which are 256 random bits.
struct CloudKitTokenText: Sendable {
    let text: String
    let hash: [UInt8]
    /// The first 8 characters, for lists.
    var shown: String { String(text.prefix(8)) }

    init() {
        text = Hex.encode(RandomBytes.make(32))
        hash = SHA256.hash(utf8: text).bytes
    }
}

/// The properties that callers choose for an API token.
package struct CloudKitTokenSettings: Sendable {
    /// The maximum number of origins.
    package static var mostOrigins: Int { 100 }
    /// The longest notes, in UTF-8 bytes.
    package static var longestNotes: Int { 2_000 }

    /// The name; `nil` to keep it.
    package var name: APIKeyName?
    /// The allowed origins, normalized; `.some(nil)` for any origin, `nil` to keep them.
    package var origins: [String]??
    /// The callback URL; `.some(nil)` to post a message, `nil` to keep it.
    package var callback: String??
    /// The notes; `nil` to keep them.
    package var notes: String?

    /// Creates settings that change nothing.
    package init() {}

    /// Returns the row with these settings.
    ///
    /// - Throws: BAD_REQUEST for too long notes or too many origins.
    func applied(to row: CloudKitTokenRow) throws(RecordError) -> CloudKitTokenRow {
        var row = row
        if let name { row.name = name.text }
        if let notes {
            guard notes.utf8.count <= Self.longestNotes else {
                throw .badRequest(
                    "'notes' has at most \(Self.longestNotes) bytes", cause: .tooLarge,
                    details: [("field", .text("notes")), ("limit", .number(Int64(Self.longestNotes)))])
            }
            row.notes = notes
        }
        if let origins {
            guard (origins?.count ?? 0) <= Self.mostOrigins else {
                throw .badRequest(
                    "'origins' has at most \(Self.mostOrigins) entries", cause: .tooLarge,
                    details: [("field", .text("origins")), ("limit", .number(Int64(Self.mostOrigins)))])
            }
            row.origins = origins.map {
                String(decoding: JSONValue.array($0.map(JSONValue.string)).bytes, as: UTF8.self)
            }
        }
        if let callback { row.callback = callback }
        return row
    }
}
