internal import SwiftSyntax
internal import SwiftSyntaxMacros

/// `@RecordCodable`: generates the code that reads a model from a record and writes a model to a record.
struct RecordCodableMacro: ExtensionMacro {
    static var formatMode: FormatMode { .disabled }

    static func expansion(
        of node: AttributeSyntax, attachedTo declaration: some DeclGroupSyntax,
        providingExtensionsOf type: some TypeSyntaxProtocol, conformingTo protocols: [TypeSyntax],
        in context: some MacroExpansionContext
    ) throws -> [ExtensionDeclSyntax] {
        try ModelExtension.make(
            parts: [.decoding, .encoding], attribute: node, declaration: declaration, type: type, protocols: protocols,
            context: context)
    }
}
