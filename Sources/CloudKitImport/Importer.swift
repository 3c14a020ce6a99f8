internal import RecordWire

/// Copies the records of a database of CloudKit to this server, and continues after any interruption.
///
/// ```text
/// zones ─► walks: pages of the source ─► map ─► assets ─► write ─► event in the state file
///       ─► deferred writes ─► check what is here ─► report
/// ```
package final class Importer {
    /// What an import does.
    package struct Options: Sendable {
        /// The types whose records are read from default zones, in order.
        package var types: [String]
        /// The accounts of users.
        package var users = UserMap()
        /// Whether nothing is written.
        package var isDryRun = false
        /// The number of records in a page of the source.
        package var pageSize = 200
        /// The bytes of assets after which records are written, so that an interruption does not lose more.
        package var assetBytes: Int64 = 64 << 20
        /// The number of downloads at the same time.
        package var downloads = 6

        /// Creates options.
        package init(types: [String]) { self.types = types }
    }

    let source: SourceClient
    let target: any ImportTarget
    let clock: any ImportClock
    var options: Options
    private(set) var state: ImportState
    private let store: (ImportEvent) throws(ImportError) -> Void
    private let observe: (ImportProgress) -> Void

    /// The types of the records that this process has carried over, by the hash of zone and name. A record that changes
    /// during a walk comes again, and counts once.
    var seen: [Int: String] = [:]
    /// The walks that must begin again.
    var restarting: Set<WalkName> = []
    /// Why walks could not be made.
    var unread: [WalkName: String] = [:]
    var progress = ImportProgress() {
        didSet { if progress != oldValue { observe(progress) } }
    }

    /// Creates an import.
    ///
    /// - Parameters:
    ///   - state: The state of the events so far.
    ///   - store: Stores an event durably.
    ///   - observe: Gets the progress.
    package init(
        from source: SourceClient, to target: any ImportTarget, _ options: Options, clock: any ImportClock,
        state: ImportState, store: @escaping (ImportEvent) throws(ImportError) -> Void,
        observe: @escaping (ImportProgress) -> Void = { _ in }
    ) {
        self.source = source
        self.target = target
        self.options = options
        self.clock = clock
        self.state = state
        self.store = store
        self.observe = observe
    }

    /// The name of the zone that every database has.
    static let defaultZone = "_defaultZone"

    func record(_ event: ImportEvent) throws(ImportError) {
        try store(event)
        state.apply(event)
    }

    /// Runs the import, or continues it.
    ///
    /// - Throws: `failed` if it cannot go on; `interrupted`. The state is stored in both cases.
    package func run() async throws(ImportError) -> ImportReport {
        if state.run == 0 || state.isComplete { try record(.run) }
        if source.database.isPrivate, let owner = state.identity?.owner {
            options.users.add(owner: try await source.userRecordName(), local: owner)
        }
        let zones = try await prepareZones()
        let walks =
            options.types.map { WalkName(zone: Self.defaultZone, type: $0) }
            + zones.map { WalkName(zone: $0, type: nil) }
        progress.walks = walks.count
        try await retryProblems(in: [Self.defaultZone] + zones)
        for walk in walks {
            try await make(walk)
            progress.walksDone += 1
        }
        try await settleDeferred()
        let found = try await check([Self.defaultZone] + zones)
        if unread.isEmpty { try record(.complete) }
        return ImportReport(state, options, found, unread: unread)
    }

    // MARK: Zones

    /// Creates the custom zones of the source here.
    ///
    /// - Returns: Their names, and those of zones that the source no longer lists.
    private func prepareZones() async throws(ImportError) -> [String] {
        guard source.database.isPrivate else { return [] }
        let zones = try await source.zones().filter { $0 != Self.defaultZone }
        for zone in zones where !state.zones.contains(zone) {
            if !options.isDryRun { try await target.makeZone(zone) }
            try record(.zone(zone))
        }
        return zones + state.zones.filter { !zones.contains($0) }
    }

    // MARK: Walks

    /// Reads all pages of a walk, and carries their records over.
    private func make(_ walk: WalkName) async throws(ImportError) {
        progress.activity = "reading \(walk.type ?? "zone \(walk.zone)")"
        var hasRestarted = false
        if restarting.remove(walk) != nil { try record(.restart(walk)) }
        while state.walks[walk]?.isDone != true {
            try clock.checkInterruption()
            let page: SourcePage
            do throws(ImportError) {
                page = try await read(walk)
            } catch {
                guard case .rejected(let code, let reason) = error else { throw error }
                if code == SourceClient.tooLarge, options.pageSize > 1 {
                    options.pageSize /= 2
                    continue
                }
                if code == "ZONE_NOT_FOUND", walk.type == nil { return try await lose(walk.zone) }
                let began = state.walks[walk]?.position != nil || state.walks[walk]?.since != nil
                guard began, code == "BAD_REQUEST" || code == "NOT_FOUND", !hasRestarted else {
                    unread[walk] = "\(code), \(reason)"
                    return
                }
                // The source no longer knows the position, or its type has no index for the date.
                hasRestarted = true
                try record(.restart(walk))
                continue
            }
            try await carry(page, of: walk)
            if restarting.remove(walk) != nil { try record(.restart(walk)) }
        }
    }

    private func read(_ walk: WalkName) async throws(ImportError) -> SourcePage {
        let position = state.walks[walk]?.position
        guard let type = walk.type else {
            return try await source.changes(in: walk.zone, since: position, limit: options.pageSize)
        }
        return try await source.query(
            TypeQuery(
                zone: walk.zone, type: type, since: state.walks[walk]?.since, marker: position,
                limit: options.pageSize))
    }

    /// Deletes a zone that the source has deleted.
    private func lose(_ zone: String) async throws(ImportError) {
        if !options.isDryRun { try await target.deleteZone(zone) }
        try record(.lostZone(zone))
    }
}
