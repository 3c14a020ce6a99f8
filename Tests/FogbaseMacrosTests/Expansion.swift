internal import Foundation
internal import SwiftDiagnostics
internal import SwiftParser
internal import SwiftSyntax
internal import SwiftSyntaxBuilder
internal import SwiftSyntaxMacroExpansion
internal import SwiftSyntaxMacros

@testable internal import FogbaseMacros

/// The expansion of a source file.
struct Expansion {
    /// The file with the marks taken out and the extensions added.
    let text: String
    /// The lines of the extensions, which begin after the last declaration of the file itself.
    var extensions: String {
        text.range(of: "nonisolated extension").map { String(text[$0.lowerBound...]) } ?? ""
    }

    /// The text after `case` in the enumeration of the fields.
    var cases: [String] {
        extensions.split(separator: "\n").filter { $0.hasPrefix("        case ") && !$0.contains("Self.") }
            .map { String($0.dropFirst("        case ".count)) }
    }

    /// Each diagnostic as `line:column severity message`, with its notes and fix-its on lines of their own.
    let diagnostics: [String]
    /// The file after all fix-its, which are applied from the end to the beginning.
    let fixed: String

    /// Expands the macros in a source file as the compiler would.
    init(_ source: String) {
        let file = Parser.parse(source: source)
        let root = BasicMacroExpansionContext(
            sourceFiles: [file: .init(moduleName: "Blog", fullFilePath: "Blog/Post.swift")])
        var specifications: [String: MacroSpec] = [
            "Field": MacroSpec(type: FieldMacro.self),
            "Transient": MacroSpec(type: TransientMacro.self),
        ]
        let decodable: TypeSyntax = "RecordDecodable"
        let encodable: TypeSyntax = "RecordEncodable"
        specifications["RecordCodable"] = MacroSpec(
            type: RecordCodableMacro.self, conformances: [decodable, encodable])
        specifications["RecordDecodable"] = MacroSpec(type: RecordDecodableMacro.self, conformances: [decodable])
        specifications["RecordEncodable"] = MacroSpec(type: RecordEncodableMacro.self, conformances: [encodable])
        let expanded = file.expand(
            macroSpecs: specifications,
            contextGenerator: { node in
                BasicMacroExpansionContext(sharingWith: root, lexicalContext: node.allMacroLexicalContexts())
            },
            indentationWidth: .spaces(4))
        text = expanded.description
        diagnostics = root.diagnostics.map { Self.describe($0, in: root) }
        fixed = Self.fixed(source, by: root.diagnostics, in: root)
    }

    private static func describe(_ diagnostic: Diagnostic, in context: BasicMacroExpansionContext) -> String {
        let location = place(of: diagnostic.position, in: diagnostic.node, context)
        let notes = diagnostic.notes.map { note in
            "\n  \(place(of: note.position, in: note.node, context)) note: \(note.message)"
        }
        let fixIts = diagnostic.fixIts.map { "\n  fix: \($0.message.message)" }
        return "\(location) \(diagnostic.diagMessage.severity): \(diagnostic.message)" + (notes + fixIts).joined()
    }

    private static func place(
        of position: AbsolutePosition, in node: Syntax, _ context: BasicMacroExpansionContext
    ) -> String {
        let location = context.location(for: position, anchoredAt: node, fileName: "Blog/Post.swift")
        return "\(location.line):\(location.column)"
    }

    /// The offsets of fix-its are those of a copy of the declaration, so they are brought back to the file's.
    private static func fixed(
        _ source: String, by diagnostics: [Diagnostic], in context: BasicMacroExpansionContext
    ) -> String {
        var bytes = Array(source.utf8)
        let edits = diagnostics.flatMap { diagnostic in
            diagnostic.fixIts.flatMap(\.changes).compactMap { change -> (offset: Int, length: Int, text: String)? in
                guard case .replaceText(let range, let text, let node) = change else { return nil }
                let start = context.location(for: range.lowerBound, anchoredAt: node, fileName: "Blog/Post.swift")
                return (start.offset, range.upperBound.utf8Offset - range.lowerBound.utf8Offset, text)
            }
        }
        for edit in edits.sorted(by: { $0.offset > $1.offset }) {
            bytes.replaceSubrange(edit.offset..<edit.offset + edit.length, with: edit.text.utf8)
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
