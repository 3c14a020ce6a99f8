internal import SwiftDiagnostics
internal import SwiftSyntax
internal import SwiftSyntaxMacros

/// A reader that collects the fields from the members of a struct, and reports errors to the compiler.
struct ModelReader<Context: MacroExpansionContext> {
    let parts: ModelParts
    let context: Context

    /// The fields in the order of the properties.
    private(set) var fields: [ModelField] = []
    /// The members that the struct already declares.
    private(set) var written: WrittenMembers = []
    /// Whether an error was reported. After an error, no code is generated.
    private(set) var hasProblems = false
    /// The `#if` condition around the member that is being read; `nil` if there is none.
    private var condition: String?

    init(parts: ModelParts, context: Context) {
        self.parts = parts
        self.context = context
    }

    /// Reports an error or a warning to the compiler, with the location of a syntax node.
    mutating func report(
        _ problem: MacroProblem, at node: some SyntaxProtocol, notes: [Note] = [], fixIts: [FixIt] = []
    ) {
        if problem.severity == .error { hasProblems = true }
        context.diagnose(Diagnostic(node: node, message: problem, notes: notes, fixIts: fixIts))
    }

    /// Reads all members of the struct. Members that replace generated members are read before the properties, because
    /// a model with its own decoder needs no default values.
    mutating func read(_ members: MemberBlockItemListSyntax) {
        let declarations = Self.declarations(in: members, condition: nil)
        for (declaration, _) in declarations {
            written.formUnion(WrittenMembers(declaration))
        }
        for (declaration, condition) in declarations {
            guard let variable = declaration.as(VariableDeclSyntax.self) else { continue }
            self.condition = condition
            read(variable)
        }
    }

    /// Returns the members with their `#if` conditions. The compiler evaluates the conditions, because only it knows
    /// the result of `canImport`.
    static func declarations(
        in members: MemberBlockItemListSyntax, condition: String?
    ) -> [(declaration: DeclSyntax, condition: String?)] {
        members.flatMap { member -> [(declaration: DeclSyntax, condition: String?)] in
            guard let branches = member.decl.as(IfConfigDeclSyntax.self) else { return [(member.decl, condition)] }
            var parts = condition.map { [$0] } ?? []
            return branches.clauses.flatMap { clause -> [(declaration: DeclSyntax, condition: String?)] in
                let own = clause.condition?.trimmedDescription
                let whole = (parts + (own.map { ["(\($0))"] } ?? [])).joined(separator: " && ")
                if let own { parts.append("!(\(own))") }
                guard case .decls(let inner)? = clause.elements else { return [] }
                return declarations(in: inner, condition: whole)
            }
        }
    }

    private mutating func read(_ variable: VariableDeclSyntax) {
        let marks = PropertyMarks(variable.attributes)
        for property in StoredProperty.all(in: variable) {
            guard property.mayBeField else { continue }
            guard let name = property.binding.pattern.as(IdentifierPatternSyntax.self)?.identifier else {
                report(.patternIsNoName, at: property.binding.pattern)
                continue
            }
            if let transient = marks.transient {
                checkTransient(property, name: name, marks: marks, attribute: transient)
            } else {
                readField(property, name: name, marks: marks)
            }
        }
    }

    private mutating func checkTransient(
        _ property: StoredProperty, name: TokenSyntax, marks: PropertyMarks, attribute: AttributeSyntax
    ) {
        if let field = marks.names.first { report(.fieldAndTransient(property: name.plainText), at: field) }
        guard parts.contains(.decoding), !written.contains(.decoder), !property.hasInitialValue else { return }
        // A property wrapper can provide the default value.
        guard marks.unknown == nil else { return }
        let isFlag = property.type?.trimmedDescription == "Bool"
        let fixIt = MacroFixIt.addDefault(isFlag ? "false" : "…").inserting(
            isFlag ? " = false" : " = <#default#>",
            at: (property.binding.typeAnnotation?.endPositionBeforeTrailingTrivia
                ?? name.endPositionBeforeTrailingTrivia),
            in: property.binding)
        report(.transientWithoutDefault(property: name.plainText), at: name, fixIts: property.isConstant ? [] : [fixIt])
    }

    private mutating func readField(_ property: StoredProperty, name: TokenSyntax, marks: PropertyMarks) {
        let start = property.variable.positionAfterSkippingLeadingTrivia
        let addTransient = MacroFixIt.addTransient.inserting("@Transient ", at: start, in: property.variable)
        if let unknown = marks.unknown {
            return report(
                .unknownAttribute(property: name.plainText, attribute: unknown.shortName), at: unknown,
                fixIts: [addTransient])
        }
        guard property.type != nil || property.binding.initializer != nil else {
            return report(.noTypeAndNoDefault(property: name.plainText), at: name)
        }
        let type = property.type.map(WrittenType.init)
        if let type, let kind = type.unsuitable {
            return report(
                .unsuitableType(property: name.plainText, kind: kind), at: type.syntax,
                fixIts: property.hasInitialValue ? [addTransient] : [])
        }
        guard !["self", "Type", "Protocol"].contains(name.plainText) else {
            return report(.unspeakable(property: name.plainText), at: name)
        }
        guard let (fieldName, nameNode) = fieldName(of: property, name: name, marks: marks) else { return }
        let absence: ModelField.Absence =
            if type?.unwrapped.isOptional == true {
                .none
            } else if property.binding.initializer != nil {
                .initialValue
            } else {
                .error
            }
        add(
            ModelField(
                property: name.trimmed, name: fieldName, nameNode: nameNode, absence: absence, condition: condition))
    }

    private mutating func fieldName(
        of property: StoredProperty, name: TokenSyntax, marks: PropertyMarks
    ) -> (String, Syntax)? {
        if marks.names.count > 1 {
            report(.fieldTwice(property: name.plainText), at: marks.names[1])
            return nil
        }
        if let field = marks.names.first {
            guard let literal = field.firstArgument, let text = literal.literalText else {
                report(.fieldIsNoLiteral, at: field.firstArgument.map(Syntax.init) ?? Syntax(field))
                return nil
            }
            guard isIdentifier(text) else {
                report(.nameIsNoFieldName(text), at: literal)
                return nil
            }
            return checked(text, at: Syntax(literal), fixIts: [])
        }
        let text = name.plainText
        let start = property.variable.positionAfterSkippingLeadingTrivia
        let fixIts =
            property.variable.bindings.count > 1
            ? []
            : [MacroFixIt.addFieldName("…").inserting("@Field(\"<#name#>\") ", at: start, in: property.variable)]
        guard isIdentifier(text) else {
            report(.propertyIsNoFieldName(text), at: name, fixIts: fixIts)
            return nil
        }
        return checked(text, at: Syntax(name), fixIts: fixIts)
    }

    private mutating func checked(_ text: String, at node: Syntax, fixIts: [FixIt]) -> (String, Syntax)? {
        guard !systemNames.contains(text) else {
            report(.systemName(text), at: node, fixIts: fixIts)
            return nil
        }
        return (text, node)
    }

    private mutating func add(_ field: ModelField) {
        if let other = fields.first(where: { $0.name == field.name && $0.mayStand(beside: field) }) {
            let problem = MacroProblem.oneNameTwice(
                field.name, first: other.property.plainText, second: field.property.plainText)
            let note = Note(node: other.nameNode, message: MacroNote.otherField(field.name))
            return report(problem, at: field.nameNode, notes: [note])
        }
        fields.append(field)
    }
}

extension TokenSyntax {
    /// The name of the token, without backticks.
    var plainText: String { identifier?.name ?? text }
}
