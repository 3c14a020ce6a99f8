internal import HTTP
internal import RecordEngine
internal import RecordModel
internal import RecordWire

/// Texts of the schema language in requests and responses.
enum SchemaTextBody {
    /// The media type of the texts.
    static let mediaType = "text/x-ckdb"

    /// Whether a media type is that of the texts.
    fileprivate static func matches(_ type: MediaType) -> Bool { type.isType("text", "x-ckdb") }
}

extension HTTPFields {
    /// Whether the body is a text of the schema language.
    ///
    /// - Throws: BAD_REQUEST (`unsupportedMediaType`) for another charset than UTF-8.
    func sendsSchemaText() throws(RecordError) -> Bool {
        guard let type = self[.contentType].flatMap({ MediaType($0) }), SchemaTextBody.matches(type) else {
            return false
        }
        if let charset = type["charset"]?.lowercased(), charset != "utf-8", charset != "us-ascii" {
            throw .badRequest("A schema is UTF-8 text; another charset is not taken", cause: .unsupportedMediaType)
        }
        return true
    }

    /// Whether Accept names the schema language, with at least the quality of JSON.
    var acceptsSchemaText: Bool {
        guard contains(.accept) else { return false }
        var text: Double?
        var json = 0.0
        for line in values(of: .accept) {
            for element in line.split(separator: ",") {
                guard let range = MediaType(String(element)) else { continue }
                let quality = range["q"].flatMap(Double.init) ?? 1
                if SchemaTextBody.matches(range) { text = Swift.max(text ?? 0, quality) }
                if range.isJSON { json = Swift.max(json, quality) }
            }
        }
        guard let text, text > 0 else { return false }
        return text >= json
    }
}

extension RecordCall {
    /// Returns the schema in the body, as JSON or as a text of the schema language.
    ///
    /// - Throws: BAD_REQUEST for another media type or an invalid document, and the errors of `document`.
    mutating func schemaDocument() async throws -> SchemaDocument {
        guard try request.fields.sendsSchemaText() else {
            return try await document { bytes throws(RecordError) in try SchemaDocument.read(bytes) }
        }
        return try await document(of: .schemaText) { bytes throws(RecordError) in try SchemaDocument.readText(bytes) }
    }

    /// Returns a schema in the form that the client accepts.
    ///
    /// - Parameters:
    ///   - text: Returns the schema as a text.
    ///   - tag: The entity tag of the JSON form. The tag of the text has a digest of the text after the dot.
    /// - Throws: `APIError` with status 406; the errors of `respond`.
    func respond(_ document: SchemaDocument, text: () throws -> String, tag: String) throws -> HTTPResponse {
        guard request.fields.acceptsSchemaText else {
            try requireJSONAccepted(request.fields)
            var response = try respond(document.json, tag: tag)
            response.fields.append(.vary, literal: "Accept")
            return response
        }
        let text = try text()
        let base = tag.prefix { $0 != "." }
        var response = try respond(.string(text), tag: "\(base).\(DocumentTag.text(of: .string(text)))")
        response.fields.append(.vary, literal: "Accept")
        guard response.status == .ok else { return response }
        response.fields.set(.contentType, "\(SchemaTextBody.mediaType); charset=utf-8")
        response.body = .bytes(Array(text.utf8))
        return response
    }
}
