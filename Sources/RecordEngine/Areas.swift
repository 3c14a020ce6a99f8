/// The areas of a database. Any thread may call their methods, which start a write, a read on the reader pool, or
/// sliced work.
///
/// An area is a struct that holds only a reference to the database, so creating an area allocates nothing.
extension RecordDatabase {
    /// Accounts: sign-up, sign-in, changes and removal.
    package nonisolated var accounts: Accounts { Accounts(database: self) }
    /// Sessions of accounts.
    package nonisolated var sessions: Sessions { Sessions(database: self) }
    /// Invitations for signing up.
    package nonisolated var invitations: Invitations { Invitations(database: self) }
    /// Custom roles and their members.
    package nonisolated var roles: Roles { Roles(database: self) }
    /// API keys.
    package nonisolated var apiKeys: APIKeys { APIKeys(database: self) }
    /// API tokens of CloudKit Web Services.
    package nonisolated var cloudKitTokens: CloudKitTokens { CloudKitTokens(database: self) }
    /// Sign-ins for CloudKit Web Services.
    package nonisolated var webSessions: WebSessions { WebSessions(database: self) }
    /// Subscriptions.
    package nonisolated var subscriptions: Subscriptions { Subscriptions(database: self) }
    /// Tokens of devices that receive notifications.
    package nonisolated var notificationTokens: NotificationTokens { NotificationTokens(database: self) }
    /// Webhooks.
    package nonisolated var webhooks: Webhooks { Webhooks(database: self) }
    /// The audit log.
    package nonisolated var auditLog: AuditLog { AuditLog(database: self) }
    /// Schema changes. The schema itself is `schema`.
    package nonisolated var schemas: Schemas { Schemas(database: self) }
    /// Building of indexes.
    package nonisolated var indexes: Indexes { Indexes(database: self) }
    /// The planner's statistics about the distribution of index entries.
    package nonisolated var plannerStatistics: PlannerStatistics { PlannerStatistics(database: self) }
    /// Custom zones.
    package nonisolated var zones: Zones { Zones(database: self) }
    /// Jobs.
    package nonisolated var jobs: Jobs { Jobs(database: self) }
    /// Schedules.
    package nonisolated var schedules: Schedules { Schedules(database: self) }
    /// The asset files of records.
    package nonisolated var assets: Assets { Assets(database: self) }
    /// Copies of the database file.
    package nonisolated var copies: Copies { Copies(database: self) }
    /// Periodic deletion of expired rows.
    package nonisolated var maintenance: Maintenance { Maintenance(database: self) }
}

/// The areas of a reader. Their methods read the reader's snapshot on the reader's thread.
///
/// The reader itself looks up and lists records.
extension RecordReader {
    /// Queries.
    package var queries: QueryReader { QueryReader(reader: self) }
    /// The change feed.
    package var feed: FeedReader { FeedReader(reader: self) }
    /// Bulk updates and bulk deletes.
    package var bulkChanges: BulkChanges { BulkChanges(reader: self) }
    /// Zones, and the changes of a database as a whole.
    package var zones: ZoneReader { ZoneReader(reader: self) }
    /// Jobs.
    package var jobs: JobReader { JobReader(reader: self) }
    /// Imports and exports.
    package var transfers: Transfers { Transfers(reader: self) }
    /// Schedules.
    package var schedules: ScheduleReader { ScheduleReader(reader: self) }
    /// Earlier schemas.
    package var schemaSnapshots: SchemaSnapshotReader { SchemaSnapshotReader(reader: self) }
    /// Uploads and downloads of assets.
    package var assets: AssetReader { AssetReader(reader: self) }
    /// Resumable uploads.
    package var uploads: Uploads { Uploads(reader: self) }
    /// Authentication of tokens, and the current permissions of callers.
    package var callers: CallerReader { CallerReader(reader: self) }
    /// Lookup of accounts.
    package var accounts: AccountReader { AccountReader(reader: self) }
    /// Lookup of API keys.
    package var apiKeys: APIKeyReader { APIKeyReader(reader: self) }
    /// Lookup of API tokens of CloudKit Web Services.
    package var cloudKitTokens: CloudKitTokenReader { CloudKitTokenReader(reader: self) }
    /// Lookup of subscriptions.
    package var subscriptions: SubscriptionReader { SubscriptionReader(reader: self) }
    /// The notifications of subscriptions.
    package var notifications: NotificationReader { NotificationReader(reader: self) }
    /// Lookup of tokens of devices.
    package var notificationTokens: NotificationTokenReader { NotificationTokenReader(reader: self) }
    /// Lookup of webhooks.
    package var webhooks: WebhookReader { WebhookReader(reader: self) }
    /// Counted events for the audit log.
    package var auditLog: AuditLogReader { AuditLogReader(reader: self) }
    /// Explanations of permissions.
    package var access: AccessExplainer { AccessExplainer(reader: self) }
}

/// The areas of a write transaction. `RecordWriter` writes records.
extension WriteTransaction {
    var callers: CallerWriter { CallerWriter(transaction: self) }
    var accounts: AccountWriter { AccountWriter(transaction: self) }
    var sessions: SessionWriter { SessionWriter(transaction: self) }
    var invitations: InvitationWriter { InvitationWriter(transaction: self) }
    var roles: RoleWriter { RoleWriter(transaction: self) }
    var apiKeys: APIKeyWriter { APIKeyWriter(transaction: self) }
    var webhooks: WebhookWriter { WebhookWriter(transaction: self) }
    var auditLog: AuditLogWriter { AuditLogWriter(transaction: self) }
    var schemas: SchemaWriter { SchemaWriter(transaction: self) }
    /// Building and dropping of indexes.
    var indexWork: IndexWork { IndexWork(transaction: self) }
    var jobs: JobWriter { JobWriter(transaction: self) }
    var schedules: ScheduleWriter { ScheduleWriter(transaction: self) }
    var assets: AssetWriter { AssetWriter(transaction: self) }
    /// Records with preserved dates and users.
    var preservedDates: PreservedDates { PreservedDates(transaction: self) }
}
