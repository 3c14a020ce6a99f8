internal import RecordModel
internal import RecordStorage

/// The store as queries see it, on the connection of one reader. Made with the reader's first query.
final class QueryReading {
    let records: RecordScanning
    let indexes: IndexReading
    private let connection: Connection

    init(_ connection: Connection) throws(RecordError) {
        self.connection = connection
        records = try RecordScanning(connection)
        indexes = IndexReading(connection)
    }

    /// What a failure of the store means for a query: being interrupted means that its time was up, or that nobody waits
    /// for it any more.
    func obstacle(_ error: RecordError) -> QueryObstacle {
        guard connection.failure?.kind == .interrupted else { return .refused(error) }
        connection.forgetFailure()
        return Task.isCancelled ? .refused(.requestAbandoned) : .overBudget(examined: 0)
    }

    func store<Value>(_ body: () throws(RecordError) -> Value) throws(QueryObstacle) -> Value {
        do { return try body() } catch { throw obstacle(error) }
    }

    /// Calls the store for what may take long in one step, and ends it at a deadline.
    func store<Value>(
        until deadline: UInt64, _ body: () throws(RecordError) -> Value
    ) throws(QueryObstacle) -> Value {
        connection.setDeadline(deadline)
        defer { connection.setDeadline(nil) }
        return try store(body)
    }
}
