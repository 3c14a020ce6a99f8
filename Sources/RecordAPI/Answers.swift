internal import HTTP
internal import RecordWire

extension HTTPFields {
    /// The fields of every JSON answer.
    static var json: HTTPFields {
        var fields = HTTPFields()
        fields.append(.contentType, literal: "application/json")
        fields.append(.xContentTypeOptions, literal: "nosniff")
        return fields
    }

    /// Appends the ETag of a record: its tag in quotes.
    mutating func appendEntityTag(_ revision: Int64) {
        var tag: [UInt8] = []
        tag.reserveCapacity(16)
        tag.append(UInt8(ascii: "\""))
        RecordTag.append(revision, to: &tag)
        tag.append(UInt8(ascii: "\""))
        append(.etag, ascii: tag)
    }
}

extension HTTPResponse {
    static func json(_ body: [UInt8], status: HTTPStatus = .ok) -> HTTPResponse {
        HTTPResponse(status, fields: .json, body: .bytes(body))
    }

    static func json(_ value: JSONValue, status: HTTPStatus = .ok) -> HTTPResponse {
        .json(value.bytes, status: status)
    }
}
