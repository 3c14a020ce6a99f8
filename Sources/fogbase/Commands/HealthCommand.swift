import RecordWire

/// `fogbase health`: one request to a running server, for container engines.
enum HealthCommand {
    /// Seconds that each step may take; engines allow three for the whole.
    private static let patience = 2

    static func run(_ settings: Settings) -> ExitCode {
        do {
            let host = reachable(settings.host)
            let name = host.contains(":") ? "[\(host)]" : host
            let answer = try LocalHTTP.send(
                to: [.network(host: host, port: settings.port)],
                lines: ["GET /health/ready HTTP/1.1", "Host: \(name)", "Connection: close"], patience: patience)
            guard answer.status == 200 else {
                let reason = (try? JSONValue.parse(answer.body))?["reason"]?.string.map { ": \($0)" } ?? ""
                Terminal.complain(
                    "fogbase: The server is not ready: /health/ready returned \(answer.status)\(reason).")
                return .failure
            }
            Terminal.say("ready")
            return .success
        } catch {
            Terminal.complain("fogbase: \(error)")
            return .failure
        }
    }

    /// Where a server can be reached that listens on an address: one that listens everywhere, on the loopback.
    static func reachable(_ host: String) -> String {
        switch host {
        case "", "0.0.0.0", "*": "127.0.0.1"
        case "::", "[::]": "::1"
        default: host
        }
    }
}
