package import HTTP
package import RecordEngine

/// A setting of the process, for administrators to read.
package struct EffectiveSetting: Sendable {
    /// The name in configuration files, such as `server.port`.
    package var key: String
    /// The value as text. The value of a secret is masked.
    package var value: String
    /// Where the value comes from, such as a file and its line.
    package var source: String
    /// Whether the value is the default.
    package var isDefault: Bool
    /// One sentence for people.
    package var help: String

    /// Describes a setting.
    package init(key: String, value: String, source: String, isDefault: Bool, help: String) {
        self.key = key
        self.value = value
        self.source = source
        self.isDefault = isDefault
        self.help = help
    }
}

/// The operator's settings for the HTTP interface. The size limits are in the registry's configuration.
package struct RecordAPIConfiguration: Sendable {
    /// The callers that may read `/metrics` in addition to administrators.
    package enum MetricsAccess: Hashable, Sendable {
        case administrators
        /// Peers on the same machine, unless the request shows that a proxy forwarded it.
        case loopback
        case everyone
    }

    /// The callers that may create an account in addition to administrators.
    package enum SignUp: Hashable, Sendable {
        case open, closed
        /// Callers that have an invitation.
        case invitation
    }

    /// The database for requests that name neither a container nor an environment.
    package var defaultDatabase: DatabaseID
    /// The server's version, for `/openapi.json` and `/metrics`.
    package var version: String
    /// The callers that may create an account in addition to administrators.
    package var signUp: SignUp
    /// Whether anyone may create an anonymous account, which has no name.
    package var allowsAnonymousAccounts: Bool
    /// Whether anonymous callers may use development databases and sign up there. If `false`, only administrators,
    /// keys, and users created by these may use development databases.
    package var isDevelopmentOpen: Bool
    /// The callers that may read `/metrics` in addition to administrators.
    package var metricsAccess: MetricsAccess
    /// The URL that clients use to reach the server, for example through a proxy; `nil` if unknown. With an https URL,
    /// browsers send the console's cookie over https only.
    package var publicURL: PublicURL?
    /// Whether the server itself speaks TLS. Without a public URL, its clients then use https.
    package var isEncrypted = false
    /// The rate limits; `nil` if requests are not limited.
    package var rateLimits: RateLimits?
    /// The number of threads per loop that handle requests, for stores whose readers block. 0 for stores that do not
    /// block: then the loop handles all requests.
    package var readerThreads = 0
    /// The number of good and of failed requests that each event loop keeps for `GET /requests`; 0 for none.
    package var requestLogSize = 1_000
    /// The settings of the process, for `GET /settings`.
    package var settings: [EffectiveSetting] = []
    /// The code with which the first administrator is made; `nil` if it is made otherwise.
    package var setUpCode: SetUpCode?
    /// Further metrics to include in `/metrics`, such as the metrics of the transport.
    package var metricsSources: [any MetricsSource]
    /// Reports an internal error to the operator, with the request ID of the response.
    package var report: @Sendable (String) -> Void

    /// Creates a configuration.
    package init(
        defaultDatabase: DatabaseID, version: String, signUp: SignUp = .open, allowsAnonymousAccounts: Bool = false,
        isDevelopmentOpen: Bool = true, metricsAccess: MetricsAccess = .loopback, publicURL: PublicURL? = nil,
        rateLimits: RateLimits? = nil,
        metricsSources: [any MetricsSource] = [],
        report: @escaping @Sendable (String) -> Void = { _ in }
    ) {
        self.defaultDatabase = defaultDatabase
        self.version = version
        self.signUp = signUp
        self.allowsAnonymousAccounts = allowsAnonymousAccounts
        self.isDevelopmentOpen = isDevelopmentOpen
        self.metricsAccess = metricsAccess
        self.publicURL = publicURL
        self.rateLimits = rateLimits
        self.metricsSources = metricsSources
        self.report = report
    }
}
