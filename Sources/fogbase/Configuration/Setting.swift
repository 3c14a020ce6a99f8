import RecordModel

/// How one setting is called and written, in files, in the environment and on the command line.
struct Setting: Sendable {
    /// The name in files: `section.key`.
    let key: String
    /// The name on the command line; a secret's takes the path of a file that holds it.
    let flag: String
    let placeholder: String
    let help: String
    /// Its value is never printed, and the environment may name a file that holds it.
    let isSecret: Bool
    /// Sets the value that a text stands for.
    let apply: @Sendable (inout Settings, String) throws(BadValue) -> Void
    /// The value as text; secrets are struck out.
    let show: @Sendable (Settings) -> String

    init<Value: Sendable>(
        _ key: String, _ path: any WritableKeyPath<Settings, Value> & Sendable, _ form: SettingForm<Value>,
        flag: String? = nil, isSecret: Bool = false, _ help: String
    ) {
        self.key = key
        let name = "--" + key.replacing { $0 == "." || $0 == "_" ? "-" : $0 }
        // Everybody on the machine sees a command line, so a secret comes by a file.
        self.flag = flag ?? (isSecret ? name + "-file" : name)
        self.placeholder = isSecret ? "FILE" : form.placeholder
        self.help = help
        self.isSecret = isSecret
        apply = { settings, text throws(BadValue) in settings[keyPath: path] = try form.parse(text) }
        show = { form.show($0[keyPath: path]) }
    }

    /// The name in the environment.
    var environmentName: String {
        "FOGBASE_" + key.uppercased().replacing { $0 == "." ? "_" : $0 }
    }

    static func named(_ key: String) -> Setting? {
        all.first { $0.key == key }
    }

    /// Every setting, in the order in which they are listed.
    static let all: [Setting] = server + http + data + assets + rights + log + limits + rates + timeouts

    private static let server: [Setting] = [
        Setting("server.host", \.host, .host, flag: "--host", "the address to listen on"),
        Setting("server.port", \.port, .port, flag: "--port", "the port; PORT in the environment means the same"),
        Setting("server.unix", \.unixPath, .text("PATH"), flag: "--unix", "a Unix socket to listen on besides"),
        Setting(
            "server.threads", \.threads, .count(1...256), flag: "--threads", "event loops, one per core by default"),
    ]

    private static let http: [Setting] = [
        Setting(
            "http.trusted_proxies", \.trustedProxies, .networks(orUnix: true),
            "the proxies that are believed where a request comes from; 'unix' for those on the Unix socket"),
        Setting(
            "http.proxy_field", \.proxyField, .choice,
            "the header field in which they say it; the other one is not read"),
        Setting("http.hosts", \.hosts, .hosts, "the names by which clients call this server; others get 421"),
    ]

    private static let data: [Setting] = [
        Setting("data.path", \.dataPath, .text("DIR"), flag: "--data", "the folder with everything that is kept"),
        Setting(
            "data.containers", \.containers, .containers, flag: "--containers", "the containers that the server has"),
        Setting(
            "data.container", \.container, .containerName, flag: "--container",
            "the container of requests that name none; by default the first"),
        Setting(
            "data.environment", \.environment, .choice, flag: "--environment",
            "the environment of requests that name none"),
        Setting(
            "data.checkpoint_bytes", \.checkpointBytes, .size((256 << 10)...(1 << 30)),
            "how far a database's log grows until it is copied into the file; at four times as much it begins anew"),
        Setting(
            "public.path", \.publicPath, .text("DIR"), flag: "--public",
            "the folder of the console; by default Public beside the program or here"),
        Setting(
            "public.url", \.publicURL, .publicURL,
            "what clients call this server, such as https://example.org, or https://example.org/fog behind a proxy that serves it below a path"
        ),
    ]

