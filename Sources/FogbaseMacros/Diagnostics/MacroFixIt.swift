internal import SwiftDiagnostics
internal import SwiftSyntax

/// A fix-it for a problem.
enum MacroFixIt: FixItMessage {
    case addDefault(String)
    case addTransient
    case addFieldName(String)
    case addRecordType(String)
    case makeFilePrivate

    var message: String {
        switch self {
        case .addDefault(let value): "Add '= \(value)'"
        case .addTransient: "Add '@Transient'"
        case .addFieldName(let name): "Add '@Field(\"\(name)\")'"
        case .addRecordType(let name): "Add '(\"\(name)\")'"
        case .makeFilePrivate: "Write 'fileprivate'"
        }
    }

    var fixItID: MessageID {
        MessageID(domain: "FogbaseMacros", id: String(String(describing: self).prefix { $0 != "(" }))
    }

    /// Returns a fix-it that inserts text at a position in the file of `node`.
    func inserting(_ text: String, at position: AbsolutePosition, in node: some SyntaxProtocol) -> FixIt {
        FixIt(message: self, changes: [.replaceText(range: position..<position, with: text, in: Syntax(node))])
    }
}
