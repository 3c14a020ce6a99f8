internal import Foundation

/// The command-line options of an example.
enum CommandLineOptions: Equatable {
    case help
    case server(URL)

    /// Parses the arguments and the environment.
    ///
    /// - Throws: `ExampleFailure` for an unknown argument or an invalid address.
    init(_ arguments: [String], _ environment: [String: String]) throws {
        var address = environment["FOGBASE_URL"] ?? "http://127.0.0.1:8080"
        var rest = arguments.dropFirst()
        while let argument = rest.popFirst() {
            switch argument {
            case "--help", "-h":
                self = .help
                return
            case "--server":
                guard let value = rest.popFirst() else { throw ExampleFailure("'--server' needs an address") }
                address = value
            default: throw ExampleFailure("'\(argument)' is not known; see --help")
            }
        }
        guard let url = URL(string: address), url.host != nil else {
            throw ExampleFailure("'\(address)' is no address of a server")
        }
        self = .server(url)
    }

    static func help(_ about: String) -> String {
        """
        \(about)

          --server URL  the address of the server (FOGBASE_URL, or http://127.0.0.1:8080)
          --help        print this text

        It begins with nothing, makes what it needs, and may run again on the same server.
        """
    }
}
