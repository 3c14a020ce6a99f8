/// The fields of a model, by name: as a rule a nested `enum Fields: String`, which `@RecordCodable` writes.
public protocol RecordFields: RawRepresentable<String>, Hashable, Sendable {
    /// All fields of the model, so that queries ask for no others; `nil` where they are not known.
    static var all: [Self]? { get }
}

extension RecordFields {
    public static var all: [Self]? { nil }
}

extension RecordFields where Self: CaseIterable {
    public static var all: [Self]? { Array(allCases) }
}

/// A field of a model that lists none: any name. Queries write it as a literal: `.filter("author", equals: user)`.
public struct AnyField: RecordFields, ExpressibleByStringLiteral {
    public let rawValue: String

    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    public init(stringLiteral value: String) {
        rawValue = value
    }
}
