@_spi(PluginMessage) internal import SwiftCompilerPluginMessageHandling

/// The compiler plugin: reads macro expansion requests on standard input and writes responses to standard output, until
/// the input ends.
///
/// - Source: `CompilerPlugin` of swift-syntax. The toolchain contains the parts of that module, but not the module.
@main
struct CompilerPlugin {
    static func main() throws {
        let connection = try StandardIOMessageConnection()
        try CompilerPluginMessageListener(connection: connection, provider: MacroProvider()).main()
    }
}
