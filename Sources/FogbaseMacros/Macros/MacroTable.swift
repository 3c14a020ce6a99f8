package import SwiftSyntaxMacros

/// All macros of the client.
package enum MacroTable {
    /// The macros by the names of their types, which `#externalMacro` gives.
    package static var macros: [String: any Macro.Type] {
        [
            "RecordCodableMacro": RecordCodableMacro.self,
            "RecordDecodableMacro": RecordDecodableMacro.self,
            "RecordEncodableMacro": RecordEncodableMacro.self,
            "FieldMacro": FieldMacro.self,
            "TransientMacro": TransientMacro.self,
        ]
    }
}