    private static let assets: [Setting] = [
        Setting("assets.max_bytes", \.assetBytes, .size(1...(1 << 43)), "the largest file that may be uploaded"),
        Setting(
            "assets.unreferenced_bytes", \.unreferencedAssetBytes, .size(1...(1 << 50)),
            "what one user may have uploaded without any record having it"),
        Setting(
            "assets.unreferenced_time", \.unreferencedAssetTime,
            .duration(Duration.seconds(1)...Duration.seconds(30 * 86_400)),
            "how long a file is kept that no record has, and a receipt is good"),
        Setting(
            "assets.url_time", \.assetURLTime, .duration(Duration.seconds(1)...Duration.seconds(7 * 86_400)),
            "how long the URL of a file is good"),
        Setting(
            "assets.free_bytes", \.freeDiskBytes, .size(0...(1 << 50)),
            "what uploads leave free on the disk, so that records can still be written"),
        Setting(
            "assets.thumbnail_program", \.thumbnailProgram, .text("PROGRAM"),
            "what makes smaller pictures; 'none' for nothing"),
        Setting(
            "assets.thumbnail_processes", \.thumbnailProcesses, .count(1...64), "smaller pictures that are made at once"
        ),
        Setting(
            "assets.thumbnail_bytes", \.thumbnailBytes, .size(0...(1 << 45)),
            "what smaller pictures may take on the disk, per database"),
        Setting(
            "assets.thumbnail_pixels", \.thumbnailPixels, .count(1...1_000_000_000),
            "pictures with more pixels are not made smaller"),
    ]

    private static let rights: [Setting] = [
        Setting(
            "admin.token", \.adminToken, .secret(minimum: 16), isSecret: true,
            "the administrator's token; without it, one is made at the first start"),
        Setting(
            "accounts.sign_up", \.signUp, .choice,
            "who may make an account: anybody, administrators only, or whoever brings an invitation"),
        Setting(
            "accounts.development", \.developmentAccess, .choice,
            "who may use the development environment: everyone, or members: administrators, keys and the users they made there; auto: members if data.environment is production"
        ),
        Setting(
            "accounts.anonymous", \.anonymousAccounts, .choice,
            "whether anybody may make an account without a name, to give it one later"),
        Setting(
            "accounts.session_time", \.sessionTime, .duration(Duration.seconds(300)...Duration.seconds(3_660 * 86_400)),
            "how long a session lasts that is not used"),
        Setting(
            "accounts.session_longest_time", \.sessionLongestTime,
            .duration(Duration.seconds(300)...Duration.seconds(3_660 * 86_400)), "how long a session lasts in any case"),
        Setting(
            "metrics.access", \.metricsAccess, .choice,
            "who may read /metrics: administrators, also peers on this machine, or everyone"),
        Setting(
            "cors.origins", \.corsOrigins, .origins,
            "the web origins whose pages may read answers, such as https://*.example.org, http://localhost:* or capacitor://localhost"
        ),
        Setting(
            "audit.time", \.auditTime, .duration(Duration.seconds(86_400)...Duration.seconds(100 * 366 * 86_400)),
            "how long an entry of the audit log is kept"),
        Setting(
            "audit.entries", \.auditEntries, .count(1_000...100_000_000),
            "the most entries of one audit log; the oldest go before their time"),
    ]

    private static let log: [Setting] = [
        Setting("log.access", \.accessLog, .choice, "a line for each request: none, text, or JSON"),
        Setting("log.sample", \.logSample, .share, "the share of requests that are logged; failures always are"),
        Setting("log.file", \.logFile, .text("FILE"), "where the lines go; by default standard error"),
    ]

