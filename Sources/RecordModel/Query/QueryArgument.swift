package import Geography

/// A value in a query before it is bound to a field: a literal, the value of a placeholder, or the value of a filter.
package enum QueryArgument: Hashable, Sendable {
    case null
    case bool(Bool)
    case integer(Int64)
    /// A number. Only a finite number can be bound to a field.
    case double(Double)
    case string(String)
    /// Milliseconds since 1970-01-01 UTC.
    case timestamp(Int64)
    /// The name of the target record.
    case reference(String)
    /// The place of a location. Predicates do not compare the rest of it.
    case location(Place)
    /// Values of types that predicates cannot compare. Their content is not stored.
    case bytes, asset
    /// A list of scalars. Binding rejects nested lists.
    case list([QueryArgument])

    /// The name of the value's type in error messages.
    package var typeName: String {
        switch self {
        case .null: "NULL"
        case .bool: "Boolean"
        case .integer: "INT64"
        case .double: "DOUBLE"
        case .string: "STRING"
        case .timestamp: "TIMESTAMP"
        case .reference: "REFERENCE"
        case .bytes: "BYTES"
        case .location: "LOCATION"
        case .asset: "ASSET"
        case .list: "list"
        }
    }
}

extension QueryArgument {
    /// The approximate length of the value in a request, in bytes.
    package var size: Int {
        switch self {
        case .list(let members): members.reduce(0) { $0 + $1.size }
        case .location: 24
        default: 8 + textBytes
        }
    }

    /// Whether the value is a location.
    package var isLocation: Bool { if case .location = self { true } else { false } }

    /// The total length of the texts, in UTF-8 bytes.
    var textBytes: Int {
        switch self {
        case .string(let text), .reference(let text): text.utf8.count
        case .list(let members): members.reduce(0) { $0 + $1.textBytes }
        case .null, .bool, .integer, .double, .timestamp, .bytes, .location, .asset: 0
        }
    }
}

extension Limits {
    /// The most UTF-8 bytes of the text arguments of one predicate. An argument counts each time the predicate uses it.
    package static let conditionTextBytes = 256 * 1_024
    /// The longest text of a predicate, in UTF-8 bytes.
    package static let conditionBytes = 16 * 1_024
    /// The deepest nesting of parentheses in a predicate.
    package static let conditionDepth = 32
    /// The most conditions of one query, including its filters.
    package static let conditions = 200
    /// The most members of one list in a predicate.
    package static let conditionListMembers = 1_000
    /// The most members of all lists in a predicate.
    package static let conditionMembers = 2_000
    /// The most arguments of a query, including both positional and named arguments.
    package static let queryArguments = 100
    /// The most terms of a sort.
    package static let sortTerms = 8
}
