/// A query's result as an endless asynchronous sequence: the result now, and again after each change.
///
/// ```swift
/// let query = Query<Post>().filter(.thread, equals: "sea").sorted(by: .createdAt, ascending: false).limit(to: 20)
/// for try await result in database.live(query) { show(result.records) }
/// ```
///
/// The result has at most as many records as the query's limit, and 100 without a limit. When one leaves, the record
/// behind the last one follows. Each result reports its differences to the result before, so that a list can animate
/// them (``LiveResult/changes``).
///
/// The server sends changes as they happen, and the client sorts them. If the transport, the server or a proxy cannot
/// stream, the sequence polls, and sends the query again after a change. The sequence retries temporary errors and
/// throws all other errors. It throws `CancellationError` when its task is canceled.
///
/// `now()` in a condition is the time at which the query was sent or the stream was opened. A record does not leave the
/// result because time passes.
public struct LiveQuery<Model: RecordDecodable>: AsyncSequence, Sendable {
    let connection: Connection
    let query: Query<Model>
    let interval: Duration
    let longestInterval: Duration

    public func makeAsyncIterator() -> Iterator {
        Iterator(follower: LiveFollower(connection, query, every: interval, atMost: longestInterval))
    }

    /// The iterator of the results.
    public struct Iterator: AsyncIteratorProtocol {
        var follower: LiveFollower<Model>

        /// Returns the next result, which is never `nil`.
        ///
        /// - Throws: The errors of ``Database/fetch(_:)`` that are not temporary; `CancellationError` if the task was
        ///   canceled.
        public mutating func next() async throws -> LiveResult<Model>? {
            try await follower.next()
        }
    }
}

extension Database {
    /// Returns the result of a query, and again after each change, as a sequence that ends when its task is canceled.
    ///
    /// - Parameters:
    ///   - query: The query. Its limit is the maximum number of records in the result.
    ///   - interval: If the sequence has to poll, the polling interval right after a change.
    ///   - longestInterval: The longest polling interval, after a long time without changes.
    public func live<Model>(
        _ query: Query<Model>, every interval: Duration = .seconds(2), atMost longestInterval: Duration = .seconds(60)
    ) -> LiveQuery<Model> {
        LiveQuery(
            connection: connection, query: query, interval: interval, longestInterval: max(interval, longestInterval))
    }
}
