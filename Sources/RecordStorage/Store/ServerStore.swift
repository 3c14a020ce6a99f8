package import RecordModel

/// The store of what belongs to a server as a whole: named administrators, their sessions, and the audit log of both.
///
/// Confined to one thread.
package final class ServerStore {
    package let administrators: AdministratorTable
    package let audit: AuditTable
    private let connection: Connection
    private let transaction: FileTransaction
    private let status: StoreStatus

    /// The log is copied into the file when it has so many pages.
    private static let logFrames = 1_000

    /// Opens the file of a data directory, making what is missing.
    ///
    /// - Parameters:
    ///   - folder: Locked by the caller for as long as the file is open.
    ///   - driver: Runs statements in SQLite's place.
    /// - Throws: A failure or a sentence for the operator.
    package convenience init(in folder: borrowing DataFolder, driver: DriverMaker? = nil) throws {
        let path = folder.path
        try folder.syncLog(of: ServerFile.name)
        let connection = try StartReserve(in: path).open {
            try Connection(path: ServerFile.path(in: path), role: .writer)
        }
        try ServerFile.migrateMakingRoom(connection)
        connection.driver = driver?(connection)
        self.init(connection)
    }

    private init(_ connection: Connection) {
        self.connection = connection
        status = StoreStatus(clock: CommitClock(), observer: nil)
        administrators = AdministratorTable(connection)
        audit = AuditTable(connection)
        transaction = FileTransaction(
            connection, status: status, overwriting: "UPDATE failed_commit SET count = count + 1")
    }

    /// Runs `body` for the operator, who gets the store's failure itself instead of what a client would be told.
    package func explaining<Value>(_ body: () throws -> Value) throws -> Value {
        try connection.explaining(body)
    }

    /// Whether a sync or a commit has ended in such a way that what is on the disk is not known any more.
    package var hasFailedForGood: Bool { status.hasFailedForGood }

    /// Runs `body` in a transaction. Where the disk has no room, the log is copied into the file first and cut, and `body`
    /// runs once more.
    package func write<Value>(_ body: (ServerStore) throws(RecordError) -> Value) throws(RecordError) -> Value {
        do throws(RecordError) {
            return try writeOnce(body)
        } catch {
            guard error.cause == .storageFull, !hasFailedForGood else { throw error }
            connection.cutLog()
            guard connection.hasLog, (try? connection.checkpoint(.truncate)) == true else { throw error }
            return try writeOnce(body)
        }
    }

    private func writeOnce<Value>(_ body: (ServerStore) throws(RecordError) -> Value) throws(RecordError) -> Value {
        guard !hasFailedForGood else { throw .databaseUnavailable }
        try transaction.begin()
        let value: Value
        do throws(RecordError) {
            value = try body(self)
        } catch {
            transaction.rollback()
            throw error
        }
        do throws(CommitFailure) {
            try transaction.commit()
        } catch {
            switch error {
            case .rejected(let error, _), .unknown(let error): throw error
            }
        }
        if connection.framesInLog > Self.logFrames { _ = try? connection.checkpoint(.passive) }
        return value
    }

    /// Copies the file. It is small, and few wait for it.
    package func copy(to path: String) throws {
        let copy = try DatabaseCopy(of: connection, to: path)
        while try !copy.step(pages: 1_024) {}
        copy.end()
    }

    /// Copies the log into the file.
    package func close() {
        guard !hasFailedForGood else { return }
        _ = try? connection.checkpoint(.truncate)
    }

}
