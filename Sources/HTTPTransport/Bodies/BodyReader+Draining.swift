import HTTP
import Sockets
import Threads

/// Decides what happens with a body that the handler did not read.
extension BodyReader {
    /// Whether the body has been read to its end. The next received bytes then belong to the next request.
    var isFinished: Bool {
        if case .finished = framing { true } else { false }
    }

    /// Whether reading the rest of the body is cheaper than a new connection. `false` if the client still waits for
    /// `100 Continue`. Such a client may or may not send the body (RFC 9110 §10.1.1), so the start of its next request
    /// is unknown.
    func isWorthDraining(within limit: Int) -> Bool {
        guard !owesContinue, failure != .disconnected, failure != .timeout else { return false }
        if case .length(let left) = framing { return left <= limit }
        return false
    }

    /// Discards the received bytes of an unread body.
    func discardInput() {
        guard failure == nil, !connection.input.isEmpty else { return }
        // An error in these bytes is visible in `framing`.
        var sink: [UInt8] = []
        try? takeInput(into: &sink)
    }

    /// Reads and discards the rest of the body. Returns `false` if the rest is too long or does not arrive in time.
    func drain(atMost limit: Int) async -> Bool {
        // The deadline is the deadline of a lingering close, because these bytes are not needed.
        let deadline = Deadline.after(server.configuration.deadlines.linger, from: server.loop.now)
        let end = receivedBytes + limit
        do throws(HTTPBodyError) {
            while !isFinished {
                guard receivedBytes <= end else { return false }
                var sink: [UInt8] = []
                try await fill(&sink, until: deadline)
            }
            return true
        } catch {
            return false
        }
    }
}
