@_spi(PluginMessage) internal import SwiftCompilerPluginMessageHandling
internal import SwiftSyntaxMacros

/// The macros of this module, by the names of their types that `#externalMacro` gives.
struct MacroTable {
    static var macros: [String: any Macro.Type] {
        [
            "RecordCodableMacro": RecordCodableMacro.self,
            "RecordDecodableMacro": RecordDecodableMacro.self,
            "RecordEncodableMacro": RecordEncodableMacro.self,
            "FieldMacro": FieldMacro.self,
            "TransientMacro": TransientMacro.self,
        ]
    }
}

@_spi(PluginMessage)
extension MacroTable: PluginProvider {
    func resolveMacro(moduleName: String, typeName: String) throws -> any Macro.Type {
        guard let macro = Self.macros[typeName] else { throw UnknownMacro(name: "\(moduleName).\(typeName)") }
        return macro
    }
}

/// A request for a macro that this version of the module does not have.
struct UnknownMacro: Error, CustomStringConvertible {
    let name: String

    var description: String { "There is no macro \(name) here: build the package anew" }
}
