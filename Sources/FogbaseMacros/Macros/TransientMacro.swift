internal import SwiftSyntax
internal import SwiftSyntaxMacros

/// `@Transient`, a mark that the model's macro reads; by itself it only warns where there is no field anyway.
struct TransientMacro: PeerMacro {
    static func expansion(
        of node: AttributeSyntax, providingPeersOf declaration: some DeclSyntaxProtocol,
        in context: some MacroExpansionContext
    ) throws -> [DeclSyntax] {
        PropertyMarks.check(node, on: declaration, misplaced: .transientIsNoProperty, in: context)
        return []
    }
}
