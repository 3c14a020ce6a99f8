import RecordModel

/// The definition of one setting: its format, and its names in files, in the environment and on the command line.
struct Setting: Sendable {
    /// The name in configuration files: `section.key`.
    let key: String
    /// The flag on the command line. The flag of a secret takes the path of a file that contains the secret.
    let flag: String
    let placeholder: String
    let help: String
    /// Whether the setting is a secret. Its value is never printed, and the environment may name a file that contains
    /// it.
    let isSecret: Bool
    /// Parses a text and stores the result in the settings.
    let apply: @Sendable (inout Settings, String) throws(BadValue) -> Void
    /// Returns the current value as text; the value of a secret is masked.
    let show: @Sendable (Settings) -> String

    init<Value: Sendable>(
        _ key: String, _ path: any WritableKeyPath<Settings, Value> & Sendable, _ form: SettingForm<Value>,
        flag: String? = nil, isSecret: Bool = false, _ help: String
    ) {
        self.key = key
        let name = "--" + key.replacing { $0 == "." || $0 == "_" ? "-" : $0 }
        // All users of the machine can see command lines, so a secret must be passed in a file.
        self.flag = flag ?? (isSecret ? name + "-file" : name)
        self.placeholder = isSecret ? "FILE" : form.placeholder
        self.help = help
        self.isSecret = isSecret
        apply = { settings, text throws(BadValue) in settings[keyPath: path] = try form.parse(text) }
        show = { form.show($0[keyPath: path]) }
    }

    /// The name of the environment variable.
    var environmentName: String {
        "FOGBASE_" + key.uppercased().replacing { $0 == "." ? "_" : $0 }
    }

    static func named(_ key: String) -> Setting? {
        all.first { $0.key == key }
    }

    /// All settings, in the order in which they are listed.
    static let all: [Setting] =
        server + tls + http + data + assets + rights + webhooks + log + limits + rates + timeouts

    private static let server: [Setting] = [
        Setting(
            "server.host", \.host, .host, flag: "--host",
            "the addresses to listen on, separated by commas; localhost means 127.0.0.1 and ::1"),
        Setting("server.port", \.port, .port, flag: "--port", "the port to listen on; the variable PORT sets it too"),
        Setting("server.unix", \.unixPath, .text("PATH"), flag: "--unix", "a Unix socket to listen on in addition"),
        Setting(
            "server.unix_mode", \.unixMode, .mode, flag: "--unix-mode",
            "permissions of the Unix socket; 660 lets the group of the server's user connect"),
        Setting(
            "server.threads", \.threads, .count(1...256), flag: "--threads",
            "number of event loops; by default one per core"),
    ]

    private static let tls: [Setting] = [
        Setting(
            "tls.certificate", \.tlsCertificate, .text("FILE"),
            "PEM file with the server's certificate and those of its issuers; server.port then speaks HTTPS"),
        Setting("tls.key", \.tlsKey, .text("FILE"), "PEM file with the certificate's private key"),
        Setting(
            "tls.redirect_port", \.tlsRedirectPort, .port,
            "a further port, such as 80, that redirects plain HTTP to HTTPS; 0 for none"),
        Setting(
            "tls.hsts", \.tlsHSTS, .duration(.zero...Duration.seconds(3 * 366 * 86_400)),
            "how long browsers must use HTTPS only (Strict-Transport-Security), such as 365d; 0s for no such demand"),
    ]

    private static let http: [Setting] = [
        Setting(
            "http.trusted_proxies", \.trustedProxies, .networks(orWords: ["unix", "gateway"]),
            "reverse proxies whose client addresses are trusted; 'unix' for proxies on the Unix socket, 'gateway' for the host of a container"
        ),
        Setting(
            "http.proxy_field", \.proxyField, .choice,
            "the header field with the client address; the other one is ignored"),
        Setting("http.hosts", \.hosts, .hosts, "host names of this server; requests for other names get 421"),
    ]

    private static let data: [Setting] = [
        Setting("data.path", \.dataPath, .text("DIR"), flag: "--data", "the data directory"),
        Setting(
            "data.containers", \.containers, .containers, flag: "--containers",
            "the containers of the server, separated by commas"),
        Setting(
            "data.container", \.container, .containerName, flag: "--container",
            "the container of requests that name none; by default the first one"),
        Setting(
            "data.environment", \.environment, .choice, flag: "--environment",
            "the environment of requests that name none"),
        Setting(
            "data.checkpoint_bytes", \.checkpointBytes, .size((256 << 10)...(1 << 30)),
            "WAL size that starts a checkpoint; the WAL is restarted at four times this size"),
        Setting(
            "public.path", \.publicPath, .text("DIR"), flag: "--public",
            "the directory of the console; by default Public next to the program, share/fogbase/public of its installation, or Public in the working directory"
        ),
        Setting(
            "public.url", \.publicURL, .publicURL,
            "the URL by which clients reach the server, such as https://example.org, or https://example.org/fog below a path"
        ),
    ]

