internal import Foundation

/// The command-line options of an example.
enum CommandLineOptions: Equatable {
    case help
    case server(URL, [String: String])

    /// Parses the arguments and the environment.
    ///
    /// - Throws: `ExampleFailure` for an unknown argument or an invalid address.
    init(_ arguments: [String], _ environment: [String: String], _ options: [ExampleOption]) throws {
        var address = environment["FOGBASE_URL"] ?? "http://127.0.0.1:8080"
        var values: [String: String] = [:]
        for option in options { values[option.name] = option.variable.flatMap { environment[$0] } }
        var rest = arguments.dropFirst()
        while let argument = rest.popFirst() {
            switch argument {
            case "--help", "-h":
                self = .help
                return
            case "--server":
                guard let value = rest.popFirst() else { throw ExampleFailure("'--server' needs an address") }
                address = value
            default:
                guard let option = options.first(where: { "--\($0.name)" == argument }) else {
                    throw ExampleFailure("'\(argument)' is not known; see --help")
                }
                guard let value = rest.popFirst() else { throw ExampleFailure("'\(argument)' needs a value") }
                values[option.name] = value
            }
        }
        guard let url = URL(string: address), url.host != nil else {
            throw ExampleFailure("'\(address)' is no address of a server")
        }
        self = .server(url, values)
    }

    static func help(_ about: String, _ options: [ExampleOption]) -> String {
        let lines =
            [("--server URL", "the address of the server (FOGBASE_URL, or http://127.0.0.1:8080)")]
            + options.map { option in
                ("--\(option.name) \(option.value)", option.about + (option.variable.map { " (\($0))" } ?? ""))
            } + [("--help", "print this text")]
        let width = lines.map(\.0.count).max() ?? 0
        let list = lines.map { "  " + $0.padding(toLength: width, withPad: " ", startingAt: 0) + "  " + $1 }
        return """
            \(about)

            \(list.joined(separator: "\n"))

            It begins with nothing, makes what it needs, and may run again on the same server.
            """
    }
}
