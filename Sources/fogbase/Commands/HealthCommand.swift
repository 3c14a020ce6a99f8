import RecordWire

/// `fogbase health`: sends one request to a running server, for health checks of container engines.
enum HealthCommand {
    /// The maximum time of each step in seconds. Container engines allow three seconds for the whole check.
    private static let maxWait = 2

    static func run(_ settings: Settings) -> ExitCode {
        do {
            let host = reachable(ListeningHost.list(settings.host).first ?? "")
            let name = host.contains(":") ? "[\(host)]" : host
            let response = try LocalHTTP.send(
                to: [.network(host: host, port: settings.port, isEncrypted: settings.hasTLS)],
                lines: ["GET /health/ready HTTP/1.1", "Host: \(name)", "Connection: close"], maxWait: maxWait)
            guard response.status == 200 else {
                let reason = (try? JSONValue.parse(response.body))?["reason"]?.string.map { ": \($0)" } ?? ""
                Terminal.complain(
                    "fogbase: The server is not ready: /health/ready returned \(response.status)\(reason).")
                return .failure
            }
            Terminal.say("ready")
            return .success
        } catch {
            Terminal.complain("fogbase: \(error)")
            return .failure
        }
    }

    /// Returns an address that reaches the server on this machine: the loopback address if the server listens on all
    /// addresses.
    static func reachable(_ host: String) -> String {
        switch host {
        case "", "0.0.0.0", "*": "127.0.0.1"
        case "::", "[::]": "::1"
        default: host
        }
    }
}
