internal import HTTP
internal import RecordModel

/// Refuses a body whose media type says that it is no JSON. None, JSON and plain text are taken.
func requireJSONBody(_ fields: HTTPFields) throws(RecordError) {
    guard fields.contains(.contentType) else { return }
    // The usual spelling, before anything is parsed.
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

/// Refuses a request whose Accept leaves no room for JSON. What cannot be read is taken as room.
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
    /// Whether Prefer asks for `return=minimal` (RFC 7240 §4.2).
    var prefersMinimal: Bool {
        guard contains(.prefer) else { return false }
        for line in values(of: .prefer) {
            for element in line.split(whereSeparator: { $0 == "," || $0 == ";" }) {
                let preference = element.filter { $0 != " " && $0 != "\t" && $0 != "\"" }.lowercased()
                if preference == "return=minimal" { return true }
                if preference == "return=representation" { return false }
            }
        }
        return false
    }
}
