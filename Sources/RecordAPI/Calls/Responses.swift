internal import HTTP
internal import RecordEngine
internal import RecordWire

extension HTTPFields {
    /// The header fields of every JSON response. They are created once; a response that adds fields copies two small
    /// arrays.
    static let json: HTTPFields = {
        var fields = HTTPFields()
        fields.append(.contentType, literal: "application/json")
        fields.append(.xContentTypeOptions, literal: "nosniff")
        fields.append(.cacheControl, literal: "no-cache")
        return fields
    }()

    /// The header fields of a response without a body. Caches must revalidate, because a client must see its own writes
    /// in the next response, and because permissions can be revoked.
    static let bodyless: HTTPFields = {
        var fields = HTTPFields()
        fields.append(.cacheControl, literal: "no-cache")
        return fields
    }()

    /// Appends the entity tag of a record.
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
