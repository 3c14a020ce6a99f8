internal import HTTP
internal import RecordEngine
internal import RecordModel

/// The credential of a request: `Authorization: Bearer <token>` (RFC 6750 §2.1).
enum Bearer {
    /// Returns the caller of a request. Without an Authorization field, the caller is anonymous.
    ///
    /// - Throws: AUTHENTICATION_FAILED for a scheme other than Bearer, two fields, or an invalid token.
    static func authenticate(_ fields: HTTPFields, with reader: RecordReader) throws(RecordError) -> Caller {
        try authentication(fields, with: reader).caller
    }

    /// Returns the caller of a request, and when it must be authenticated again.
    ///
    /// - Throws: As `authenticate`.
    static func authentication(
        _ fields: HTTPFields, with reader: RecordReader
    ) throws(RecordError) -> Authentication {
        let found = fields.withValue(of: .authorization) { value -> Result<Authentication, RecordError> in
            guard let token = token(in: value), fields.count(of: .authorization) == 1 else {
                return .failure(malformed)
            }
            do throws(RecordError) { return .success(try reader.callers.authentication(token)) } catch {
                return .failure(error)
            }
        }
        return try found?.get() ?? Authentication(.anonymous)
    }

    /// Returns the token of an authenticated request.
    static func token(_ fields: HTTPFields) -> [UInt8]? {
        fields.withValue(of: .authorization) { value in token(in: value).map { [UInt8]($0) } } ?? nil
    }

    /// Returns the token after the scheme. The scheme is case-insensitive.
    private static func token(in value: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer? {
        let scheme: StaticString = "bearer "
        let length = scheme.utf8CodeUnitCount
        guard value.count > length else { return nil }
        // The bit 0x20 is already set in a space.
        for index in 0..<length where value[index] | 0x20 != scheme.utf8Start[index] { return nil }
        var start = length
        while start < value.count, value[start] == 0x20 { start += 1 }
        return start < value.count ? UnsafeRawBufferPointer(rebasing: value[start...]) : nil
    }

    private static let malformed = RecordError(
        .authenticationFailed, "The Authorization field must be 'Bearer' and a token, once")
}
