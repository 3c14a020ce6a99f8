package import Geography

/// A field in a condition or a sort: a field of the type, or a system field that queries may use.
package enum QueryField: Hashable, Sendable {
    case field(FieldDefinition)
    case system(SystemField)
    /// How well a record matches the query's searches, as a DOUBLE of at least 0. Only sorts have it.
    case rank(RankWeights)
    /// The great-circle distance in meters between a place and the location of a field, or the nearest member of a
    /// list of locations.
    case distance(FieldDefinition, Place)

    /// The name of the field in responses and error messages.
    package var name: String {
        switch self {
        case .field(let field), .distance(let field, _): field.name.text
        case .system(let field): field.name.description
        case .rank(let weights): "rank(\(weights.text))"
        }
    }

    /// Whether the field is the rank.
    package var isRank: Bool { if case .rank = self { true } else { false } }

    /// The type of the field's values. The type of user fields is a reference to the user record.
    package var type: FieldType {
        switch self {
        case .field(let field): field.type
        case .distance: .double
        case .system(.recordName), .system(.recordChangeTag): .string
        case .system(.createdTimestamp), .system(.modifiedTimestamp): .timestamp
        case .system: .reference
        case .rank: .double
        }
    }

    /// The system fields that predicates may use. Other system fields are rejected.
    package static let querySystemFields: Set<SystemField> = [
        .recordName, .createdTimestamp, .createdUserRecordName, .modifiedTimestamp, .modifiedUserRecordName,
    ]
}

/// A value in a condition, stored according to the type of its field.
///
/// | field | value |
/// |---|---|
/// | STRING, `recordName` | `text`, its UTF-8 |
/// | REFERENCE | `text`, the name of the target |
/// | INT64, TIMESTAMP | `integer` |
/// | DOUBLE | `double`, finite, never -0 |
/// | user system fields | `integer`, the account's number |
package enum QueryValue: Hashable, Sendable {
    /// UTF-8 text. Its byte order is the order by Unicode scalars.
    case text([UInt8])
    case integer(Int64)
    case double(Double)

    /// The number of bytes of a text; 0 for other values.
    package var textBytes: Int { if case .text(let text) = self { text.count } else { 0 } }

    /// Returns whether this value sorts before another value of the same case.
    package func precedes(_ other: QueryValue) -> Bool {
        switch (self, other) {
        case (.text(let left), .text(let right)): left.lexicographicallyPrecedes(right)
        case (.integer(let left), .integer(let right)): left < right
        case (.double(let left), .double(let right)): left < right
        case (.text, _), (.integer, _), (.double, _):
            preconditionFailure("Values of one field have one form")
        }
    }
}
