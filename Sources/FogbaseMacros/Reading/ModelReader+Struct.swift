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

    /// Warns about a second name of the record type that nothing reads: a member such as the `RecordType` of CloudKitExtras, or
    /// the macro's argument beside a member `recordType`.
    mutating func checkUnreadNames(of model: StructDeclSyntax, attribute: AttributeSyntax, recordType: String) {
        let hasOwn = written.contains(.recordType)
        if hasOwn, let argument = attribute.firstArgument {
            report(.argumentBesideRecordType(recordType), at: argument)
        }
        for (declaration, _) in Self.declarations(in: model.memberBlock.members, condition: nil) {
            guard !hasOwn, let variable = declaration.as(VariableDeclSyntax.self) else { continue }
            for binding in variable.bindings {
                guard let name = binding.pattern.as(IdentifierPatternSyntax.self)?.identifier,
                    name.plainText.lowercased().filter({ $0 != "_" }) == "recordtype",
                    !StoredProperty.all(in: variable).contains(where: { $0.binding.id == binding.id && $0.mayBeField })
                else { continue }
                let value = binding.initializer?.value.literalText
                guard value != recordType else { continue }
                let wanted = value.flatMap { isIdentifier($0) ? $0 : nil }
                let fixIt = MacroFixIt.addRecordType(wanted ?? "").inserting(
                    "(\"\(wanted ?? "")\")", at: attribute.attributeName.endPositionBeforeTrailingTrivia, in: attribute)
                report(
                    .unreadRecordType(
                        member: name.plainText, recordType: recordType, macro: attribute.shortName, wanted: wanted),
                    at: name, fixIts: wanted != nil && attribute.arguments == nil ? [fixIt] : [])
            }
        }
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
