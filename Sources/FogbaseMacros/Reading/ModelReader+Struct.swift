internal import SwiftDiagnostics
internal import SwiftSyntax
internal import SwiftSyntaxMacros

extension ModelReader {
    /// Returns the record type from the macro's argument, or the struct's name; `nil` after reporting an error.
    mutating func recordType(of model: StructDeclSyntax, attribute: AttributeSyntax) -> String? {
        let macro = attribute.shortName
        let name = model.name.plainText
        guard case .argumentList(let arguments)? = attribute.arguments, !arguments.isEmpty else {
            if isIdentifier(name) || written.contains(.recordType) { return name }
            report(.structIsNoRecordType(name, macro: macro), at: model.name)
            return nil
        }
        guard let literal = attribute.firstArgument, let text = literal.literalText else {
            report(.recordTypeIsNoLiteral(macro: macro), at: arguments)
            return nil
        }
        guard isIdentifier(text) else {
            report(.recordTypeIsNoName(text), at: literal)
            return nil
        }
        return text
    }

    /// Reports a struct that has several model macros, or that the generated extension cannot refer to.
    mutating func checkSurroundings(of model: StructDeclSyntax, attribute: AttributeSyntax) {
        let macros = model.attributes.compactMap { element -> String? in
            guard case .attribute(let attribute) = element else { return nil }
            return PropertyMarks.models.contains(attribute.shortName) ? attribute.shortName : nil
        }
        // If there are several macros, exactly one of them expands. The struct then has its conformance, and the
        // compiler reports a single error.
        if macros.count > 1, attribute.shortName != macros.min() { report(.severalMacros, at: attribute) }
        guard let outermost = context.lexicalContext.last else { return }
        if let modifier = model.modifiers.first(where: \.isPrivate) {
            let fixIt = FixIt(
                message: MacroFixIt.makeFilePrivate,
                changes: [
                    .replaceText(range: modifier.name.trimmedRange, with: "fileprivate", in: Syntax(modifier))
                ])
            report(.privateInside(type: model.name.plainText), at: modifier, fixIts: [fixIt])
        }
        for around in context.lexicalContext where around != outermost {
            guard let type = around.asProtocol((any NamedDeclSyntax).self),
                around.asProtocol((any WithModifiersSyntax).self)?.modifiers.contains(where: \.isPrivate) == true
            else { continue }
            report(.privateInside(type: type.name.plainText), at: model.name)
        }
    }
}

extension DeclModifierSyntax {
    fileprivate var isPrivate: Bool { name.tokenKind == .keyword(.private) }
}
