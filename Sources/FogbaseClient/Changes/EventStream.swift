internal import Foundation
internal import RecordWire

/// An open stream of server-sent events. The connection is closed when the last reference is released.
final class EventStream {
    /// The media type of the stream.
    static let mediaType = "text/event-stream"

    private let parts: AsyncThrowingStream<Data, any Error>
    private let policy: StreamPolicy
    private var parser: EventParser
    /// The events that have arrived and were not used yet.
    var events: ArraySlice<ServerSentEvent> = []
    /// Whether a byte of the body has arrived.
    private(set) var hasReceived = false

    private init(_ parts: AsyncThrowingStream<Data, any Error>, since token: ChangeToken?, _ policy: StreamPolicy) {
        self.parts = parts
        self.policy = policy
        parser = EventParser(lastID: token?.text ?? "")
    }

    /// Opens a stream.
    ///
    /// - Parameters:
    ///   - call: The request, without `Accept`.
    ///   - token: The id after which the stream starts; `nil` for its start.
    /// - Returns: The stream; `nil` if the server responds with something else.
    /// - Throws: `FogbaseError` or `CancellationError`.
    static func open(
        _ call: Call, since token: ChangeToken? = nil, by connection: Connection
    ) async throws -> EventStream? {
        var call = call
        call.fields.append(("Accept", mediaType))
        // The transport's own time limit must not come before that of `nextEvents`.
        call.timeout = connection.streaming.silence * 2
        let (head, parts) = try await connection.stream(call)
        guard head.fields["content-type"]?.lowercased().hasPrefix(mediaType) == true else { return nil }
        return EventStream(parts, since: token, connection.streaming)
    }

    /// The token of the last event.
    var token: ChangeToken { ChangeToken(parser.lastID) }

    /// The delay before the next stream for which the server asks; `nil` if it asks for none.
    var retry: Duration? { parser.retry.map { .milliseconds($0) } }

    /// Waits for the next bytes, and appends the events that they complete to `events`.
    ///
    /// - Returns: Whether the stream goes on.
    /// - Throws: `TransportError` if the stream breaks or is silent for too long; `CancellationError`.
    func receive() async throws -> Bool {
        let part = try await nextPart()
        try Task.checkCancellation()
        guard let part else { return false }
        hasReceived = true
        do {
            events += try part.withUnsafeBytes { bytes throws(EventParser.OversizedEvent) in try parser.parse(bytes) }
        } catch {
            throw FogbaseError.notFogbase(status: 200, "An event is too long")
        }
        return true
    }

    private func nextPart() async throws -> Data? {
        let (parts, policy) = (parts, policy)
        return try await withThrowingTaskGroup(of: Data?.self) { group in
            group.addTask {
                var iterator = parts.makeAsyncIterator()
                return try await iterator.next()
            }
            group.addTask {
                try await policy.sleep(policy.silence)
                throw TransportError.responseLost("The stream was silent for \(policy.silence)")
            }
            defer { group.cancelAll() }
            return try await group.next() ?? nil
        }
    }
}
