/// The type of a model's field names. Usually the type is a nested `enum Fields: String` that `@RecordCodable`
/// generates.
public protocol RecordFields: RawRepresentable<String>, Hashable, Sendable {
    /// All fields of the model. Queries request only these fields. If the fields are `nil`, queries request all fields
    /// of the record.
    static var all: [Self]? { get }
}

extension RecordFields {
    public static var all: [Self]? { nil }
}

extension RecordFields where Self: CaseIterable {
    public static var all: [Self]? { Array(allCases) }
}

/// A field with any name, for models without a list of fields. In queries, the field is a string literal:
/// `.filter("author", equals: user)`.
public struct AnyField: RecordFields, ExpressibleByStringLiteral {
    public let rawValue: String

    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    public init(stringLiteral value: String) {
        rawValue = value
    }
}
