internal import SwiftSyntax

/// A stored property that is a field of the record.
struct ModelField {
    /// What a record without the field means for the property.
    enum Absence {
        /// Decoding fails.
        case error
        /// The property is nil.
        case none
        /// The property keeps the default that is written at it.
        case initialValue
    }

    /// The property's name as it is written, with backticks if there are any.
    let property: TokenSyntax
    /// The field's name in the record.
    let name: String
    /// Where the name is written: the property's name, or the literal in `@Field`.
    let nameNode: Syntax
    let absence: Absence
    /// The condition of `#if` under which the property is there; nil if it always is.
    let condition: String?

    /// Whether two fields may be there at once, as far as can be told: those of two branches may not.
    func mayStand(beside other: ModelField) -> Bool {
        condition == nil || other.condition == nil || condition == other.condition
    }
}
