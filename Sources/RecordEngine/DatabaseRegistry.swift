package import Cryptography
package import RecordModel
package import RecordStorage
internal import Threads

/// The name of a container, such as `iCloud.org.example.Forum`: letters, digits, dots, hyphens and underscores, the
/// first a letter. It is also the name of its folder.
package struct ContainerName: Hashable, Sendable, CustomStringConvertible {
    package let text: String

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

/// Which database a request means.
package struct DatabaseID: Hashable, Sendable {
    package let container: ContainerName
    package let environment: RecordEnvironment

    package init(container: ContainerName, environment: RecordEnvironment) {
        self.container = container
        self.environment = environment
    }
}

/// The databases of one server, opened on demand. Containers exist by configuration only: an unknown one makes no folder.
package actor DatabaseRegistry {
    /// What all databases of a server share.
    package struct Configuration: Sendable {
        /// The folder that holds a folder per container.
        package var dataPath: String
        package var containers: [ContainerName]
        package var limits: DatabaseLimits
        /// When the logs are copied into the files.
        package var checkpoints = CheckpointRules()
        /// How assets are served; the addressing is the registry's to complete.
        package var assets = AssetOptions()
        /// The database whose assets' URLs need not name it.
        package var defaultDatabase: DatabaseID?
        /// The hash of the administrator's token.
        package var administrator: Digest?
        /// The administrators by name; `nil` for none.
        package var administrators: Administrators?
        /// How many passwords are hashed at once.
        package var passwordThreads: Int
        /// Run statements in SQLite's place.
        package var drivers = StoreDrivers()
        /// Tells the operator why a database could not be opened; clients learn only that it is not available.
        package var report: @Sendable (String) -> Void

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

    package nonisolated let configuration: Configuration
    private nonisolated let executor = ThreadExecutor(name: "fog-registry")
    private nonisolated let opened = Locked<[DatabaseID: RecordDatabase]>([:])
    private let passwords: PasswordWorkers
    private var isClosed = false
    /// The making of backups.
    package nonisolated let backups = Backups()

    /// Opening reads the disk, so it has a thread of its own.
    package nonisolated var unownedExecutor: UnownedSerialExecutor {
        executor.asUnownedSerialExecutor()
    }

    package init(_ configuration: Configuration) {
        self.configuration = configuration
        passwords =
            configuration.administrators?.passwords ?? PasswordWorkers(threads: configuration.passwordThreads)
    }

    deinit {
        executor.shutdown()
    }

    /// The folder of a database.
    package nonisolated func folder(of id: DatabaseID) -> String {
        configuration.dataPath + "/" + id.container.text + "/" + id.environment.rawValue
    }

    /// A database, opened if it is not yet.
    ///
    /// - Throws: NOT_FOUND for a container that the server does not have; what went wrong at opening is in the problem
    ///   that `open` throws, and the client learns only that the database is not available.
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
            configuration.report("\(id.container)/\(id.environment.rawValue) cannot be opened: \(error)")
            throw .databaseUnavailable
        }
    }

    /// Opens a database now, so that problems show at the start and the first request need not wait.
    ///
    /// - Throws: A sentence for the operator.
    @discardableResult
    package func open(_ id: DatabaseID) throws -> RecordDatabase {
        if let database = opened.withLock({ $0[id] }) { return database }
        guard !isClosed else { throw RecordError.databaseUnavailable }
        let database = try RecordDatabase(
            folder: folder(of: id), environment: id.environment, limits: configuration.limits,
            administrator: configuration.administrator, administrators: configuration.administrators,
            passwords: passwords, checkpoints: configuration.checkpoints, assets: assetOptions(of: id),
            drivers: configuration.drivers)
        opened.withLock { $0[id] = database }
        return database
    }

    private nonisolated func assetOptions(of id: DatabaseID) -> AssetOptions {
        var options = configuration.assets
        options.addressing.query =
            id == configuration.defaultDatabase
            ? "" : "?container=\(PathSegment.encode(id.container.text))&environment=\(id.environment.rawValue)"
        return options
    }

    /// The databases that are open, for metrics and maintenance.
    package nonisolated var openDatabases: [(id: DatabaseID, database: RecordDatabase)] {
        opened.withLock { table in table.map { ($0.key, $0.value) } }
    }

    /// Why one of the open databases, or the administrators' file, takes no writes; `nil` if all do.
    package nonisolated func writeObstacle() async -> RecordError? {
        if configuration.administrators?.isHealthy == false { return WriteObstacle.failedSync.error }
        for (_, database) in openDatabases {
            if let obstacle = await database.writeObstacle() { return obstacle.error }
        }
        return nil
    }

    /// Keeps room on the disk for the next start, in the data folder and in that of each open database.
    ///
    /// - Returns: `false` if one was tried in vain.
    @discardableResult
    package func keepStartReserves() -> Bool {
        guard !isClosed else { return true }
        let folders = [configuration.dataPath] + openDatabases.map(\.database.folderPath)
        return folders.reduce(true) { StartReserve(in: $1).keep() && $0 }
    }

    /// Finishes all writes and closes every file. Readers must be gone.
    package func close() async {
        isClosed = true
        await backups.close()
        let all = opened.withLock { table in
            defer { table.removeAll() }
            return Array(table.values)
        }
        for database in all { await database.close() }
        await configuration.administrators?.close()
    }
}
