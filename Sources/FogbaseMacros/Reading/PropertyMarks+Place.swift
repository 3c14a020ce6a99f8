internal import SwiftDiagnostics
internal import SwiftSyntax
internal import SwiftSyntaxMacros

extension PropertyMarks {
    /// The macros that read `@Field` and `@Transient`.
    static let models = ["RecordCodable", "RecordDecodable", "RecordEncodable"]

    /// Reports an attribute without effect: its declaration is not a settable stored property, or the enclosing type
    /// has no model macro.
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

    /// Whether the attributes of a type include a model macro. An `#if` among the attributes counts as a macro.
    private static func isRead(in attributes: AttributeListSyntax) -> Bool {
        attributes.contains { element in
            guard case .attribute(let attribute) = element else { return true }
            return models.contains(attribute.shortName)
        }
    }
}
