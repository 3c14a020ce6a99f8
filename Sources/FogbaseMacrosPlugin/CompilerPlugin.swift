@_spi(PluginMessage) internal import SwiftCompilerPluginMessageHandling

/// The program that the compiler starts beside itself: it reads requests to expand macros on standard input and
/// answers on standard output until the input ends.
///
/// - Source: swift-syntax, `CompilerPlugin`. That module is not among those of the toolchain, its parts are.
@main
struct CompilerPlugin {
    static func main() throws {
        let connection = try StandardIOMessageConnection()
        try CompilerPluginMessageListener(connection: connection, provider: MacroProvider()).main()
    }
}