    private static let assets: [Setting] = [
        Setting("assets.max_bytes", \.assetBytes, .size(1...(1 << 43)), "the largest file of an upload"),
        Setting(
            "assets.unreferenced_bytes", \.unreferencedAssetBytes, .size(1...(1 << 50)),
            "bytes of uploaded files without a record, per user; also of files of imports and exports"),
        Setting(
            "assets.unreferenced_time", \.unreferencedAssetTime,
            .duration(Duration.seconds(1)...Duration.seconds(30 * 86_400)),
            "how long files without a record are kept and upload tokens are valid"),
        Setting(
            "assets.url_time", \.assetURLTime, .duration(Duration.seconds(1)...Duration.seconds(7 * 86_400)),
            "how long the signed URL of a file is valid"),
        Setting(
            "assets.free_bytes", \.freeDiskBytes, .size(0...(1 << 50)),
            "disk space that uploads and exports leave free for records"),
        Setting(
            "assets.thumbnail_program", \.thumbnailProgram, .text("PROGRAM"),
            "the program that creates thumbnails; 'none' disables thumbnails"),
        Setting(
            "assets.thumbnail_processes", \.thumbnailProcesses, .count(1...64), "thumbnails created at the same time"
        ),
        Setting(
            "assets.thumbnail_bytes", \.thumbnailBytes, .size(0...(1 << 45)),
            "disk space for thumbnails, per database"),
        Setting(
            "assets.thumbnail_pixels", \.thumbnailPixels, .count(1...1_000_000_000),
            "the largest picture, in pixels, that gets thumbnails"),
    ]

    private static let rights: [Setting] = [
        Setting(
            "admin.token", \.adminToken, .secret(minimum: 16), isSecret: true,
            "the server's own administrator token; by default created at the first start"),
        Setting(
            "accounts.sign_up", \.signUp, .choice,
            "who can create an account: anyone, only administrators, or anyone with an invitation"),
        Setting(
            "accounts.development", \.developmentAccess, .choice,
            "who can use the development environment: everyone, or members (administrators, keys and the users they created there); auto: members if data.environment is production"
        ),
        Setting(
            "accounts.anonymous", \.anonymousAccounts, .choice,
            "whether anyone may create an account without a name, which can get one later"),
        Setting(
            "accounts.session_time", \.sessionTime, .duration(Duration.seconds(300)...Duration.seconds(3_660 * 86_400)),
            "lifetime of an unused session"),
        Setting(
            "accounts.session_longest_time", \.sessionLongestTime,
            .duration(Duration.seconds(300)...Duration.seconds(3_660 * 86_400)), "lifetime of any session"),
        Setting(
            "metrics.access", \.metricsAccess, .choice,
            "who can read /metrics: administrators, also loopback peers, or everyone"),
        Setting(
            "cors.origins", \.corsOrigins, .origins,
            "web origins whose pages may read responses, such as https://*.example.org, http://localhost:* or capacitor://localhost"
        ),
        Setting(
            "audit.time", \.auditTime, .duration(Duration.seconds(86_400)...Duration.seconds(100 * 366 * 86_400)),
            "how long audit log entries are kept"),
        Setting(
            "audit.entries", \.auditEntries, .count(1_000...100_000_000),
            "entries of one audit log; the oldest are deleted first"),
    ]

    private static let webhooks: [Setting] = [
        Setting(
            "webhooks.allow_private", \.webhooksAllowPrivate, .networks(),
            "networks that webhooks may reach although they are not public, also without TLS")
    ]

    private static let log: [Setting] = [
        Setting("log.access", \.accessLog, .choice, "format of the access log"),
        Setting(
            "log.sample", \.logSample, .share,
            "share of requests in the access log; responses with status 500 and above are always logged"),
        Setting(
            "log.requests", \.logRequests, .count(0...100_000),
            "requests that each event loop keeps in memory for administrators; 0 for none"),
        Setting("log.file", \.logFile, .text("FILE"), "file of the access log; by default standard error"),
    ]

