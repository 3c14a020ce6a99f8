import CLinux
import Glibc
import Threads

/// A bound and listening socket, shared by all loops that accept from it.
///
/// There is one socket per address, not one per loop with SO_REUSEPORT: the kernel spreads connections over such sockets by
/// hash (64 clients easily come out 40 to 24), and closing one resets whoever waits in its queue.
package final class ListeningSocket: Sendable {
    /// Where it listens; the port is the one the system chose if 0 was asked for.
    package let address: SocketAddress
    private let descriptor: Locked<Int32?>

    /// Binds and listens.
    ///
    /// A Unix socket's file that nobody listens on any more, left over from a crash, is replaced.
    package init(_ address: SocketAddress, backlog: Int32 = 4096) throws(SocketError) {
        let raw = fogbase_stream_socket(address.family)
        guard raw >= 0 else { throw .last("socket") }
        let descriptor = FileDescriptor(owning: raw)
        switch address {
        case .unix(let path):
            Self.removeStaleSocket(at: path, address: address)
        case .ipv4, .ipv6:
            try Self.set(descriptor.raw, SOL_SOCKET, SO_REUSEADDR, 1)
            if case .ipv6(let high, let low, _, _) = address, (high, low) != (0, 0) {
                try Self.set(descriptor.raw, Int32(IPPROTO_IPV6), IPV6_V6ONLY, 1)
            }
        }
        guard address.withSystemAddress({ bind(raw, $0, $1) }) == 0 else { throw .last("bind") }
        guard listen(raw, backlog) == 0 else { throw .last("listen") }
        self.address = address.port == 0 ? try Self.name(of: raw) : address
        self.descriptor = Locked(descriptor.release())
    }

    deinit {
        close()
    }

    /// The descriptor's number, `nil` once closed.
    var raw: Int32? {
        descriptor.withLock { $0 }
    }

    /// Closes the socket and removes a Unix socket's file. Loops must have stopped accepting before.
    package func close() {
        let raw = descriptor.withLock { descriptor in
            defer { descriptor = nil }
            return descriptor
        }
        guard let raw else { return }
        if case .unix(let path) = address { unlink(path) }
        FileDescriptor(owning: raw).close()
    }

    /// Takes the next waiting connection.
    package func accept() -> AcceptResult {
        guard let listener = raw else { return .none }
        var storage = sockaddr_storage()
        while true {
            var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
            let raw = fogbase_accept(listener, &storage, &length)
            if raw >= 0 {
                let peer = SocketAddress(storage: storage, length: length) ?? .unix(path: "")
                return .connection(FileDescriptor(owning: raw), peer: peer)
            }
            switch errno {
            case EAGAIN: return .none
            case EMFILE, ENFILE, ENOBUFS, ENOMEM: return .exhausted
            case EBADF, EINVAL, ENOTSOCK: return .none
            // The client gave up before we came (accept(2), "Error handling"), or a signal: the next one, please.
            default: continue
            }
        }
    }

    /// What `accept` found.
    package enum AcceptResult: ~Copyable {
        case connection(FileDescriptor, peer: SocketAddress)
        case none
        /// The process or the system is out of descriptors or memory: wait a moment, the client stays in the queue.
        case exhausted
    }

    private static func set(_ raw: Int32, _ level: Int32, _ option: Int32, _ value: Int32) throws(SocketError) {
        var value = value
        guard setsockopt(raw, level, option, &value, socklen_t(MemoryLayout<Int32>.size)) == 0 else {
            throw .last("setsockopt")
        }
    }

    private static func name(of raw: Int32) throws(SocketError) -> SocketAddress {
        var storage = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let code = withUnsafeMutablePointer(to: &storage) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(raw, $0, &length) }
        }
        guard code == 0, let address = SocketAddress(storage: storage, length: length) else {
            throw .last("getsockname")
        }
        return address
    }

    private static func removeStaleSocket(at path: String, address: SocketAddress) {
        var status = stat()
        guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFSOCK else { return }
        let raw = fogbase_stream_socket(AF_UNIX)
        guard raw >= 0 else { return }
        let probe = FileDescriptor(owning: raw)
        // A live server's queue takes the connection (or says EAGAIN); only a dead one's file refuses it.
        if address.withSystemAddress({ connect(probe.raw, $0, $1) }) != 0, errno == ECONNREFUSED {
            unlink(path)
        }
    }
}
