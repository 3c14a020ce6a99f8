internal import SwiftSyntax
internal import SwiftSyntaxMacros

/// `@RecordEncodable`: generates the code that writes a model to a record.
struct RecordEncodableMacro: ExtensionMacro {
    static var formatMode: FormatMode { .disabled }

    static func expansion(
        of node: AttributeSyntax, attachedTo declaration: some DeclGroupSyntax,
        providingExtensionsOf type: some TypeSyntaxProtocol, conformingTo protocols: [TypeSyntax],
        in context: some MacroExpansionContext
    ) throws -> [ExtensionDeclSyntax] {
        try ModelExtension.make(
            parts: [.encoding], attribute: node, declaration: declaration, type: type, protocols: protocols,
            context: context)
    }
}
