internal import SwiftSyntax

/// A stored property that is a field of the record.
struct ModelField {
    /// What decoding does if the field is missing.
    enum Absence {
        /// Decoding throws an error.
        case error
        /// Decoding sets the property to `nil`.
        case none
        /// Decoding keeps the property's default value.
        case initialValue
    }

    /// The name of the property as in the source, possibly with backticks.
    let property: TokenSyntax
    /// The name of the field.
    let name: String
    /// The location of the field name in the source: the property's name, or the literal in `@Field`.
    let nameNode: Syntax
    let absence: Absence
    /// The `#if` condition of the property; `nil` if it has none.
    let condition: String?

    /// Whether this field and `other` can exist in the same build. Fields with different `#if` conditions count as
    /// mutually exclusive.
    func mayStand(beside other: ModelField) -> Bool {
        condition == nil || other.condition == nil || condition == other.condition
    }
}
