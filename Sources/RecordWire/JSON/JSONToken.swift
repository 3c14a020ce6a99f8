/// What a JSON value is, as far as a scan can tell.
package enum JSONKind: UInt8, Hashable, Sendable {
    /// A string whose bytes between the quotes are its text.
    case string
    /// A string with at least one backslash.
    case escapedString
    /// A number without fraction and exponent, of any length.
    case integer
    /// A number with a fraction, an exponent, or both.
    case fraction
    case trueWord, falseWord, null
    case object, array

    /// The name that errors use.
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

/// One scanned value: its kind and its bytes, quotes and brackets included, as a range of the document.
package struct JSONToken: Hashable, Sendable {
    package let kind: JSONKind
    package let start: Int
    package let end: Int

    package var range: Range<Int> { start..<end }
    var count: Int { end &- start }
    var isString: Bool { kind == .string || kind == .escapedString }
    /// The bytes between the quotes of a string.
    var content: Range<Int> { (start &+ 1)..<(end &- 1) }
}
