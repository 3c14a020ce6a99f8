package import RecordModel

/// A notice about a successful write, in addition to its result.
package struct WriteNotice: Hashable, Sendable {
    /// The kind of a notice.
    package enum Code: String, Hashable, Sendable {
        /// A number has more digits than its stored DOUBLE can represent.
        case numberRounded = "NUMBER_ROUNDED"
        /// A new field became a STRING, although its first value looks like a time.
        case storedAsString = "STORED_AS_STRING"
        /// A time is early in 1970, and would be a recent one in seconds.
        case timeInSeconds = "TIME_IN_SECONDS"
    }

    /// The kind of the notice.
    package let code: Code
    /// The record type.
    package let recordType: RecordTypeName
    /// The name of the field.
    package let field: FieldName
    /// The name of the written record; empty until the name is known, and in a bulk update.
    package var recordName = ""

    init(_ code: Code, field: FieldName, of recordType: RecordTypeName) {
        self.code = code
        self.field = field
        self.recordType = recordType
    }

    private var reason: String {
        switch code {
        case .numberRounded:
            "Field '\(field)' is a DOUBLE and holds the nearest number that it can, which is not the one sent. For more digits take an INT64 or a STRING"
        case .timeInSeconds:
            "The time in '\(field)' is early in 1970. Times are milliseconds since 1970: multiply seconds by 1,000"
        case .storedAsString:
            "The new field '\(field)' is a STRING, although its value reads as a time. A field becomes a TIMESTAMP by {\"value\":\"\(Timestamp.example)\",\"type\":\"TIMESTAMP\"} in its first write, or by PUT /schema"
        }
    }

    /// The notice as JSON.
    package var json: JSONValue {
        var object = JSONObject([("code", .string(code.rawValue)), ("recordType", .string(recordType.text))])
        if !recordName.isEmpty { object["recordName"] = .string(recordName) }
        object["field"] = .string(field.text)
        object["reason"] = .string(reason)
        return .object(object)
    }
}

extension CanonicalValue {
    /// Returns whether a time in milliseconds, or one in a list, is from January or February 1970, and would be from
    /// 2001 to 2099 if it were in seconds.
    static func isProbablySeconds(_ token: JSONToken, of reader: JSONReader) -> Bool {
        if token.kind == .array {
            var isFound = false
            try? forEachMember(token, of: reader) { member throws(ValueMismatch) in
                isFound = isFound || isProbablySeconds(member, of: reader)
            }
            return isFound
        }
        guard token.kind == .integer, token.count == 10, let double = reader.double(token) else { return false }
        return (1e9..<4.1e9).contains(double)
    }

    /// Returns whether a number, or a number in a list, differs from the DOUBLE that `append` writes for it.
    static func isRounded(_ token: JSONToken, of reader: JSONReader) -> Bool {
        // A number of up to 15 digits survives the conversion to DOUBLE. A text of up to 15 bytes has no more digits.
        guard token.count > 15 else { return false }
        guard token.kind == .array else {
            guard let double = reader.double(token) else { return false }
            var shown: [UInt8] = []
            shown.appendDouble(double)
            return significantDigits(shown[...]) != significantDigits(reader.bytes[token.range])
        }
        var isRounded = false
        try? forEachMember(token, of: reader) { member throws(ValueMismatch) in
            isRounded = isRounded || Self.isRounded(member, of: reader)
        }
        return isRounded
    }

    /// Returns the digits of a number without leading and trailing zeros. Equal values may differ in the decimal point
    /// and the exponent.
    private static func significantDigits(_ number: some Sequence<UInt8>) -> [UInt8] {
        let mantissa = number.prefix { $0 | 0x20 != UInt8(ascii: "e") }
        let digits = mantissa.filter { $0 &- UInt8(ascii: "0") < 10 }.drop { $0 == UInt8(ascii: "0") }
        guard let last = digits.lastIndex(where: { $0 != UInt8(ascii: "0") }) else { return [] }
        return Array(digits[...last])
    }
}
