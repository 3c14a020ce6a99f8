internal import HTTP
internal import RecordEngine
internal import RecordModel

/// The credential of a request: `Authorization: Bearer <token>` (RFC 6750 §2.1).
enum Bearer {
    /// Who asks: anonymous without an Authorization field.
    ///
    /// - Throws: AUTHENTICATION_FAILED for another scheme, two fields, or a token that is not valid.
    static func authenticate(_ fields: HTTPFields, with reader: RecordReader) throws(RecordError) -> Caller {
        let caller = fields.withValue(of: .authorization) { value -> Result<Caller, RecordError> in
            guard let token = token(in: value), fields.count(of: .authorization) == 1 else {
                return .failure(malformed)
            }
            do throws(RecordError) { return .success(try reader.callers.authenticate(token)) } catch {
                return .failure(error)
            }
        }
        return try caller?.get() ?? .anonymous
    }

    /// The token of a request that has been authenticated.
    static func token(_ fields: HTTPFields) -> [UInt8]? {
        fields.withValue(of: .authorization) { value in token(in: value).map { [UInt8]($0) } } ?? nil
    }

    /// What follows the scheme, which is read without regard to case.
    private static func token(in value: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer? {
        let scheme: StaticString = "bearer "
        let length = scheme.utf8CodeUnitCount
        guard value.count > length else { return nil }
        // A blank has the bit already.
        for index in 0..<length where value[index] | 0x20 != scheme.utf8Start[index] { return nil }
        var start = length
        while start < value.count, value[start] == 0x20 { start += 1 }
        return start < value.count ? UnsafeRawBufferPointer(rebasing: value[start...]) : nil
    }

    private static let malformed = RecordError(
        .authenticationFailed, "The Authorization field must be 'Bearer' and a token, once")
}
