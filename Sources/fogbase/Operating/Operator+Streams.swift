import Glibc
import RecordWire

extension Operator {
    /// Follows an event stream of the running server. Connects again when the stream ends or breaks, also after a restart
    /// of the server.
    ///
    /// - Parameters:
    ///   - path: The path of the stream.
    ///   - since: The id after which the stream starts; empty for its start.
    ///   - waits: Whether to wait for a server also before the first connection, because one was there just now.
    ///   - each: Receives the next event. Returns whether to continue.
    /// - Throws: `Failure` if the server rejects the stream or stays away for a minute; the errors of `each`.
    func followReconnecting(
        _ path: String, query: [(String, String)], since: String, waits: Bool = false,
        _ each: (ServerSentEvent) throws(Failure) -> Bool
    ) throws(Failure) {
        var lastID = since
        var hasFollowed = waits
        var failures = 0
        while true {
            // An event that a broken connection has begun is sent again on the next one.
            var parser = EventParser(lastID: lastID)
            var hasReceived = false
            var hasEnded = false
            let id = lastID.isEmpty ? nil : lastID
            let rejection = try follow(path, query: query, lastID: id) { bytes throws(Failure) in
                hasReceived = true
                for event in try Self.events(bytes, &parser) where !hasEnded {
                    hasEnded = try !each(event)
                }
                lastID = parser.lastID
                return !hasEnded
            }
            if hasEnded { return }
            hasFollowed = hasFollowed || hasReceived
            failures = hasReceived ? 0 : failures + 1
            if let rejection {
                // The server may be restarting. Any other rejection stays.
                let isRestarting = rejection.status.map { $0 == 429 || $0 >= 500 } ?? true
                guard isRestarting, hasFollowed, failures < Self.mostFailures else { throw rejection.failure }
            }
            usleep(500_000)
        }
    }

    /// How often to try again, twice a second, before the command fails.
    private static let mostFailures = 120

    private static func events(_ bytes: [UInt8], _ parser: inout EventParser) throws(Failure) -> [ServerSentEvent] {
        do {
            return try bytes.withUnsafeBytes { try parser.parse($0) }
        } catch {
            throw Failure("The server has sent an event that is too long.")
        }
    }
}
