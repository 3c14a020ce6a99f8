internal import SwiftSyntax
internal import SwiftSyntaxMacros

extension ModelReader {
    /// The record type's name from the macro's argument, else from the struct's name; nil after a report.
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
            report(.recordTypeIsNoName(text, macro: macro), at: literal)
            return nil
        }
        return text
    }

    /// Checks what the extension needs of the struct's surroundings: one macro alone, and a type that can be seen.
    mutating func checkSurroundings(of model: StructDeclSyntax, attribute: AttributeSyntax) {
        let macros = ["RecordCodable", "RecordDecodable", "RecordEncodable"]
        let used = model.attributes.compactMap { element -> String? in
            guard case .attribute(let attribute) = element else { return nil }
            return macros.contains(attribute.shortName) ? attribute.shortName : nil
        }
        if used.count > 1, attribute.shortName != "RecordCodable" {
            report(.halvesApart(macro: attribute.shortName), at: attribute)
        }
        if !context.lexicalContext.isEmpty, let modifier = model.modifiers.first(where: { $0.name.text == "private" }) {
            report(.privateInside(type: model.name.plainText), at: modifier)
        }
    }
}
