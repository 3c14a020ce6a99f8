/// What a condition or a sort looks at: a field of the type, or a system field that can be asked for.
package enum QueryField: Hashable, Sendable {
    case field(FieldDefinition)
    case system(SystemField)

    /// The name that answers and errors use.
    package var name: String {
        switch self {
        case .field(let field): field.name.text
        case .system(let field): field.name.description
        }
    }

    /// The type of its values. Users are references to user records.
    package var type: FieldType {
        switch self {
        case .field(let field): field.type
        case .system(.recordName), .system(.recordChangeTag): .string
        case .system(.createdTimestamp), .system(.modifiedTimestamp): .timestamp
        case .system: .reference
        }
    }

    /// The system fields that conditions may name; the others are refused with a sentence.
    package static let querySystemFields: Set<SystemField> = [
        .recordName, .createdTimestamp, .createdUserRecordName, .modifiedTimestamp, .modifiedUserRecordName,
    ]
}

/// A value that conditions compare with, already of the field's own type.
///
/// | field | value |
/// |---|---|
/// | STRING, `recordName` | `text`, its UTF-8 |
/// | REFERENCE | `text`, the name of the target |
/// | INT64, TIMESTAMP | `integer` |
/// | DOUBLE | `double`, finite, never -0 |
/// | the user fields of the system | `integer`, the account's number |
package enum QueryValue: Hashable, Sendable {
    /// Compared byte by byte, which is by Unicode scalar.
    case text([UInt8])
    case integer(Int64)
    case double(Double)

    /// Whether this value stands before another of the same case.
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
