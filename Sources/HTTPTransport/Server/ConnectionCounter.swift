import Sockets
import Threads

/// Counts open connections, in total and per address, and lets callers wait for the last one to close.
final class ConnectionCounter: Sendable {
    /// The unit of the limit per address: an IPv4 address, or an IPv6 /64 network. One customer usually has a whole
    /// /64.
    enum Peer: Hashable, Sendable {
        case ipv4(UInt32)
        case ipv6(network: UInt64)
        case local

        init(_ address: SocketAddress) {
            switch address {
            case .ipv4(let address, _): self = .ipv4(address)
            case .ipv6(let high, _, _, _): self = .ipv6(network: high)
            case .unix: self = .local
            }
        }
    }

    private struct State {
        var total = 0
        var perPeer: [Peer: Int] = [:]
        var waiters: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Locked(State())
    private let maxTotal: Int
    private let maxPerPeer: Int

    init(maxTotal: Int, maxPerPeer: Int) {
        self.maxTotal = maxTotal
        self.maxPerPeer = maxPerPeer
    }

    /// Counts a connection. Returns `false` if a limit is exceeded.
    func open(_ peer: Peer) -> Bool {
        state.withLock { state in
            guard state.total < maxTotal else { return false }
            if peer != .local {
                guard state.perPeer[peer, default: 0] < maxPerPeer else { return false }
                state.perPeer[peer, default: 0] += 1
            }
            state.total += 1
            return true
        }
    }

    /// Removes a connection from the count.
    func close(_ peer: Peer) {
        let waiters: [CheckedContinuation<Void, Never>] = state.withLock { state in
            state.total -= 1
            if peer != .local, let count = state.perPeer[peer] {
                state.perPeer[peer] = count > 1 ? count - 1 : nil
            }
            guard state.total == 0 else { return [] }
            defer { state.waiters = [] }
            return state.waiters
        }
        for waiter in waiters { waiter.resume() }
    }

    /// The number of open connections, over all addresses.
    var total: Int {
        state.withLock { $0.total }
    }

    /// Suspends until no connection is open.
    func waitUntilEmpty() async {
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            let isEmpty = state.withLock { state in
                if state.total > 0 { state.waiters.append(continuation) }
                return state.total == 0
            }
            if isEmpty { continuation.resume() }
        }
    }
}
