internal import HTTP
internal import RecordEngine
internal import RecordModel

/// The metrics of one open database for `/metrics`.
struct DatabaseMetrics {
    private let labels: MetricsText.Labels
    private let database: RecordDatabase
    private let sizes: (database: Int, log: Int)

    private var writer: WriterStatistics { database.statistics }
    private var queries: QueryCounters { database.queries.counters }
    private var webhooks: WebhookDispatcher { database.webhooks.deliveries }
    private var feed: CommitBroadcast { database.commitBroadcast }
    private var assets: AssetCounters { database.assetStore.counters }

    init(_ id: DatabaseID, _ database: RecordDatabase) {
        labels = [("container", id.container.text), ("environment", id.environment.rawValue)]
        self.database = database
        sizes = database.fileSizes
    }

    /// Writes the metrics of several databases. The format requires that all samples of one metric are consecutive.
    static func write(_ databases: [DatabaseMetrics], into text: inout MetricsText) {
        for family in families {
            for database in databases { family.write(database, into: &text) }
        }
    }
}

/// A metric, or the samples of a metric with a common label.
private struct Family: Sendable {
    enum Value: Sendable {
        case counter(@Sendable (DatabaseMetrics) -> UInt64)
        case seconds(@Sendable (DatabaseMetrics) -> Double)
        case gauge(@Sendable (DatabaseMetrics) -> Int)
        case histogram(
            bounds: [Double], counts: @Sendable (DatabaseMetrics) -> [UInt64],
            sum: @Sendable (DatabaseMetrics) -> UInt64)
    }

    let name: StaticString
    let help: StaticString
    let label: (name: StaticString, value: String)?
    let value: Value

    init(_ name: StaticString, _ help: StaticString, label: (StaticString, String)? = nil, _ value: Value) {
        self.name = name
        self.help = help
        self.label = label
        self.value = value
    }

    func write(_ database: DatabaseMetrics, into text: inout MetricsText) {
        let labels = database.labels(and: label)
        switch value {
        case .counter(let count): text.counter(name, help: help, labels: labels, count(database))
        case .seconds(let seconds): text.counter(name, help: help, labels: labels, seconds: seconds(database))
        case .gauge(let level): text.gauge(name, help: help, labels: labels, Double(level(database)))
        case .histogram(let bounds, let counts, let sum):
            text.histogram(
                name, help: help, labels: labels, bounds: bounds, counts: counts(database),
                sum: Double(sum(database)))
        }
    }
}

extension DatabaseMetrics {
    fileprivate func labels(and label: (name: StaticString, value: String)?) -> MetricsText.Labels {
        label.map { labels + [$0] } ?? labels
    }

    /// All metrics. Entries with the same name are adjacent.
    private static let families = [
        Family("fogbase_commits_total", "Group commits.", .counter { $0.writer.commits }),
        Family(
            "fogbase_commit_operations_total", "Committed record operations.",
            .counter { $0.writer.operations }),
        Family("fogbase_commit_writes_total", "Committed write requests.", .counter { $0.writer.writes }),
        Family(
            "fogbase_commit_seconds_total", "Time from the start of each group to the end of its commit, in seconds.",
            .seconds { Double($0.writer.commitNanoseconds) / 1e9 }),
        Family(
            "fogbase_commit_group_size", "Record operations per group commit.",
            .histogram(
                bounds: WriterStatistics.groupSizeBounds.map(Double.init), counts: { $0.writer.groupSizes },
                sum: { $0.writer.operations })),
        Family("fogbase_write_queue_depth", "Write requests in the writer's queue.", .gauge { $0.database.queueDepth }),
        Family("fogbase_snapshots_total", "Snapshots opened by readers.", .counter { $0.writer.snapshots }),
        Family("fogbase_database_bytes", "Size of the database file in bytes.", .gauge { $0.sizes.database }),
        Family("fogbase_log_bytes", "Size of the write-ahead log (WAL) in bytes.", .gauge { $0.sizes.log }),
        Family(
            "fogbase_checkpoints_total", "Checkpoints of the write-ahead log (WAL).", .counter { $0.writer.checkpoints }
        ),
        Family(
            "fogbase_queries_total", "Completed queries by place of execution.", label: ("ran_on", "loop"),
            .counter { $0.queries.ranOnLoop }),
        Family(
            "fogbase_queries_total", "Completed queries by place of execution.", label: ("ran_on", "pool"),
            .counter { $0.queries.ranOnPool }),
        Family(
            "fogbase_query_rows_examined_total", "Index entries and records read by completed queries.",
            .counter { $0.queries.examinedRows }),
        Family(
            "fogbase_queries_stopped_total", "Queries stopped at the time limit.", .counter { $0.queries.stopped }),
        Family(
            "fogbase_query_pool_depth", "Long reads in the worker pool, running or queued.",
            .gauge { $0.database.queries.pool.depth }),
        Family(
            "fogbase_index_build_records_total", "Records added to new indexes, counted per index.",
            .counter { $0.database.indexes.progress.builtRecords }),
        Family(
            "fogbase_index_slices_total", "Slices of index builds and index deletions.",
            .counter { $0.database.indexes.progress.doneSlices }),
        Family(
            "fogbase_index_builds", "Indexes being built.",
            .gauge { $0.database.indexes.progress.building.count }),
        Family("fogbase_feed_streams", "Open event streams of change feeds.", .gauge { $0.feed.streams }),
        Family("fogbase_feed_events_total", "Events sent to event streams.", .counter { $0.feed.events }),
        Family(
            "fogbase_notifications_total", "Notifications of subscriptions that were sent.",
            .counter { $0.database.notificationQueues.notifications }),
        Family(
            "fogbase_webhook_deliveries_total", "Attempts to deliver a message of a webhook, by outcome.",
            label: ("outcome", "delivered"), .counter { $0.webhooks.deliveries }),
        Family(
            "fogbase_webhook_deliveries_total", "Attempts to deliver a message of a webhook, by outcome.",
            label: ("outcome", "failed"), .counter { $0.webhooks.failures }),
        Family(
            "fogbase_webhook_lag_seconds", "Age of the oldest change that waits for its delivery by a webhook.",
            .gauge { $0.webhooks.lagSeconds }),
        Family("fogbase_asset_uploads_total", "Uploaded files.", .counter { $0.assets.uploads }),
        Family(
            "fogbase_asset_duplicates_total", "Uploaded files whose content was already stored.",
            .counter { $0.assets.duplicates }),
        Family("fogbase_asset_received_bytes_total", "Bytes received in uploads.", .counter { $0.assets.received }),
        Family(
            "fogbase_asset_reads_total", "Asset files opened for responses.", .counter { $0.assets.downloads }),
        Family(
            "fogbase_assets_collected_total", "Asset files deleted because no record refers to them.",
            .counter { $0.assets.collected }),
        Family(
            "fogbase_asset_files_swept_total", "Orphaned files deleted after a crash.",
            .counter { $0.assets.swept }),
        Family("fogbase_store_failures_total", "Failed store operations.", .counter { $0.writer.failures }),
    ]
}
