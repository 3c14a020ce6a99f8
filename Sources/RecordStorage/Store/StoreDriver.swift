package import RecordModel

/// A value of a statement's parameter. Bytes are borrowed for the call.
package enum StatementValue {
    case null
    case integer(Int64)
    /// UTF-8.
    case text(UnsafeRawBufferPointer)
    case blob(UnsafeRawBufferPointer)
}

/// Runs one statement in SQLite's place.
package protocol StatementDriver: AnyObject {
    /// Keeps a value for the next run.
    func bind(_ index: Int32, _ value: StatementValue)
    /// Goes to the next row.
    ///
    /// - Returns: Whether there is one. After an error the statement is reset.
    /// - Throws: What `Connection.failed` makes of the failure.
    func step() throws(RecordError) -> Bool
    /// Ends the run: column bytes become invalid, bound values stay.
    func reset()
    func integer(_ column: Int32) -> Int64
    func isNull(_ column: Int32) -> Bool
    /// Borrowed until the next `step` or `reset`; empty for NULL.
    func bytes(_ column: Int32) -> UnsafeRawBufferPointer
}

/// Runs the statements of a connection in SQLite's place: what the invariants of a store are tested with, and the seam for a
/// store that is a server.
package protocol StoreDriver: AnyObject {
    func prepare(_ sql: SQL) -> any StatementDriver
    /// Runs statements that return nothing of interest.
    func execute(_ sql: SQL) throws(RecordError)
    /// Copies the log of a file.
    func checkpoint(_ mode: Connection.CheckpointMode) throws(RecordError) -> Bool
}

/// Makes the driver of a connection that has been opened.
package typealias DriverMaker = @Sendable (Connection) -> any StoreDriver

/// What runs the statements of one store; `nil` for SQLite itself.
package struct StoreDrivers: Sendable {
    package var writer: DriverMaker?
    package var reader: DriverMaker?

    package init(writer: DriverMaker? = nil, reader: DriverMaker? = nil) {
        self.writer = writer
        self.reader = reader
    }
}