    private static let limits: [Setting] = [
        Setting("limits.connections", \.connections, .count(1...1_000_000), "open connections in all"),
        Setting(
            "limits.connections_per_address", \.connectionsPerAddress, .count(1...1_000_000),
            "open connections from one address"),
        Setting("limits.body_bytes", \.bodyBytes, .size(1_024...(1 << 30)), "the largest request body"),
        Setting(
            "limits.bodies_in_flight_bytes", \.bodiesInFlightBytes, .size((1 << 20)...(1 << 36)),
            "request bodies in memory, over all connections"),
        Setting(
            "limits.record_bytes", \.recordBytes, .size(1_024...(64 << 20)), "the largest record, in decoded values"),
        Setting("limits.batch_operations", \.batchOperations, .count(1...10_000), "operations of one batch"),
        Setting("limits.page_size", \.pageSize, .count(1...10_000), "records of one page"),
        Setting(
            "limits.cascade_records", \.cascadeRecords, .count(1...1_000_000),
            "records that one deletion may take with it"),
        Setting(
            "limits.set_records", \.setRecords, .count(1...10_000_000),
            "records that one change or deletion by condition may match"),
        Setting(
            "limits.query_milliseconds", \.queryMilliseconds, .count(10...600_000),
            "how long one query may take, in milliseconds"),
        Setting(
            "quota.user_records", \.quotas.user.records, .count(0...1_000_000_000_000),
            "records that one user may have; 0 for any number"),
        Setting(
            "quota.user_bytes", \.quotas.user.bytes, .size(0...(1 << 50)), "what their fields may take; 0 for any size"),
        Setting(
            "quota.user_asset_bytes", \.quotas.user.assetBytes, .size(0...(1 << 50)),
            "what their files may take; 0 for any size"),
        Setting(
            "quota.container_records", \.quotas.container.records, .count(0...1_000_000_000_000),
            "the same of everybody together"),
        Setting("quota.container_bytes", \.quotas.container.bytes, .size(0...(1 << 50)), "what all fields may take"),
        Setting(
            "quota.container_asset_bytes", \.quotas.container.assetBytes, .size(0...(1 << 50)),
            "what all files may take"),
        Setting("limits.target_bytes", \.targetBytes, .size(256...(64 << 10)), "the longest request target"),
        Setting("limits.field_bytes", \.fieldBytes, .size(256...(256 << 10)), "the longest header field"),
        Setting("limits.head_bytes", \.headBytes, .size(1_024...(1 << 20)), "the largest request head"),
        Setting("limits.head_fields", \.headFields, .count(8...1_000), "header fields of one request"),
    ]

    private static let rates: [Setting] = [
        Setting("limits.rates", \.rates, .choice, "whether requests are counted, by address and by account"),
        Setting(
            "limits.rate_auth", \.rateAuth, .rate, "sign-ins and false credentials; off ends their delays too"),
        Setting("limits.rate_sign_up", \.rateSignUp, .rate, "sign-ups"),
        Setting("limits.rate_read", \.rateRead, .rate, "reads and queries"),
        Setting("limits.rate_write", \.rateWrite, .rate, "writes; each operation of a batch is one"),
        Setting("limits.rate_upload", \.rateUpload, .rate, "uploads and their parts"),
        Setting("limits.rate_administer", \.rateAdminister, .rate, "requests about schema, grants and roles"),
        Setting(
            "limits.rate_exempt", \.rateExempt, .networks(orUnix: false), "addresses and networks that are not limited"),
    ]

    private static let timeouts: [Setting] = [
        Setting("timeouts.head", \.headTimeout, .duration(wait), "for a request head to arrive"),
        Setting("timeouts.body", \.bodyTimeout, .duration(wait), "for a request body to arrive"),
        Setting("timeouts.idle", \.idleTimeout, .duration(wait), "that a connection may wait between requests"),
        Setting("timeouts.write", \.writeTimeout, .duration(wait), "for a client to take an answer"),
        Setting(
            "timeouts.shutdown", \.shutdownTimeout, .duration(.zero...Duration.seconds(3_600)),
            "for requests in flight to end when the server stops"),
        Setting(
            "gzip.min_bytes", \.gzipMinimumBytes, .size(0...(1 << 30)),
            "the smallest answer that is compressed; 0 compresses none"),
    ]

    private static let wait: ClosedRange<Duration> = .milliseconds(100)...Duration.seconds(86_400)
}

extension String {
    /// The text with each character replaced.
    func replacing(_ change: (Character) -> Character) -> String {
        String(map(change))
    }
}
