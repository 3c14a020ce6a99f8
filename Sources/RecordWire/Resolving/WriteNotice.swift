package import RecordModel

/// What a write that succeeded tells its caller besides the outcome.
package struct WriteNotice: Hashable, Sendable {
    package enum Code: String, Hashable, Sendable {
        /// A number has more digits than the DOUBLE that is stored in its place.
        case numberRounded = "NUMBER_ROUNDED"
        /// A text that reads as a time has made a new field a STRING.
        case storedAsString = "STORED_AS_STRING"
    }

    package let code: Code
    package let recordType: RecordTypeName
    package let field: FieldName
    /// The record that was written; empty until that is known.
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
        case .storedAsString:
            "The new field '\(field)' is a STRING, although its value reads as a time. A field becomes a TIMESTAMP by {\"value\":\"\(Timestamp.example)\",\"type\":\"TIMESTAMP\"} in its first write, or by PUT /schema"
        }
    }

    package var json: JSONValue {
        [
            "code": .string(code.rawValue), "recordType": .string(recordType.text), "recordName": .string(recordName),
            "field": .string(field.text), "reason": .string(reason),
        ]
    }
}

extension CanonicalValue {
    /// Whether a number, or one of a list, differs from the DOUBLE that `append` makes of it.
    static func isRounded(_ token: JSONToken, of reader: JSONReader) -> Bool {
        // Up to 15 digits come back as they were, and so short a text has no more.
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

    /// The digits of a number without zeros at both ends. The point and the exponent may differ where the value does not.
    private static func significantDigits(_ number: some Sequence<UInt8>) -> [UInt8] {
        let mantissa = number.prefix { $0 | 0x20 != UInt8(ascii: "e") }
        let digits = mantissa.filter { $0 &- UInt8(ascii: "0") < 10 }.drop { $0 == UInt8(ascii: "0") }
        guard let last = digits.lastIndex(where: { $0 != UInt8(ascii: "0") }) else { return [] }
        return Array(digits[...last])
    }
}
