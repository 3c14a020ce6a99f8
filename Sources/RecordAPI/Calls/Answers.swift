internal import HTTP
internal import RecordEngine
internal import RecordWire

extension HTTPFields {
    /// The fields of every JSON answer, made once: an answer that adds to them copies two small arrays.
    static let json: HTTPFields = {
        var fields = HTTPFields()
        fields.append(.contentType, literal: "application/json")
        fields.append(.xContentTypeOptions, literal: "nosniff")
        fields.append(.cacheControl, literal: "no-cache")
        return fields
    }()

    /// The fields of an answer without a body. A cache may keep what it has, and asks before it uses it: who writes must
    /// see the write in the next answer, and rights may end.
    static let bodyless: HTTPFields = {
        var fields = HTTPFields()
        fields.append(.cacheControl, literal: "no-cache")
        return fields
    }()

    /// Appends the ETag of a record.
    mutating func appendEntityTag(_ version: RecordVersion) {
        var tag: [UInt8] = []
        tag.reserveCapacity(24)
        tag.append(UInt8(ascii: "\""))
        version.append(to: &tag)
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
