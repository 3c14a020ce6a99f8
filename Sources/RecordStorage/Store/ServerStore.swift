package import RecordModel

/// The store for data of the whole server: named administrators, their sessions, the audit log of their actions, and
/// the list of backups.
///
/// Confined to one thread.
package final class ServerStore {
    /// The administrators and their sessions.
    package let administrators: AdministratorTable
    /// The audit log.
    package let audit: AuditTable
    /// The last backups of the server.
    package let backups: BackupTable
    private let connection: Connection
    private let transaction: FileTransaction
    private let status: StoreStatus

    /// The number of pages in the WAL that starts a checkpoint.
    private static let logFrames = 1_000

    /// Opens `server.sqlite` in a data directory. Creates a missing file and runs missing migrations.
    ///
    /// - Parameters:
    ///   - directory: The directory, which the caller must keep locked while the file is open.
    ///   - driver: Creates the driver that runs statements instead of SQLite; `nil` for SQLite.
    /// - Throws: `StoreFailure` or `DataDirectory.Problem`, for the operator.
    package convenience init(in directory: borrowing DataDirectory, driver: DriverMaker? = nil) throws {
        let path = directory.path
        try directory.syncWAL(of: ServerFile.name)
        let connection = try StartReserve(in: path).open {
            try Connection(path: ServerFile.path(in: path), role: .writer)
        }
        try ServerFile.migrateMakingSpace(connection)
        connection.driver = driver?(connection)
        self.init(connection)
    }

    private init(_ connection: Connection) {
        self.connection = connection
        status = StoreStatus(clock: CommitClock(), observer: nil)
        administrators = AdministratorTable(connection)
        audit = AuditTable(connection)
        backups = BackupTable(connection)
        transaction = FileTransaction(
            connection, status: status, overwriting: "UPDATE failed_commit SET count = count + 1")
    }

    /// Runs `body`. If the store fails, throws the detailed `StoreFailure` for the operator instead of the error for
    /// clients.
    ///
    /// - Throws: `StoreFailure`, or the error of `body`.
    package func explaining<Value>(_ body: () throws -> Value) throws -> Value {
        try connection.explaining(body)
    }

    /// Whether a failed sync or commit has left the state of the disk unknown. The store then accepts no more writes.
    package var hasFailedPermanently: Bool { status.hasFailedPermanently }

    /// Runs `body` in a transaction. If the disk is full, checkpoints and truncates the WAL and runs `body` again.
    ///
    /// - Throws: The error of `body`; TRY_AGAIN_LATER if the state of the disk is unknown; INTERNAL_ERROR or
    ///   TRY_AGAIN_LATER if the store fails.
    package func write<Value>(_ body: (ServerStore) throws(RecordError) -> Value) throws(RecordError) -> Value {
        do throws(RecordError) {
            return try writeOnce(body)
        } catch {
            guard error.cause == .storageFull, !hasFailedPermanently else { throw error }
            connection.truncateWAL()
            guard connection.hasWALFrames, (try? connection.checkpoint(.truncate)) == true else { throw error }
            return try writeOnce(body)
        }
    }

    private func writeOnce<Value>(_ body: (ServerStore) throws(RecordError) -> Value) throws(RecordError) -> Value {
        guard !hasFailedPermanently else { throw .databaseUnavailable }
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
        if connection.walFrames > Self.logFrames { _ = try? connection.checkpoint(.passive) }
        return value
    }

    /// Copies the file in one step, because the file is small.
    ///
    /// - Throws: `BackupProblem` or `StoreFailure`.
    package func copy(to path: String) throws {
        let copy = try DatabaseCopy(of: connection, to: path)
        while try !copy.step(pages: 1_024) {}
        copy.end()
    }

    /// Checkpoints and truncates the WAL.
    package func close() {
        guard !hasFailedPermanently else { return }
        _ = try? connection.checkpoint(.truncate)
    }

}
