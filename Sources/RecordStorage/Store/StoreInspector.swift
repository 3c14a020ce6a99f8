package import RecordModel

/// The doctor's access to one store. The doctor can read while a server uses the store. It can also read files with an
/// older layout.
///
/// Confined to one thread.
package final class StoreInspector {
    private let connection: Connection
    /// The file, its records, their large values and their reference edges.
    package let records: InspectionTable
    /// The schema.
    package let schemas: SchemaTable
    /// The tables of indexes.
    package let indexes: IndexTable
    /// The definitions of indexes.
    package let indexDefinitions: IndexDefinitionTable
    /// The audiences.
    package let audiences: AudienceTable
    /// The accounts.
    package let accounts: AccountTable
    /// The API keys.
    package let keys: APIKeyTable
    /// The assets; `nil` if the file lacks the migration that adds assets.
    package let assets: AssetInspection?

    /// Opens the file of a directory.
    ///
    /// - Parameter mends: Whether to open the file for writing too. The caller must hold the lock of the directory.
    /// - Throws: `StoreFailure`, for the operator.
    package convenience init(in directory: String, mends: Bool = false) throws {
        let connection = try Connection(
            path: DataDirectory.databasePath(in: directory), role: mends ? .writer : .reader)
        do {
            try self.init(connection)
        } catch {
            throw connection.failure ?? error
        }
    }

    private init(_ connection: Connection) throws(RecordError) {
        self.connection = connection
        // Only a cancelled task ends a statement: the check of a large file is one statement of some minutes.
        connection.setDeadline(.max)
        records = try InspectionTable(connection)
        schemas = SchemaTable(connection)
        indexes = IndexTable(connection)
        indexDefinitions = IndexDefinitionTable(connection)
        audiences = AudienceTable(connection)
        accounts = try AccountTable(connection)
        keys = APIKeyTable(connection)
        assets = try AssetInspection(connection)
    }

    /// Runs `body`. If the store fails, throws the detailed `StoreFailure` for the operator instead of the error for
    /// clients.
    ///
    /// - Throws: `StoreFailure`, or the error of `body`.
    package func explaining<Value>(_ body: () throws -> Value) throws -> Value {
        try connection.explaining(body)
    }

    /// Recomputes the usage counters of all accounts.
    ///
    /// - Throws: INTERNAL_ERROR or TRY_AGAIN_LATER if the store fails.
    package func addUpUsage() throws(RecordError) { try UsageTable.addUp(connection) }
}

/// The doctor's access to the administrators' file. Its functions throw INTERNAL_ERROR or TRY_AGAIN_LATER if the store
/// fails.
package final class ServerInspector {
    private let connection: Connection

    /// Opens `server.sqlite` read-only.
    ///
    /// - Throws: `StoreFailure`, for the operator.
    package init(file: String) throws {
        connection = try Connection(path: file, role: .reader)
        connection.setDeadline(.max)
    }

    /// Runs `body`. If the store fails, throws the detailed `StoreFailure` for the operator instead of the error for
    /// clients.
    ///
    /// - Throws: `StoreFailure`, or the error of `body`.
    package func explaining<Value>(_ body: () throws -> Value) throws -> Value {
        try connection.explaining(body)
    }

    /// Returns the number of migrations that the file lacks, and the number of migrations in the file that this version
    /// does not know.
    package func migrationState() throws(RecordError) -> (missing: Int, unknown: Int) {
        try ServerFile.migrationState(connection)
    }

    /// Returns the store's list of problems with the file; empty if there are none.
    ///
    /// - Parameter isQuick: Whether to skip the comparison of indexes with their tables.
    package func integrityProblems(isQuick: Bool) throws(RecordError) -> [String] {
        try ServerFile.integrityProblems(connection, isQuick: isQuick)
    }

    /// Returns problems with administrators and sessions for the doctor, as sentences without a period.
    package func oddities(roles: [String]) throws(RecordError) -> [String] {
        try AdministratorTable(connection).oddities(roles: roles)
    }

    /// Returns the backups that the server has made, newest first. The file must have all migrations.
    package func backups() throws(RecordError) -> [BackupRow] { try BackupTable(connection).all() }
}
