internal import RecordModel
internal import RecordStorage

/// The store as queries see it, on the connection of one reader. Made with the reader's first query.
final class QueryReading {
    let records: RecordScanning
    let indexes: IndexReading
    private let connection: Connection
    private let statistics: WriterStatistics

    init(_ connection: Connection, statistics: WriterStatistics) throws(StoreError) {
        self.connection = connection
        self.statistics = statistics
        records = try RecordScanning(connection)
        indexes = IndexReading(connection)
    }

    /// What a failure of the store means for a query: being interrupted means that its time was up, or that nobody waits
    /// for it any more.
    func obstacle(_ error: StoreError) -> QueryObstacle {
        if error.isInterrupted { return Task.isCancelled ? .refused(.requestAbandoned) : .overBudget(examined: 0) }
        statistics.didFail(error.description)
        return .refused(RecordError(error))
    }

    func store<Value>(_ body: () throws(StoreError) -> Value) throws(QueryObstacle) -> Value {
        do { return try body() } catch { throw obstacle(error) }
    }

    /// Calls the store for what may take long in one step, and ends it at a deadline.
    func store<Value>(
        until deadline: UInt64, _ body: () throws(StoreError) -> Value
    ) throws(QueryObstacle) -> Value {
        connection.setDeadline(deadline)
        defer { connection.setDeadline(nil) }
        return try store(body)
    }
}
