internal import FogbaseMacros
@_spi(PluginMessage) internal import SwiftCompilerPluginMessageHandling
internal import SwiftSyntaxMacros

/// Resolves the macros that the compiler requests.
struct MacroProvider {}

@_spi(PluginMessage)
extension MacroProvider: PluginProvider {
    func resolveMacro(moduleName: String, typeName: String) throws -> any Macro.Type {
        guard let macro = MacroTable.macros[typeName] else { throw UnknownMacro(name: "\(moduleName).\(typeName)") }
        return macro
    }
}

/// The error for a macro that this version of the package does not have.
struct UnknownMacro: Error, CustomStringConvertible {
    let name: String

    var description: String { "There is no macro \(name) here: build the package again" }
}
