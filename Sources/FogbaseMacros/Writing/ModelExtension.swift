internal import SwiftSyntax
internal import SwiftSyntaxBuilder
internal import SwiftSyntaxMacros

/// The extension that the macros add to a struct.
///
/// The extension contains names from the struct, but neither types nor default values. A copied type could have another
/// meaning: an extension of `Outer.Inner` does not see the types nested in `Outer`. The compiler infers the types from
/// the properties instead.
struct ModelExtension {
    let type: String
    let protocols: [String]
    /// The attributes that the extension copies from the struct, such as `@available`, one per line.
    let attributes: [String]
    /// The access modifier, `public ` or `package `, or an empty string.
    let access: String
    let parts: ModelParts
    let recordType: String
    let fields: [ModelField]
    let written: WrittenMembers

    /// Returns the extension of a struct, or an empty array if errors were reported.
    ///
    /// - Throws: If the generated source is not an extension declaration.
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
        if let recordType { reader.checkUnreadNames(of: model, attribute: attribute, recordType: recordType) }
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

    /// Returns the `@available` attributes of the struct and of the types around it.
    private static func availability(of model: StructDeclSyntax, in context: some MacroExpansionContext) -> [String] {
        let lists = context.lexicalContext.compactMap { $0.asProtocol((any WithAttributesSyntax).self)?.attributes }
        return ([model.attributes] + lists).flatMap { list in
            list.compactMap { element in
                guard case .attribute(let attribute) = element, attribute.shortName == "available" else { return nil }
                return attribute.trimmedDescription
            }
        }
    }

    /// The extension as Swift source text.
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
        // Cases are written with the type name, because a property can be called `none`.
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
                // An initial value is assigned before the body of an initializer runs.
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

    /// Returns a line per field. Fields with a condition are enclosed in `#if`.
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
