internal import HTTP
internal import RecordModel

/// Rejects a body whose media type is neither JSON nor plain text. A body without a media type is accepted.
///
/// - Throws: BAD_REQUEST (`unsupportedMediaType`).
func requireJSONBody(_ fields: HTTPFields) throws(RecordError) {
    guard fields.contains(.contentType) else { return }
    // Compare the usual spelling first, because it needs no parsing.
    if fields.has(.contentType, "application/json") { return }
    guard let text = fields[.contentType], let type = MediaType(text),
        type.isJSON || type.isType("text", "plain")
    else {
        throw .notJSON
    }
    if let charset = type["charset"]?.lowercased(), charset != "utf-8", charset != "us-ascii" {
        throw .badRequest("JSON is UTF-8 text; another charset is not taken", cause: .unsupportedMediaType)
    }
}

extension RecordError {
    static let notJSON = RecordError.badRequest(
        """
        Send JSON, with Content-Type: application/json (curl: --json instead of -d). A form, with files or without, \
        goes to /records/{type}, a file by itself to /assets
        """,
        cause: .unsupportedMediaType)
}

/// Rejects a request whose Accept field excludes JSON. A malformed element counts as accepting JSON.
///
/// - Throws: `APIError` with status 406.
func requireJSONAccepted(_ fields: HTTPFields) throws {
    let accepts = fields.withValue(of: .accept) { value -> Bool in
        value.isEmpty || value.elementsEqual("*/*".utf8) || value.elementsEqual("application/json".utf8)
    }
    guard accepts == false else { return }
    for line in fields.values(of: .accept) {
        for element in line.split(separator: ",", omittingEmptySubsequences: true) {
            guard let range = MediaType(String(element)) else { return }
            if let quality = range["q"], Double(quality) == 0 { continue }
            let isRoom =
                range.isJSON || range.isType("*", "*") || range.isType("application", "*")
                || (range.type == "application" && range.subtype.hasSuffix("*"))
            if isRoom { return }
        }
    }
    throw APIError.notAcceptable
}

extension HTTPFields {
    /// Whether Prefer contains `return=minimal` (RFC 7240 §4.2).
    var prefersMinimal: Bool {
        preferences.first { $0 == "return=minimal" || $0 == "return=representation" } == "return=minimal"
    }

    /// Whether Prefer contains `respond-async` (RFC 7240 §4.1).
    var prefersAsync: Bool { preferences.contains("respond-async") }

    /// The preferences of the client in lower case, without blanks and quotes.
    private var preferences: [String] {
        guard contains(.prefer) else { return [] }
        return values(of: .prefer).flatMap { line in
            line.split { $0 == "," || $0 == ";" }.map { element in
                element.filter { $0 != " " && $0 != "\t" && $0 != "\"" }.lowercased()
            }
        }
    }
}
