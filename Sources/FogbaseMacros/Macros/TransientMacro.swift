internal import SwiftSyntax
internal import SwiftSyntaxMacros

/// `@Transient`: excludes a property from the record. `@RecordCodable` and its variants read the attribute. The
/// attribute's own expansion adds no code and only warns about uses without effect.
struct TransientMacro: PeerMacro {
    static func expansion(
        of node: AttributeSyntax, providingPeersOf declaration: some DeclSyntaxProtocol,
        in context: some MacroExpansionContext
    ) throws -> [DeclSyntax] {
        PropertyMarks.check(node, on: declaration, misplaced: .transientIsNoProperty, in: context)
        return []
    }
}
