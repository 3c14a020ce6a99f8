package import RecordModel

/// The network from which a request came: an IPv4 address, or the first half of an IPv6 address.
package struct ClientNetwork: Hashable, Sendable {
    private let high: UInt64
    private let low: UInt64

    /// Creates a network from the two halves of an address.
    package init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }
}

/// Whose work a pool does. The users of a pool take turns.
package enum PoolUser: Hashable, Sendable {
    /// The server itself: jobs, statistics, maintenance.
    case server
    /// An account, an API key or an administrator.
    case caller(CallerID)
    /// All callers without a credential from one network; `nil` if the network is not known.
    case network(ClientNetwork?)

    /// The sender of a request.
    ///
    /// - Parameter network: The network of the request, which tells anonymous callers apart.
    package init(_ caller: Caller, _ network: ClientNetwork?) {
        self = caller == .anonymous ? .network(network) : .caller(caller.identityID)
    }
}