    private static let limits: [Setting] = [
        Setting("limits.connections", \.connections, .count(1...1_000_000), "open connections"),
        Setting(
            "limits.connections_per_address", \.connectionsPerAddress, .count(1...1_000_000),
            "open connections from one address"),
        Setting("limits.body_bytes", \.bodyBytes, .size(1_024...(1 << 30)), "the largest request body"),
        Setting(
            "limits.bodies_in_flight_bytes", \.bodiesInFlightBytes, .size((1 << 20)...(1 << 36)),
            "memory for request bodies of all connections"),
        Setting(
            "limits.record_bytes", \.recordBytes, .size(1_024...(64 << 20)), "the largest record, as decoded values"),
        Setting("limits.batch_operations", \.batchOperations, .count(1...10_000), "operations per batch"),
        Setting("limits.page_size", \.pageSize, .count(1...10_000), "records per page"),
        Setting(
            "limits.cascade_records", \.cascadeRecords, .count(1...1_000_000),
            "records that may follow the deletes and moves of one request"),
        Setting(
            "limits.set_records", \.setRecords, .count(1...10_000_000),
            "records that a bulk update or delete may match"),
        Setting(
            "limits.query_milliseconds", \.queryMilliseconds, .count(10...600_000),
            "time limit of a query, in milliseconds"),
        Setting(
            "quota.user_records", \.quotas.user.records, .count(0...1_000_000_000_000),
            "records per user; 0 for no limit"),
        Setting(
            "quota.user_bytes", \.quotas.user.bytes, .size(0...(1 << 50)),
            "bytes of record fields per user; 0 for no limit"),
        Setting(
            "quota.user_asset_bytes", \.quotas.user.assetBytes, .size(0...(1 << 50)),
            "bytes of assets per user; 0 for no limit"),
        Setting(
            "quota.container_records", \.quotas.container.records, .count(0...1_000_000_000_000),
            "records per container; 0 for no limit"),
        Setting(
            "quota.container_bytes", \.quotas.container.bytes, .size(0...(1 << 50)),
            "bytes of record fields per container; 0 for no limit"),
        Setting(
            "quota.container_asset_bytes", \.quotas.container.assetBytes, .size(0...(1 << 50)),
            "bytes of assets per container; 0 for no limit"),
        Setting("limits.target_bytes", \.targetBytes, .size(256...(64 << 10)), "the longest request target"),
        Setting("limits.field_bytes", \.fieldBytes, .size(256...(256 << 10)), "the longest header field"),
        Setting("limits.head_bytes", \.headBytes, .size(1_024...(1 << 20)), "the largest request head"),
        Setting("limits.head_fields", \.headFields, .count(8...1_000), "header fields per request"),
    ]

    private static let rates: [Setting] = [
        Setting("limits.rates", \.rates, .choice, "whether requests are limited per address and account"),
        Setting(
            "limits.rate_auth", \.rateAuth, .rate,
            "sign-ins and invalid credentials; off also disables the delays after failed sign-ins"),
        Setting("limits.rate_sign_up", \.rateSignUp, .rate, "sign-ups"),
        Setting("limits.rate_read", \.rateRead, .rate, "reads and queries"),
        Setting(
            "limits.rate_write", \.rateWrite, .rate,
            "writes; each operation of a batch and each row of an import counts"),
        Setting("limits.rate_upload", \.rateUpload, .rate, "uploads, and parts of resumable uploads"),
        Setting("limits.rate_administer", \.rateAdminister, .rate, "requests about schema, grants and roles"),
        Setting(
            "limits.rate_exempt", \.rateExempt, .networks(), "addresses and networks without rate limits"),
    ]

    private static let timeouts: [Setting] = [
        Setting("timeouts.head", \.headTimeout, .duration(wait), "time limit for a request head"),
        Setting("timeouts.body", \.bodyTimeout, .duration(wait), "waiting time for a request body"),
        Setting("timeouts.idle", \.idleTimeout, .duration(wait), "idle time of a connection between requests"),
        Setting("timeouts.write", \.writeTimeout, .duration(wait), "waiting time for a client to receive a response"),
        Setting(
            "timeouts.shutdown", \.shutdownTimeout, .duration(.zero...Duration.seconds(3_600)),
            "time for requests in flight to complete when the server stops"),
        Setting(
            "gzip.min_bytes", \.gzipMinimumBytes, .size(0...(1 << 30)),
            "the smallest compressed response; 0 disables compression"),
    ]

    private static let wait: ClosedRange<Duration> = .milliseconds(100)...Duration.seconds(86_400)
}

extension String {
    /// Returns the text with each character replaced.
    func replacing(_ change: (Character) -> Character) -> String {
        String(map(change))
    }
}
