internal import SwiftSyntax

/// The type annotation of a property.
struct WrittenType {
    let syntax: TypeSyntax

    /// The type without parentheses and without one `Optional`, and whether an `Optional` was removed.
    var unwrapped: (type: TypeSyntax, isOptional: Bool) {
        let type = Self.withoutParentheses(syntax)
        if let optional = type.as(OptionalTypeSyntax.self) {
            return (Self.withoutParentheses(optional.wrappedType), true)
        }
        if let optional = type.as(ImplicitlyUnwrappedOptionalTypeSyntax.self) {
            return (Self.withoutParentheses(optional.wrappedType), true)
        }
        if let wrapped = Self.arguments(of: type, named: "Optional")?.first {
            return (Self.withoutParentheses(wrapped), true)
        }
        return (type, false)
    }

    /// The kind of a type that no field can store, with an article for the error message; `nil` for other types.
    var unsuitable: String? {
        let type = unwrapped.type
        if type.is(DictionaryTypeSyntax.self) || Self.arguments(of: type, named: "Dictionary") != nil {
            return "a dictionary"
        }
        if type.is(TupleTypeSyntax.self) { return "a tuple" }
        if type.is(FunctionTypeSyntax.self)
            || type.as(AttributedTypeSyntax.self)?.baseType.is(FunctionTypeSyntax.self) == true
        {
            return "a function"
        }
        return nil
    }

    private static func withoutParentheses(_ type: TypeSyntax) -> TypeSyntax {
        guard let tuple = type.as(TupleTypeSyntax.self), let element = tuple.elements.first,
            tuple.elements.count == 1, element.firstName == nil
        else { return type }
        return withoutParentheses(element.type)
    }

    /// Returns the generic arguments of `name<…>` or `Swift.name<…>`; `nil` for other types.
    private static func arguments(of type: TypeSyntax, named name: String) -> [TypeSyntax]? {
        let found: (name: TokenSyntax, clause: GenericArgumentClauseSyntax?)
        if let identifier = type.as(IdentifierTypeSyntax.self) {
            found = (identifier.name, identifier.genericArgumentClause)
        } else if let member = type.as(MemberTypeSyntax.self), member.baseType.trimmedDescription == "Swift" {
            found = (member.name, member.genericArgumentClause)
        } else {
            return nil
        }
        guard found.name.text == name, let clause = found.clause else { return nil }
        return clause.arguments.compactMap { $0.argument.as(TypeSyntax.self) }
    }
}
