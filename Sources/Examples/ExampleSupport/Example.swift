public import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Shared by the examples: the server's address, output, and exit status.
///
/// ```swift
/// await Example.run("Shows how to …") { example in
///     let app = Fogbase(example.server).container()
///     try example.check("one and one is two", 1 + 1 == 2)
/// }
/// ```
public struct Example: Sendable {
    /// The address of the server, from `--server` or `FOGBASE_URL`.
    public let server: URL
    /// The values of the example's own options by name, as far as they are given.
    public let options: [String: String]

    /// Runs an example. If it fails, prints the reason and exits with status 1.
    ///
    /// - Parameters:
    ///   - about: What the example shows, for `--help`.
    ///   - options: The options of the example besides `--server`.
    ///   - body: The example.
    public static func run(
        _ about: String, options: [ExampleOption] = [], _ body: (Example) async throws -> Void
    ) async {
        do {
            switch try CommandLineOptions(CommandLine.arguments, ProcessInfo.processInfo.environment, options) {
            case .help: print(CommandLineOptions.help(about, options))
            case .server(let address, let values): try await body(Example(server: address, options: values))
            }
        } catch {
            // What the Swift client says, for an example without it.
            let unreachable = (error as? URLError).map { "The server cannot be reached: \($0.localizedDescription)" }
            FileHandle.standardError.write(Data("Failed: \(unreachable ?? "\(error)")\n".utf8))
            exit(1)
        }
    }

    /// Prints a line immediately, also if the output is a pipe.
    public func say(_ line: String) {
        FileHandle.standardOutput.write(Data((line + "\n").utf8))
    }

    /// Prints a claim after checking it.
    ///
    /// - Throws: `ExampleFailure` if the claim is false.
    public func check(_ claim: String, _ holds: Bool) throws {
        guard holds else { throw ExampleFailure("it is not so that \(claim)") }
        say("  ✓ \(claim)")
    }

    /// A new unique name, so that an example can run again on the same server: `ada-k3x9m2pz`.
    public static func fresh(_ name: String) -> String {
        let characters = Array("abcdefghijkmnpqrstuvwxyz23456789")
        return name + "-" + String((0..<8).map { _ in characters[Int.random(in: characters.indices)] })
    }
}

/// A command-line option with a value, that one example has.
public struct ExampleOption: Sendable {
    let name: String
    let value: String
    let about: String
    let variable: String?

    /// Creates an option.
    ///
    /// - Parameters:
    ///   - name: The name without `--`.
    ///   - value: What the value is, for `--help`.
    ///   - about: What the option does, for `--help`.
    ///   - variable: The environment variable with the value if the option is not given.
    public init(_ name: String, _ value: String, _ about: String, variable: String? = nil) {
        (self.name, self.value, self.about, self.variable) = (name, value, about, variable)
    }
}

/// The reason why an example fails.
public struct ExampleFailure: Error, CustomStringConvertible {
    /// What went wrong.
    public let description: String

    /// Creates a failure.
    ///
    /// - Parameter description: What went wrong.
    public init(_ description: String) {
        self.description = description
    }
}
