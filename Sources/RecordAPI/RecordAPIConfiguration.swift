package import HTTP
package import RecordEngine

/// What an operator decides about the interface. Limits are the registry's.
package struct RecordAPIConfiguration: Sendable {
    /// Who may read `/metrics`, besides administrators.
    package enum MetricsAccess: Hashable, Sendable {
        case administrators
        /// Peers on the same machine too, unless the request shows that a proxy passed it on.
        case loopback
        case everyone
    }

    /// Who may make an account, besides administrators.
    package enum SignUp: Hashable, Sendable {
        case open, closed
        /// Whoever brings an invitation.
        case invitation
    }

    /// The database that requests mean that name neither container nor environment.
    package var defaultDatabase: DatabaseID
    /// The server's version, for `/openapi.json` and `/metrics`.
    package var version: String
    /// Who may make an account, besides administrators.
    package var signUp: SignUp
    /// Whether anybody may make an account without a name.
    package var allowsAnonymousAccounts: Bool
    /// Whether strangers may use development databases; else administrators, keys, and users that these have made.
    package var isDevelopmentOpen: Bool
    package var metricsAccess: MetricsAccess
    /// What clients call the server, as through a proxy; `nil` if nobody has said it. If it is of https, the console's cookie is
    /// for https alone.
    package var publicURL: PublicURL?
    /// How often who may ask for what; `nil` for no limits.
    package var rateLimits: RateLimits?
    /// On how many threads of its own a loop has requests answered, since their readers wait for the store; 0 answers them on
    /// the loop, as readers of a file let it.
    package var readerThreads = 0
    /// What else `/metrics` shows, such as the transport's figures.
    package var metricsSources: [any MetricsSource]
    /// Tells the operator which request met an internal error, by the id that its answer carries.
    package var report: @Sendable (String) -> Void

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
