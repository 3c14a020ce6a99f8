package import RecordModel
internal import Threads

/// A value for a statement's parameter. The bytes of a text or blob are valid only during the call of `bind`.
package enum StatementValue {
    case null
    case integer(Int64)
    /// A text in UTF-8.
    case text(UnsafeRawBufferPointer)
    case blob(UnsafeRawBufferPointer)
}

/// Runs one statement instead of SQLite.
package protocol StatementDriver: AnyObject {
    /// Stores a value for the next run.
    func bind(_ index: Int32, _ value: StatementValue)
    /// Moves to the next row.
    ///
    /// - Returns: Whether there is a next row. After an error the statement is reset.
    /// - Throws: The result of `Connection.failed`.
    func step() throws(RecordError) -> Bool
    /// Resets the statement: column bytes become invalid, bound values stay.
    func reset()
    /// Returns an integer column.
    func integer(_ column: Int32) -> Int64
    /// Returns whether a column is NULL.
    func isNull(_ column: Int32) -> Bool
    /// Returns the bytes of a column, valid until the next `step` or `reset`; empty for NULL.
    func bytes(_ column: Int32) -> UnsafeRawBufferPointer
}

/// Runs the statements of a connection instead of SQLite. Tests use a driver to check the invariants of a store.
/// The protocol is also the interface for a store on a database server.
package protocol StoreDriver: AnyObject {
    /// Creates a statement.
    func prepare(_ sql: SQL) -> any StatementDriver
    /// Runs statements without a result.
    ///
    /// - Throws: The result of `Connection.failed`.
    func execute(_ sql: SQL) throws(RecordError)
    /// Copies the WAL into the file.
    ///
    /// - Returns: Whether all frames were copied.
    /// - Throws: The result of `Connection.failed`.
    func checkpoint(_ mode: Connection.CheckpointMode) throws(RecordError) -> Bool
}

/// Creates the driver of an open connection.
package typealias DriverMaker = @Sendable (Connection) -> any StoreDriver

/// The drivers of one store; `nil` for SQLite. Also its clock, for tests.
package struct StoreDrivers: Sendable {
    /// Creates the driver of the writer's connection.
    package var writer: DriverMaker?
    /// Creates the driver of a reader's connection.
    package var reader: DriverMaker?
    /// Returns the system time in milliseconds since 1970.
    package var clock: @Sendable () -> Int64 = { WallClock.milliseconds }

    /// Creates the drivers of a store. `nil` for SQLite.
    package init(writer: DriverMaker? = nil, reader: DriverMaker? = nil) {
        self.writer = writer
        self.reader = reader
    }
}
