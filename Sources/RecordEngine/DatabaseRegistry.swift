package import Cryptography
package import RecordModel
package import RecordStorage
internal import Threads

/// The name of a container, such as `iCloud.org.example.Forum`: 1 to 128 letters, digits, dots, hyphens and
/// underscores, beginning with a letter and not ending with a dot. The container's directory has the same name.
package struct ContainerName: Hashable, Sendable, CustomStringConvertible {
    /// The name.
    package let text: String

    /// Checks the text of a container name; `nil` if the text is malformed.
    package init?(_ text: String) {
        let bytes = Array(text.utf8)
        guard (1...128).contains(bytes.count), !text.hasSuffix(".") else { return nil }
        for (index, byte) in bytes.enumerated() {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): continue
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "_"):
                if index == 0 { return nil }
            default: return nil
            }
        }
        self.text = text
    }

    package var description: String { text }
}

/// The identity of a database: its container and environment.
package struct DatabaseID: Hashable, Sendable {
    /// The name of the container.
    package let container: ContainerName
    /// The environment.
    package let environment: RecordEnvironment

    /// Identifies a database by its container and environment.
    package init(container: ContainerName, environment: RecordEnvironment) {
        self.container = container
        self.environment = environment
    }
}

/// The databases of one server, opened on demand.
///
/// Only the configuration defines containers. A request for an unknown container creates no directory.
package actor DatabaseRegistry {
    /// The settings that all databases of a server share.
    package struct Configuration: Sendable {
        /// The data directory, with one directory per container.
        package var dataPath: String
        /// The names of the containers.
        package var containers: [ContainerName]
        /// The limits of each database.
        package var limits: DatabaseLimits
        /// When the WALs are copied into the database files.
        package var checkpoints = CheckpointPolicy()
        /// The options for serving assets. The registry sets the query of the addressing.
        package var assets = AssetOptions()
        /// The default database. Its asset URLs have no query that names a database.
        package var defaultDatabase: DatabaseID?
        /// The hash of the server's own administrator token, which belongs to no named administrator.
        package var administrator: Digest?
        /// The named administrators; `nil` for none.
        package var administrators: Administrators?
        /// Sends the webhooks of all databases; `nil` if the server sends none.
        package var webhookSender: (any WebhookSender)?
        /// How fast the jobs of callers may write. The interface sets it.
        package let writeLimits = WriteLimits()
        /// How webhooks are delivered.
        package var webhooks = WebhookOptions()
        /// The number of threads that hash passwords.
        package var passwordThreads: Int
        /// The sizes of slices, for tests.
        package var indexBuilding = IndexBuildOptions()
        /// Replacements for the SQLite driver, for tests.
        package var drivers = StoreDrivers()
        /// Reports to the operator why a database could not be opened. Clients learn only that the database is
        /// unavailable.
        package var report: @Sendable (String) -> Void

        /// Sets the values that every server must choose. The other properties have defaults.
        package init(
            dataPath: String, containers: [ContainerName], limits: DatabaseLimits = DatabaseLimits(),
            administrator: Digest? = nil, passwordThreads: Int = 2,
            report: @escaping @Sendable (String) -> Void = { _ in }
        ) {
            self.dataPath = dataPath
            self.containers = containers
            self.limits = limits
            self.administrator = administrator
            self.passwordThreads = passwordThreads
            self.report = report
        }
    }

    /// The settings that all databases share.
    package nonisolated let configuration: Configuration
    private nonisolated let executor = ThreadExecutor(name: "fog-registry")
    private nonisolated let opened = Locked<[DatabaseID: RecordDatabase]>([:])
    private let passwords: PasswordWorkers
    private var isClosed = false
    /// The backups of the server.
    package nonisolated let backups: Backups
    /// The backup that administrators download.
    package nonisolated let archive: BackupArchive

    /// The executor of the registry's own thread. Opening a database reads the disk, which would block other threads.
    package nonisolated var unownedExecutor: UnownedSerialExecutor {
        executor.asUnownedSerialExecutor()
    }

    /// Creates a registry without open databases.
    package init(_ configuration: Configuration) {
        self.configuration = configuration
        backups = Backups()
        archive = BackupArchive(
            dataPath: configuration.dataPath, backups, administrators: configuration.administrators)
        passwords =
            configuration.administrators?.passwords ?? PasswordWorkers(threads: configuration.passwordThreads)
    }

    deinit {
        executor.shutdown()
    }

    /// Returns the directory of a database.
    package nonisolated func directory(of id: DatabaseID) -> String {
        configuration.dataPath + "/" + id.container.text + "/" + id.environment.rawValue
    }

    /// Returns a database, and opens the database if needed.
    ///
    /// - Throws: NOT_FOUND for an unknown container; TRY_AGAIN_LATER if the database cannot be opened. The reason is
    ///   reported to the operator.
    package nonisolated func database(_ id: DatabaseID) async throws(RecordError) -> RecordDatabase {
        if let database = opened.withLock({ $0[id] }) { return database }
        guard configuration.containers.contains(id.container) else {
            throw RecordError(
                .notFound, "The server has no container with this name", cause: .unknownName,
                details: [("container", .text(id.container.text))])
        }
        do {
            return try await open(id)
        } catch {
            // A registry that has been closed is no problem of the database.
            if error as? RecordError != .databaseUnavailable {
                configuration.report("\(id.container)/\(id.environment.rawValue) cannot be opened: \(error)")
            }
            throw .databaseUnavailable
        }
    }

    /// Opens a database at the start of the server. Problems appear at once, and the first request does not wait.
    ///
    /// - Throws: An error with a sentence for the operator.
    @discardableResult
    package func open(_ id: DatabaseID) throws -> RecordDatabase {
        if let database = opened.withLock({ $0[id] }) { return database }
        guard !isClosed else { throw RecordError.databaseUnavailable }
        let database = try RecordDatabase(
            directory: directory(of: id), environment: id.environment, limits: configuration.limits,
            administrator: configuration.administrator, administrators: configuration.administrators,
            passwords: passwords, indexBuilding: configuration.indexBuilding, checkpoints: configuration.checkpoints,
            assets: assetOptions(of: id), writeLimits: configuration.writeLimits, drivers: configuration.drivers)
        opened.withLock { $0[id] = database }
        if let sender = configuration.webhookSender { database.webhooks.start(sender, configuration.webhooks) }
        return database
    }

    /// Opens the databases that have something to do without a request: webhooks, schedules or unfinished jobs.
    package func openDatabasesWithWork() {
        for container in configuration.containers {
            for environment in RecordEnvironment.allCases {
                let id = DatabaseID(container: container, environment: environment)
                guard
                    DataDirectory.hasWork(
                        in: directory(of: id), includingWebhooks: configuration.webhookSender != nil)
                else { continue }
                do {
                    try open(id)
                } catch {
                    configuration.report("\(container)/\(environment.rawValue) cannot be opened: \(error)")
                }
            }
        }
    }

    private nonisolated func assetOptions(of id: DatabaseID) -> AssetOptions {
        var options = configuration.assets
        options.addressing.query =
            id == configuration.defaultDatabase
            ? "" : "?container=\(PathSegment.encode(id.container.text))&environment=\(id.environment.rawValue)"
        return options
    }

    /// The open databases, for metrics and maintenance.
    package nonisolated var openDatabases: [(id: DatabaseID, database: RecordDatabase)] {
        opened.withLock { table in table.map { ($0.key, $0.value) } }
    }

    /// Returns the error with which an open database or the administrators' file rejects writes; `nil` if all accept
    /// writes.
    package nonisolated func writeBlocker() async -> RecordError? {
        if configuration.administrators?.isHealthy == false { return WriteBlocker.failedSync.error }
        for (_, database) in openDatabases {
            if let blocker = await database.writeBlocker() { return blocker.error }
        }
        return nil
    }

    /// Reserves disk space for the next start, in the data directory and in the directory of each open database.
    ///
    /// - Returns: `false` if a reservation failed.
    @discardableResult
    package func keepStartReserves() -> Bool {
        guard !isClosed else { return true }
        let directories = [configuration.dataPath] + openDatabases.map(\.database.directoryPath)
        return directories.reduce(true) { StartReserve(in: $1).keep() && $0 }
    }

    /// Finishes all writes and closes all files. The caller must release all readers first.
    package func close() async {
        isClosed = true
        await backups.close()
        await archive.close()
        let all = opened.withLock { table in
            defer { table.removeAll() }
            return Array(table.values)
        }
        for database in all { await database.close() }
        await configuration.administrators?.close()
    }
}
