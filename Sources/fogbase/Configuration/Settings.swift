import HTTP
import HTTPTransport
import RecordAPI
import RecordModel

/// All settings with their defaults. `Setting.all` defines their names and formats.
struct Settings: Sendable {
    enum AccessLogFormat: String, CaseIterable, Sendable {
        case off, text, json
    }

    enum Environment: String, CaseIterable, Sendable {
        case development, production
    }

    enum DevelopmentAccess: String, CaseIterable, Sendable {
        /// `everyone` while the default environment is development; `members` while it is production.
        case auto
        case everyone
        /// Administrators, keys, and users that were created by these in the environment.
        case members
    }

    enum SignUp: String, CaseIterable, Sendable {
        case open, closed, invitation
    }

    enum Switch: String, CaseIterable, Sendable {
        case on, off
    }

    enum MetricsAccess: String, CaseIterable, Sendable {
        case administrators, loopback, everyone
    }

    // Server
    var host = "127.0.0.1"
    var port: UInt16 = 8080
    var unixPath = ""
    var unixMode: UInt32 = 0o700
    var threads = HTTPServerConfiguration().loops

    // TLS
    var tlsCertificate = ""
    var tlsKey = ""
    var tlsRedirectPort: UInt16 = 0
    var tlsHSTS = Duration.zero

    // Proxies and host names
    var trustedProxies: [String] = []
    var proxyField = TrustedProxies.Field.xForwardedFor
    var hosts: [String] = []

    // Data
    var dataPath = "./data"
    var containers = ["iCloud.fogbase.default"]
    var container = ""
    var environment = Environment.development
    var checkpointBytes = 16 << 20
    var publicPath = ""
    var publicURL: PublicURL?

    // Assets
    var assetBytes = 5_000_000_000
    var unreferencedAssetBytes = 10_000_000_000
    var unreferencedAssetTime = Duration.seconds(86_400)
    var assetURLTime = Duration.seconds(3_600)
    var freeDiskBytes = 256 << 20
    var thumbnailProgram = "vipsthumbnail"
    var thumbnailProcesses = 2
    var thumbnailBytes = 1 << 30
    var thumbnailPixels = 100_000_000

    // Access
    var adminToken = ""
    var signUp = SignUp.open
    var developmentAccess = DevelopmentAccess.auto
    var anonymousAccounts = Switch.off
    var sessionTime = Duration.seconds(30 * 86_400)
    var sessionLongestTime = Duration.seconds(180 * 86_400)
    var metricsAccess = MetricsAccess.loopback
    var corsOrigins: [String] = []
    var auditTime = Duration.seconds(400 * 86_400)
    var auditEntries = 1_000_000

    // Webhooks
    var webhooksAllowPrivate: [String] = []

    // Log
    var accessLog = AccessLogFormat.text
    var logSample = 1.0
    var logFile = ""
    var logRequests = 1_000

    // Limits
    var connections = 16_384
    var connectionsPerAddress = 1_024
    var bodyBytes = 8 << 20
    var bodiesInFlightBytes = 256 << 20
    var recordBytes = 1 << 20
    var batchOperations = 200
    var pageSize = 1_000
    var cascadeRecords = 10_000
    var setRecords = 100_000
    var quotas = Quotas()
    var queryMilliseconds = 5_000
    var targetBytes = 8 << 10
    var fieldBytes = 8 << 10
    var headBytes = 32 << 10
    var headFields = 100

    // Rate limits
    var rates = Switch.on
    var rateAuth = RateLimits().auth
    var rateSignUp = RateLimits().signUp
    var rateRead = RateLimits().read
    var rateWrite = RateLimits().write
    var rateUpload = RateLimits().upload
    var rateAdminister = RateLimits().administer
    var rateExempt: [String] = []

    // Timeouts and compression
    var headTimeout = Duration.seconds(10)
    var bodyTimeout = Duration.seconds(60)
    var idleTimeout = Duration.seconds(75)
    var writeTimeout = Duration.seconds(30)
    var shutdownTimeout = Duration.seconds(20)

    var gzipMinimumBytes = 1_400

    /// Whether the server itself speaks TLS.
    var hasTLS: Bool { !tlsCertificate.isEmpty }

    /// The container for requests that name no container.
    var requestContainer: String {
        container.isEmpty ? containers.first ?? "" : container
    }

    /// Whether anonymous callers may use the development environment.
    var isDevelopmentOpen: Bool {
        switch developmentAccess {
        case .everyone: true
        case .members: false
        case .auto: environment == .development
        }
    }

    /// The rate limits; `nil` if rate limiting is off.
    var rateLimits: RateLimits? {
        guard rates == .on else { return nil }
        var limits = RateLimits()
        limits.auth = rateAuth
        limits.signUp = rateSignUp
        limits.read = rateRead
        limits.write = rateWrite
        limits.upload = rateUpload
        limits.administer = rateAdminister
        limits.exempt = rateExempt.compactMap { IPNetwork($0) }
        return limits
    }
}
