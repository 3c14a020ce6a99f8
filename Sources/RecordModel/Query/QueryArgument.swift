/// A value that a query hands to its condition: a literal of the text, the value of a placeholder, or that of a filter.
/// It gets the type of its field when the condition is bound.
package enum QueryArgument: Hashable, Sendable {
    case null
    case bool(Bool)
    case integer(Int64)
    /// Must be finite to fit a field.
    case double(Double)
    case string(String)
    /// Milliseconds since 1970-01-01 UTC.
    case timestamp(Int64)
    /// The name of the target.
    case reference(String)
    /// Values that no condition compares; what they hold is not kept.
    case bytes, location, asset
    /// Scalars; a list in a list is refused when it is bound.
    case list([QueryArgument])

    /// The word that errors use for its type.
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
    /// About how long it is in a request, in bytes.
    package var size: Int {
        if case .list(let members) = self { members.reduce(0) { $0 + $1.size } } else { 8 + textBytes }
    }

    /// The UTF-8 bytes of its texts.
    var textBytes: Int {
        switch self {
        case .string(let text), .reference(let text): text.utf8.count
        case .list(let members): members.reduce(0) { $0 + $1.textBytes }
        case .null, .bool, .integer, .double, .timestamp, .bytes, .location, .asset: 0
        }
    }
}

extension Limits {
    /// The most bytes of the texts that arguments give to a condition, each counted wherever it is named: as many as a
    /// body has.
    package static let conditionTextBytes = 256 * 1_024
    /// The longest text of a condition, in UTF-8 bytes.
    package static let conditionBytes = 16 * 1_024
    /// How deep a condition may nest: parentheses within parentheses.
    package static let conditionDepth = 32
    /// The most tests of one query, those of its text and its filters together.
    package static let conditions = 200
    /// The most members of one list that a condition compares with.
    package static let conditionListMembers = 1_000
    /// The most members of all lists of a condition.
    package static let conditionMembers = 2_000
    /// The most arguments of a query, placed and named ones together.
    package static let queryArguments = 100
    /// The most keys of a sort.
    package static let sortTerms = 8
}
