internal import HTTP
internal import RecordEngine
internal import RecordModel
internal import RecordWire

/// Documents that are replaced as a whole: schema, grants of a type, roles. Their tags are digests, so that a client that
/// reads, thinks and writes learns with `If-Match` that somebody else has written meanwhile.
extension RecordCall {
    /// What If-Match and If-None-Match demand of a document before it is replaced.
    func documentGuard() throws(RecordError) -> WriteGuard {
        // Behind the dot stands what of a schema's indexes was built, which nobody replaces.
        try writeGuard { tag in
            // What proxies that compress put behind (Apache, Caddy).
            let coding = ["-gzip", "-br", "-zstd"].first(where: tag.hasSuffix) ?? ""
            return String(tag.dropLast(coding.count).prefix { $0 != "." })
        }
    }

    /// The answer to a read: the document, or 304 or 412 if the request has a condition that decides so.
    func answer(_ document: JSONValue, tag: String) throws -> HTTPResponse {
        switch Preconditions.evaluate(request.fields, method: request.method, entityTag: EntityTag(opaque: tag)) {
        case .proceed: return .document(document, tag: tag)
        case .notModified:
            var fields = HTTPFields.bodyless
            fields.append(.etag, "\"\(tag)\"")
            return HTTPResponse(.notModified, fields: fields)
        case .failed: throw RecordError.documentChanged
        case .malformed: throw APIError.malformedCondition
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
