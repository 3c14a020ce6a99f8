internal import RecordModel
internal import RecordStorage

/// The store as queries see it, on the connection of one reader.
final class QueryReading {
    let records: RecordScanning
    let indexes: IndexReading
    private let reader: StoreReader

    init(_ reader: StoreReader) {
        self.reader = reader
        records = reader.scanning
        indexes = reader.indexes
    }

    func store<Value>(_ body: () throws(RecordError) -> Value) throws(QueryObstacle) -> Value {
        do throws(RecordError) { return try body() } catch { throw .refused(error) }
    }

    /// Calls the store for what may take long in one step, and ends it at a deadline: that its time was up, or that nobody
    /// waits for it any more.
    func store<Value>(
        until deadline: UInt64, _ body: () throws(RecordError) -> Value
    ) throws(QueryObstacle) -> Value {
        let value = try store { () throws(RecordError) in try reader.interrupting(at: deadline, body) }
        guard let value else { throw Task.isCancelled ? .refused(.requestAbandoned) : .overBudget(examined: 0) }
        return value
    }
}
