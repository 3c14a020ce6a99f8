internal import SwiftSyntax

/// The members that the macro would generate but the struct already declares.
struct WrittenMembers: OptionSet {
    var rawValue: Int

    static let recordType = WrittenMembers(rawValue: 1)
    static let fields = WrittenMembers(rawValue: 2)
    static let fieldForKeyPath = WrittenMembers(rawValue: 4)
    static let decoder = WrittenMembers(rawValue: 8)
    static let encoder = WrittenMembers(rawValue: 16)
}

extension WrittenMembers {
    /// Creates a set with the generated member that `declaration` replaces. The set is empty if the declaration
    /// replaces none.
    init(_ declaration: DeclSyntax) {
        self = []
        if let variable = declaration.as(VariableDeclSyntax.self) {
            let names = variable.bindings.map { $0.pattern.trimmedDescription }
            if StoredProperty.isShared(variable), names.contains("recordType") { self = .recordType }
        } else if let initializer = declaration.as(InitializerDeclSyntax.self) {
            if initializer.signature.labels == ["fields"] { self = .decoder }
        } else if let function = declaration.as(FunctionDeclSyntax.self) {
            switch (function.name.text, function.signature.labels, StoredProperty.isShared(function)) {
            case ("field", ["for"], true): self = .fieldForKeyPath
            case ("encode", ["fields"], false): self = .encoder
            default: break
            }
        } else if let name = declaration.asProtocol((any NamedDeclSyntax).self)?.name.text, name == "Fields" {
            self = .fields
        }
    }
}

extension FunctionSignatureSyntax {
    /// The labels of the parameters.
    fileprivate var labels: [String] { parameterClause.parameters.map(\.firstName.text) }
}
