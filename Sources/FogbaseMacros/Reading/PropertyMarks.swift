internal import SwiftParser
internal import SwiftSyntax

/// The attributes of a property, sorted by what they mean to the macro.
struct PropertyMarks {
    /// The uses of `@Field`.
    private(set) var names: [AttributeSyntax] = []
    /// The first `@Transient`.
    private(set) var transient: AttributeSyntax?
    /// The first attribute that may change how the property is stored: a property wrapper, or another macro.
    private(set) var unknown: AttributeSyntax?

    /// Sorts attributes, those inside `#if` too.
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
            // The language's own attributes begin with a small letter, and none changes how a property is stored.
            if name.first?.isUppercase == true { unknown = unknown ?? attribute }
        }
    }
}

extension AttributeSyntax {
    /// The attribute's name without a module or a type before it, and without generic arguments.
    var shortName: String {
        if let member = attributeName.as(MemberTypeSyntax.self) { return member.name.text }
        if let identifier = attributeName.as(IdentifierTypeSyntax.self) { return identifier.name.text }
        return attributeName.trimmedDescription
    }

    /// The first argument, unless it has a label.
    var firstArgument: ExprSyntax? {
        guard case .argumentList(let arguments)? = arguments, let first = arguments.first, first.label == nil else {
            return nil
        }
        return first.expression
    }
}

extension ExprSyntax {
    /// The text of a string literal without interpolations, or nil if the expression is another.
    var literalText: String? { self.as(StringLiteralExprSyntax.self)?.representedLiteralValue }
}
