package import SwiftSyntaxMacros

/// The table of the macros that the compiler plug-in provides.
package enum MacroTable {
    /// The macros by the type name in `#externalMacro`.
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
