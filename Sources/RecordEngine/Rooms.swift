/// The rooms of a database. What is done to it stands in them, in methods that begin a write, read on a pool or start long work.
///
/// A room is a struct that holds the database and nothing else, so that it costs nothing to go through it.
extension RecordDatabase {
    /// Accounts: signing up and in, changes, removal.
    package nonisolated var accounts: Accounts { Accounts(database: self) }
    package nonisolated var sessions: Sessions { Sessions(database: self) }
    package nonisolated var invitations: Invitations { Invitations(database: self) }
    package nonisolated var roles: Roles { Roles(database: self) }
    package nonisolated var apiKeys: APIKeys { APIKeys(database: self) }
    package nonisolated var auditLog: AuditLog { AuditLog(database: self) }
    /// Changes of the schema. The schema itself is `schema`.
    package nonisolated var schemas: Schemas { Schemas(database: self) }
    package nonisolated var indexes: Indexes { Indexes(database: self) }
    /// What planners know of how entries are spread.
    package nonisolated var plannerStatistics: PlannerStatistics { PlannerStatistics(database: self) }
    /// The files that records have in fields.
    package nonisolated var assets: Assets { Assets(database: self) }
    /// Copies of the database's file.
    package nonisolated var copies: Copies { Copies(database: self) }
    /// What is done at regular times, without a request.
    package nonisolated var maintenance: Maintenance { Maintenance(database: self) }
}

/// The rooms of a reader: what is read on its thread, in its view. Records themselves are looked up and listed by the reader.
extension RecordReader {
    package var queries: QueryReader { QueryReader(reader: self) }
    package var feed: FeedReader { FeedReader(reader: self) }
    /// Changes and deletions of all records that match a condition.
    package var bulkChanges: BulkChanges { BulkChanges(reader: self) }
    package var assets: AssetReader { AssetReader(reader: self) }
    /// Uploads in several requests.
    package var uploads: Uploads { Uploads(reader: self) }
    package var callers: CallerReader { CallerReader(reader: self) }
    package var accounts: AccountReader { AccountReader(reader: self) }
    package var apiKeys: APIKeyReader { APIKeyReader(reader: self) }
    package var auditLog: AuditLogReader { AuditLogReader(reader: self) }
    /// What a caller may do, and why.
    package var access: AccessExplainer { AccessExplainer(reader: self) }
}

/// The rooms of a transaction: what a write does in it, besides writing records (`RecordWriter`).
extension WriteTransaction {
    var callers: CallerWriter { CallerWriter(transaction: self) }
    var accounts: AccountWriter { AccountWriter(transaction: self) }
    var sessions: SessionWriter { SessionWriter(transaction: self) }
    var invitations: InvitationWriter { InvitationWriter(transaction: self) }
    var roles: RoleWriter { RoleWriter(transaction: self) }
    var apiKeys: APIKeyWriter { APIKeyWriter(transaction: self) }
    var auditLog: AuditLogWriter { AuditLogWriter(transaction: self) }
    var schemas: SchemaWriter { SchemaWriter(transaction: self) }
    /// The building and dropping of indexes.
    var indexWork: IndexWork { IndexWork(transaction: self) }
    var assets: AssetWriter { AssetWriter(transaction: self) }
    /// Records whose writer says when they were made.
    var preservedDates: PreservedDates { PreservedDates(transaction: self) }
}
