import HTTP
import Sockets
import Threads

/// What the connection does with a body that its handler did not read.
extension BodyReader {
    /// Whether the body has been read to its end, so that what follows is the next request.
    var isFinished: Bool {
        if case .finished = framing { true } else { false }
    }

    /// Whether reading the rest is cheaper than a new connection. A client that still waits for `100 Continue` may send
    /// the body or not (RFC 9110 §10.1.1): nobody can tell where its next request begins.
    func isWorthDraining(within limit: Int) -> Bool {
        guard !owesContinue, failure != .disconnected, failure != .timeout else { return false }
        if case .length(let left) = framing { return left <= limit }
        return false
    }

    /// Passes over what has arrived of an unread body.
    func discardInput() {
        guard failure == nil, !connection.input.isEmpty else { return }
        // A malformed rest shows in the framing.
        var sink: [UInt8] = []
        try? takeInput(into: &sink)
    }

    /// Reads and drops the rest; `false` if it is too long or does not come.
    func drain(atMost limit: Int) async -> Bool {
        // A wait of the linger kind: nobody is interested in these bytes.
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
