/// The kind of a JSON value, as far as a scan determines the kind.
package enum JSONKind: UInt8, Hashable, Sendable {
    /// A string without escapes.
    case string
    /// A string with at least one backslash.
    case escapedString
    /// A number without fraction and exponent, of any length.
    case integer
    /// A number with a fraction, an exponent, or both.
    case fraction
    case trueWord, falseWord, null
    case object, array

    /// The name of the kind in error messages.
    var word: String {
        switch self {
        case .string, .escapedString: "string"
        case .integer: "integer"
        case .fraction: "number"
        case .trueWord, .falseWord: "boolean"
        case .null: "null"
        case .object: "object"
        case .array: "list"
        }
    }
}

/// A scanned value: its kind and its range in the document, including quotes and brackets.
package struct JSONToken: Hashable, Sendable {
    /// The kind of the value.
    package let kind: JSONKind
    /// The position of the first byte.
    package let start: Int
    /// The position after the last byte of the value.
    package let end: Int

    /// The range of the value in the document.
    package var range: Range<Int> { start..<end }
    var count: Int { end &- start }
    var isString: Bool { kind == .string || kind == .escapedString }
    /// The bytes between the quotes of a string.
    var content: Range<Int> { (start &+ 1)..<(end &- 1) }
}
