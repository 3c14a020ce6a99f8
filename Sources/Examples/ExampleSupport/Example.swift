public import Foundation

/// What the examples have in common: where the server is, what they print, and how they end.
///
/// ```swift
/// await Example.run("Shows how to …") { example in
///     let app = Fogbase(example.server).container()
///     try example.check("one and one is two", 1 + 1 == 2)
/// }
/// ```
public struct Example: Sendable {
    /// The address of the server, of `--server` or `FOGBASE_URL`.
    public let server: URL

    /// Runs an example, and ends the program with status 1 and a sentence where it fails.
    ///
    /// - Parameters:
    ///   - about: A sentence for `--help` that says what the example shows.
    ///   - body: The example.
    public static func run(_ about: String, _ body: (Example) async throws -> Void) async {
        do {
            switch try CommandLineOptions(CommandLine.arguments, ProcessInfo.processInfo.environment) {
            case .help: print(CommandLineOptions.help(about))
            case .server(let address): try await body(Example(server: address))
            }
        } catch {
            FileHandle.standardError.write(Data("Failed: \(error)\n".utf8))
            exit(1)
        }
    }

    /// Prints a line at once, also where the output is a pipe.
    public func say(_ line: String) {
        FileHandle.standardOutput.write(Data((line + "\n").utf8))
    }

    /// Prints a claim that holds.
    ///
    /// - Throws: `ExampleFailure` if it does not.
    public func check(_ claim: String, _ holds: Bool) throws {
        guard holds else { throw ExampleFailure("it is not so that \(claim)") }
        say("  ✓ \(claim)")
    }

    /// A name that nobody has had before, so that an example can run again on the same server: `ada-k3x9m2pz`.
    public static func fresh(_ name: String) -> String {
        let characters = Array("abcdefghijkmnpqrstuvwxyz23456789")
        return name + "-" + String((0..<8).map { _ in characters[Int.random(in: characters.indices)] })
    }
}

/// Why an example fails: something that it says is not so.
public struct ExampleFailure: Error, CustomStringConvertible {
    public let description: String

    /// - Parameter description: What is not so.
    public init(_ description: String) {
        self.description = description
    }
}
