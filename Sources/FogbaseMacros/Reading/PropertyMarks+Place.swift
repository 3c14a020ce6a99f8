internal import SwiftDiagnostics
internal import SwiftSyntax
internal import SwiftSyntaxMacros

extension PropertyMarks {
    /// The macros that read marks.
    static let models = ["RecordCodable", "RecordDecodable", "RecordEncodable"]

    /// Tells the compiler about a mark that stands on something else than a property that a record could set, or in a
    /// type where no macro reads it.
    static func check(
        _ mark: AttributeSyntax, on declaration: some DeclSyntaxProtocol, misplaced: MacroProblem,
        in context: some MacroExpansionContext
    ) {
        if !StoredProperty.mayBeField(declaration) {
            context.diagnose(Diagnostic(node: mark, message: misplaced))
        } else if let around = context.lexicalContext.first?.asProtocol((any WithAttributesSyntax).self),
            !isRead(in: around.attributes)
        {
            context.diagnose(Diagnostic(node: mark, message: MacroProblem.markWithoutModel(mark.shortName)))
        }
    }

    /// Whether one of the macros is among the attributes of a type, or may be inside an `#if`.
    private static func isRead(in attributes: AttributeListSyntax) -> Bool {
        attributes.contains { element in
            guard case .attribute(let attribute) = element else { return true }
            return models.contains(attribute.shortName)
        }
    }
}
