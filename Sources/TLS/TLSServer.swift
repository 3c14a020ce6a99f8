internal import CTLS
import Threads

/// The current identity of a server. New connections use it; connections that exist keep the identity with which they
/// began.
package final class TLSServer: Sendable {
    private let current: Locked<TLSIdentity>

    /// Creates a server with its first identity.
    package init(_ identity: TLSIdentity) {
        current = Locked(identity)
    }

    /// The identity of new connections.
    package var identity: TLSIdentity {
        get { current.withLock { $0 } }
        set { current.withLock { $0 = newValue } }
    }
}
