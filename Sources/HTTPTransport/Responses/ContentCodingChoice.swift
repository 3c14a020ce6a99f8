import HTTP

/// Chooses the content coding of a response (RFC 9110 §12.5.3).
///
/// The functions take the request as a parameter, because storing the request would copy it for each response. So would a
/// parameter with the configuration, which is why they take the loop that has it.
enum ContentCodingChoice {
    /// Whether to try to compress a body of `count` bytes. Adds `Vary: Accept-Encoding` if the choice depends on the
    /// request.
    ///
    /// A response with a strong entity tag is not compressed. The tag would identify two different byte sequences, and
    /// a weak tag is useless for If-Match (RFC 9110 §8.8.3).
    static func compresses(
        _ count: Int, of response: inout HTTPResponse, for request: HTTPRequest,
        on server: ServerLoop
    ) -> Bool {
        guard let minimum = server.configuration.minimumCompressedBytes, count >= minimum,
            count <= server.configuration.maximumCompressedBytes,
            response.status.code / 100 == 2 || response.status.code >= 400, response.status != .partialContent,
            !response.fields.contains(.contentEncoding), !hasStrongTag(response), isCompressible(response)
        else { return false }
        response.fields.append(.vary, literal: "Accept-Encoding")
        return AcceptEncoding.acceptsGzip(request.fields)
    }

    /// Returns the form that the client accepts, of two precomputed forms. Sets the fields of `response` for this form.
    static func pick(
        identity: [UInt8], gzip: [UInt8]?, of response: inout HTTPResponse, for request: HTTPRequest,
        on server: ServerLoop
    ) -> [UInt8] {
        guard server.configuration.minimumCompressedBytes != nil, let gzip else { return identity }
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

/// The media types of text that is not already compressed.
enum CompressibleTypes {
    /// Whether a Content-Type has a compressible media type, with any parameters.
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
