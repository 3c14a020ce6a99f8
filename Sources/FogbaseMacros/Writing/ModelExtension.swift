internal import SwiftSyntax
internal import SwiftSyntaxBuilder
internal import SwiftSyntaxMacros

/// The extension that the macros add to a struct.
///
/// It repeats nothing of the struct but names. A type or a default that is copied could mean something else there: the
/// extension of `Outer.Inner` does not see the types inside `Outer`. So the compiler infers types from the properties.
struct ModelExtension {
    let type: String
    let protocols: [String]
    /// The attributes that the extension shares with the struct, such as `@available`, each a line.
    let attributes: [String]
    /// `public ` or `package `, or nothing.
    let access: String
    let parts: ModelParts
    let recordType: String
    let fields: [ModelField]
    let written: WrittenMembers

    /// The extension of a struct, or nothing where the compiler has been told what is wrong with it.
    static func make(
        parts: ModelParts, attribute: AttributeSyntax, declaration: some DeclGroupSyntax, type: some TypeSyntaxProtocol,
        protocols: [TypeSyntax], context: some MacroExpansionContext
    ) throws -> [ExtensionDeclSyntax] {
        var reader = ModelReader(parts: parts, context: context)
        let macro = attribute.shortName
        guard let model = declaration.as(StructDeclSyntax.self) else {
            let problem = MacroProblem.notAStruct(macro: macro, kind: declaration.introducer.text)
            reader.report(problem, at: declaration.introducer)
            return []
        }
        reader.read(model.memberBlock.members)
        let recordType = reader.recordType(of: model, attribute: attribute)
        reader.checkSurroundings(of: model, attribute: attribute)
        if !reader.hasProblems, reader.fields.isEmpty {
            reader.report(.noFields(type: model.name.plainText), at: model.name)
        }
        guard !reader.hasProblems, let recordType else { return [] }
        let result = ModelExtension(
            type: type.trimmedDescription, protocols: protocols.map(\.trimmedDescription),
            attributes: availability(of: model, in: context), access: access(of: model), parts: parts,
            recordType: recordType, fields: reader.fields, written: reader.written)
        return [try ExtensionDeclSyntax("\(raw: result.source)")]
    }

    private static func access(of model: StructDeclSyntax) -> String {
        for modifier in model.modifiers {
            switch modifier.name.tokenKind {
            case .keyword(.public): return "public "
            case .keyword(.package): return "package "
            default: continue
            }
        }
        return ""
    }

    /// The `@available` attributes of the struct and of the types around it.
    private static func availability(of model: StructDeclSyntax, in context: some MacroExpansionContext) -> [String] {
        let lists = context.lexicalContext.compactMap { $0.asProtocol((any WithAttributesSyntax).self)?.attributes }
        return ([model.attributes] + lists).flatMap { list in
            list.compactMap { element in
                guard case .attribute(let attribute) = element, attribute.shortName == "available" else { return nil }
                return attribute.trimmedDescription
            }
        }
    }

    /// The extension's text.
    var source: String {
        let conformances = protocols.isEmpty ? "" : ": " + protocols.joined(separator: ", ")
        let members = [
            written.contains(.fields) ? nil : fieldsEnumeration,
            written.contains(.recordType) ? nil : recordTypeProperty,
            written.contains(.fieldForKeyPath) ? nil : fieldForKeyPath,
            parts.contains(.decoding) && !written.contains(.decoder) ? decoder : nil,
            parts.contains(.encoding) && !written.contains(.encoder) ? encoder : nil,
        ]
        let body = members.compactMap { $0 }.map(indented).joined(separator: "\n\n")
        return (attributes + ["nonisolated extension \(type)\(conformances) {", body, "}"]).joined(separator: "\n")
    }

    private var fieldsEnumeration: [String] {
        let cases = lines { field in
            field.property.plainText == field.name
                ? "case \(field.property.text)" : "case \(field.property.text) = \"\(field.name)\""
        }
        return ["\(access)enum Fields: String, FogbaseClient.RecordFields, CaseIterable {"] + cases.map(indented) + [
            "}"
        ]
    }

    private var recordTypeProperty: [String] {
        ["\(access)static var recordType: String { \"\(recordType)\" }"]
    }

    private var fieldForKeyPath: [String] {
        // The cases are written with their type: a property may be called `none`.
        let isOwn = !written.contains(.fields)
        let cases = lines { field in
            let result = isOwn ? "Fields.\(field.property.text)" : "Fields(rawValue: \"\(field.name)\")"
            return "case \\Self.\(field.property.text): \(result)"
        }
        return ["\(access)static func field(for keyPath: PartialKeyPath<Self>) -> Fields? {", "    switch keyPath {"]
            + cases.map(indented) + ["    default: nil", "    }", "}"]
    }

    private var decoder: [String] {
        let assignments = lines { field in
            let name = field.property.text
            let call =
                switch field.absence {
                case .error: "decode(for: \"\(field.name)\")"
                case .none: "decodeIfPresent(for: \"\(field.name)\")"
                // The initial value is there before the first line of an initializer.
                case .initialValue: "decodeIfPresent(for: \"\(field.name)\") ?? self.\(name)"
                }
            return "self.\(name) = try reader.\(call)"
        }
        return ["\(access)init(fields reader: inout FogbaseClient.FieldReader) throws {"] + assignments.map(indented)
            + ["}"]
    }

    private var encoder: [String] {
        let calls = lines { "try writer.encode(self.\($0.property.text), for: \"\($0.name)\")" }
        return ["\(access)func encode(fields writer: inout FogbaseClient.FieldWriter) throws {"] + calls.map(indented)
            + ["}"]
    }

    /// A line for each field, those of one condition inside `#if`.
    private func lines(_ line: (ModelField) -> String) -> [String] {
        var lines: [String] = []
        var condition: String?
        for field in fields {
            if field.condition != condition {
                if condition != nil { lines.append("#endif") }
                if let next = field.condition { lines.append("#if \(next)") }
                condition = field.condition
            }
            lines.append(line(field))
        }
        return condition == nil ? lines : lines + ["#endif"]
    }

    private func indented(_ line: String) -> String { "    " + line }

    private func indented(_ lines: [String]) -> String { lines.map(indented).joined(separator: "\n") }
}
