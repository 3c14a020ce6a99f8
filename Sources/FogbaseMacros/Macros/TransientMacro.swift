internal import SwiftDiagnostics
internal import SwiftSyntax
internal import SwiftSyntaxMacros

/// `@Transient`, a mark that the model's macro reads; by itself it only warns where there is no field anyway.
struct TransientMacro: PeerMacro {
    static func expansion(
        of node: AttributeSyntax, providingPeersOf declaration: some DeclSyntaxProtocol,
        in context: some MacroExpansionContext
    ) throws -> [DeclSyntax] {
        if !StoredProperty.mayBeField(declaration) {
            context.diagnose(Diagnostic(node: node, message: MacroProblem.transientIsNoProperty))
        }
        return []
    }
}
