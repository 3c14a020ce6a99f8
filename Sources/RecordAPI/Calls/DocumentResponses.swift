internal import HTTP
internal import RecordEngine
internal import RecordModel
internal import RecordWire

/// Documents that are replaced as a whole: the schema, the grants of a type, roles. Their entity tags are digests. A
/// client that sends `If-Match` detects a concurrent change between its read and its write.
extension RecordCall {
    /// Returns the precondition of If-Match or If-None-Match for replacing a document.
    ///
    /// - Throws: BAD_REQUEST for a malformed or unsupported precondition.
    func documentPrecondition() throws(RecordError) -> WritePrecondition {
        // After the dot, a schema's tag represents the state of the indexes, which a client cannot replace.
        try precondition { tag in
            // Compressing proxies append these suffixes (Apache, Caddy).
            let coding = ["-gzip", "-br", "-zstd"].first(where: tag.hasSuffix) ?? ""
            return String(tag.dropLast(coding.count).prefix { $0 != "." })
        }
    }

    /// Returns the response to a read: the document, or 304 if the client's copy is current.
    ///
    /// - Throws: CONFLICT if If-Match fails; `APIError` with status 400 for a malformed precondition.
    func respond(_ document: JSONValue, tag: String) throws -> HTTPResponse {
        switch Preconditions.evaluate(request.fields, method: request.method, entityTag: EntityTag(opaque: tag)) {
        case .proceed: return .document(document, tag: tag)
        case .notModified:
            var fields = HTTPFields.bodyless
            fields.append(.etag, "\"\(tag)\"")
            return HTTPResponse(.notModified, fields: fields)
        case .failed: throw RecordError.documentChanged
        case .malformed: throw APIError.malformedPrecondition
        }
    }
}

extension HTTPResponse {
    static func document(_ document: JSONValue, tag: String, status: HTTPStatus = .ok) -> HTTPResponse {
        var response = HTTPResponse.json(document, status: status)
        response.fields.append(.etag, "\"\(tag)\"")
        return response
    }
}
