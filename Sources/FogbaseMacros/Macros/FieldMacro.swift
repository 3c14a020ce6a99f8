internal import SwiftSyntax
internal import SwiftSyntaxMacros

/// `@Field("name")`: names the field of a property. `@RecordCodable` and its variants read the attribute. The
/// attribute's own expansion adds no code and only reports incorrect uses.
struct FieldMacro: PeerMacro {
    static func expansion(
        of node: AttributeSyntax, providingPeersOf declaration: some DeclSyntaxProtocol,
        in context: some MacroExpansionContext
    ) throws -> [DeclSyntax] {
        PropertyMarks.check(node, on: declaration, misplaced: .fieldIsNoProperty, in: context)
        return []
    }
}
