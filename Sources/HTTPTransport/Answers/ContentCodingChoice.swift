import HTTP

/// Whether an answer goes out in gzip (RFC 9110 §12.5.3).
///
/// Functions that are handed the request: keeping it would copy it for each answer.
enum ContentCodingChoice {
    /// Whether a body of `count` bytes goes out in gzip if that makes it smaller; `response` gets the field that says that it
    /// depends on the request.
    ///
    /// An answer with a strong entity tag stays as it is: the tag would name two different runs of bytes, and a weak one
    /// is of no use to If-Match (RFC 9110 §8.8.3).
    static func compresses(
        _ count: Int, of response: inout HTTPResponse, for request: HTTPRequest,
        under configuration: HTTPServerConfiguration
    ) -> Bool {
        guard let minimum = configuration.minimumCompressedBytes, count >= minimum,
            count <= configuration.maximumCompressedBytes,
            response.status.code / 100 == 2 || response.status.code >= 400, response.status != .partialContent,
            !response.fields.contains(.contentEncoding), !hasStrongTag(response), isCompressible(response)
        else { return false }
        response.fields.append(.vary, literal: "Accept-Encoding")
        return AcceptEncoding.acceptsGzip(request.fields)
    }

    /// One of two forms that were made beforehand.
    static func pick(
        identity: [UInt8], gzip: [UInt8]?, of response: inout HTTPResponse, for request: HTTPRequest,
        under configuration: HTTPServerConfiguration
    ) -> [UInt8] {
        guard configuration.minimumCompressedBytes != nil, let gzip else { return identity }
        response.fields.append(.vary, literal: "Accept-Encoding")
        guard AcceptEncoding.acceptsGzip(request.fields) else { return identity }
        response.fields.append(.contentEncoding, literal: "gzip")
        return gzip
    }

    private static func hasStrongTag(_ response: HTTPResponse) -> Bool {
        response.fields.withValue(of: .etag) { $0.first == UInt8(ascii: "\"") } ?? false
    }

    private static func isCompressible(_ response: HTTPResponse) -> Bool {
        response.fields.withValue(of: .contentType) { CompressibleTypes.contains($0) } ?? false
    }
}

/// The media types that are text and not compressed already.
enum CompressibleTypes {
    /// Whether a Content-Type names one, whatever its parameters.
    static func contains(_ value: UnsafeRawBufferPointer) -> Bool {
        if begins(value, "text/") { return true }
        for type in types where begins(value, type) {
            let end = type.utf8CodeUnitCount
            return end == value.count || value[end] == UInt8(ascii: ";") || value[end] == UInt8(ascii: " ")
        }
        return false
    }

    private static let types: [StaticString] = [
        "application/json", "application/problem+json", "application/x-ndjson", "application/javascript",
        "application/manifest+json", "image/svg+xml",
    ]

    private static func begins(_ value: UnsafeRawBufferPointer, _ prefix: StaticString) -> Bool {
        let count = prefix.utf8CodeUnitCount
        guard value.count >= count else { return false }
        return prefix.withUTF8Buffer { prefix in
            for index in 0..<count {
                let byte = value[index]
                let lower = (0x41...0x5A).contains(byte) ? byte | 0x20 : byte
                guard lower == prefix[index] else { return false }
            }
            return true
        }
    }
}
