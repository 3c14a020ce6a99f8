internal import SwiftParser
internal import SwiftSyntax

/// The attributes of a property that affect the generated code.
struct PropertyMarks {
    /// The `@Field` attributes.
    private(set) var names: [AttributeSyntax] = []
    /// The first `@Transient` attribute.
    private(set) var transient: AttributeSyntax?
    /// The first attribute that can change how the property is stored: a property wrapper or another macro.
    private(set) var unknown: AttributeSyntax?

    /// Collects attributes, including those inside `#if`.
    init(_ attributes: AttributeListSyntax) {
        for element in attributes {
            if case .attribute(let attribute) = element {
                add(attribute)
            } else if case .ifConfigDecl(let condition) = element {
                for clause in condition.clauses {
                    guard case .attributes(let inner)? = clause.elements else { continue }
                    for case .attribute(let attribute) in inner { add(attribute) }
                }
            }
        }
    }

    private mutating func add(_ attribute: AttributeSyntax) {
        let name = attribute.shortName
        switch name {
        case "Field": names.append(attribute)
        case "Transient": transient = transient ?? attribute
        default:
            // Attributes of the Swift language start with a lowercase letter. None of these attributes changes how a
            // property is stored.
            if name.first?.isUppercase == true { unknown = unknown ?? attribute }
        }
    }
}

extension AttributeSyntax {
    /// The name of the attribute, without module, enclosing type and generic arguments.
    var shortName: String {
        if let member = attributeName.as(MemberTypeSyntax.self) { return member.name.text }
        if let identifier = attributeName.as(IdentifierTypeSyntax.self) { return identifier.name.text }
        return attributeName.trimmedDescription
    }

    /// The first argument, if it has no label.
    var firstArgument: ExprSyntax? {
        guard case .argumentList(let arguments)? = arguments, let first = arguments.first, first.label == nil else {
            return nil
        }
        return first.expression
    }
}

extension ExprSyntax {
    /// The text of a string literal without interpolations; `nil` for other expressions.
    var literalText: String? { self.as(StringLiteralExprSyntax.self)?.representedLiteralValue }
}
