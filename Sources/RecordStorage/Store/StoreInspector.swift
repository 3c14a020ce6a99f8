package import RecordModel

/// What the doctor reads of one store, also while a server uses it, and of files that no newer server has opened yet.
///
/// Confined to one thread.
package final class StoreInspector {
    private let connection: Connection
    package let records: InspectionTable
    package let schemas: SchemaTable
    package let indexes: IndexTable
    package let indexDefinitions: IndexDefinitionTable
    package let audiences: AudienceTable
    package let accounts: AccountTable
    package let keys: KeyTable
    /// `nil` for a file that has not had the step that brought assets.
    package let assets: AssetInspection?

    /// Opens the file of a directory.
    ///
    /// - Parameter mends: Also writes. The caller holds the lock of the directory.
    /// - Throws: A failure, for the operator.
    package convenience init(in folder: String, mends: Bool = false) throws {
        let connection = try Connection(
            path: DataFolder.databasePath(in: folder), role: mends ? .writer : .reader)
        do {
            try self.init(connection)
        } catch {
            throw connection.failure ?? error
        }
    }

    private init(_ connection: Connection) throws(RecordError) {
        self.connection = connection
        records = try InspectionTable(connection)
        schemas = SchemaTable(connection)
        indexes = IndexTable(connection)
        indexDefinitions = IndexDefinitionTable(connection)
        audiences = AudienceTable(connection)
        accounts = try AccountTable(connection)
        keys = KeyTable(connection)
        assets = try AssetInspection(connection)
    }

    /// Runs `body` for the operator, who gets the store's failure itself instead of what a client would be told.
    package func explaining<Value>(_ body: () throws -> Value) throws -> Value {
        try connection.explaining(body)
    }

    /// Recomputes the usage counters of all accounts.
    package func addUpUsage() throws(RecordError) { try UsageTable.addUp(connection) }
}

/// What the doctor reads of the file of administrators.
package final class ServerInspector {
    private let connection: Connection

    /// - Throws: A failure, for the operator.
    package init(file: String) throws {
        connection = try Connection(path: file, role: .reader)
    }

    /// Runs `body` for the operator, who gets the store's failure itself instead of what a client would be told.
    package func explaining<Value>(_ body: () throws -> Value) throws -> Value {
        try connection.explaining(body)
    }

    /// How many steps of the layout the file lacks, or has that this version does not know.
    package func migrationState() throws(RecordError) -> (missing: Int, unknown: Int) {
        try ServerFile.migrationState(connection)
    }

    /// What the store finds wrong with the file; empty if nothing.
    ///
    /// - Parameter isQuick: Do not compare indexes with their tables.
    package func integrityProblems(isQuick: Bool) throws(RecordError) -> [String] {
        try ServerFile.integrityProblems(connection, isQuick: isQuick)
    }

    /// What is wrong with administrators and sessions, as sentences without a full stop.
    package func oddities(roles: [String]) throws(RecordError) -> [String] {
        try AdministratorTable(connection).oddities(roles: roles)
    }
}
