internal import SwiftSyntax
internal import SwiftSyntaxMacros

/// `@Field("name")`, a mark that the model's macro reads; by itself it only refuses places where there is no field.
struct FieldMacro: PeerMacro {
    static func expansion(
        of node: AttributeSyntax, providingPeersOf declaration: some DeclSyntaxProtocol,
        in context: some MacroExpansionContext
    ) throws -> [DeclSyntax] {
        PropertyMarks.check(node, on: declaration, misplaced: .fieldIsNoProperty, in: context)
        return []
    }
}
