import CLinux
import Glibc
import Threads

/// A bound, listening socket. All loops accept connections from it.
///
/// There is one socket per address, not one per loop with SO_REUSEPORT. With several sockets, the kernel would
/// distribute connections by hash, which is uneven (64 clients can end up 40 to 24). Closing one of the sockets would
/// also reset the connections in its queue.
package final class ListeningSocket: Sendable {
    /// The bound address. If port 0 was requested, this has the port that the system chose.
    package let address: SocketAddress
    /// The identity of the file of a Unix socket.
    private let file: Int64?
    private let descriptor: Locked<Int32?>

    /// Binds the address and listens.
    ///
    /// Replaces the file of a Unix socket if no process listens on the socket, for example after a crash.
    ///
    /// - Parameter unixMode: The permissions of the file of a Unix socket. Clients need the permission to write.
    /// - Throws: `SocketError.system` with the failed system call.
    package init(_ address: SocketAddress, backlog: Int32 = 4096, unixMode: UInt32 = 0o700) throws(SocketError) {
        let raw = fogbase_stream_socket(address.family)
        guard raw >= 0 else { throw .last("socket") }
        let descriptor = FileDescriptor(owning: raw)
        switch address {
        case .unix(let path):
            Self.removeStaleSocket(at: path, address: address)
        case .ipv4, .ipv6:
            try Self.set(descriptor.raw, SOL_SOCKET, SO_REUSEADDR, 1)
            if case .ipv6(let high, let low, _, _) = address {
                // The address :: takes IPv4 too, whatever the system's default is (net.ipv6.bindv6only).
                try Self.set(descriptor.raw, Int32(IPPROTO_IPV6), IPV6_V6ONLY, (high, low) == (0, 0) ? 0 : 1)
            }
        }
        guard address.withSystemAddress({ bind(raw, $0, $1) }) == 0 else { throw .last("bind") }
        // Nobody can connect before `listen`.
        if case .unix(let path) = address, chmod(path, unixMode) != 0 { throw .last("chmod") }
        guard listen(raw, backlog) == 0 else { throw .last("listen") }
        if case .unix(let path) = address { file = Self.identity(of: path) } else { file = nil }
        self.address = address.port == 0 ? try Self.name(of: raw) : address
        self.descriptor = Locked(descriptor.release())
    }

    deinit {
        close()
    }

    /// The descriptor's number; `nil` if the socket is closed.
    var raw: Int32? {
        descriptor.withLock { $0 }
    }

    /// Closes the socket and deletes a Unix socket's file, unless it has been replaced. Loops must stop accepting first.
    package func close() {
        let raw = descriptor.withLock { descriptor in
            defer { descriptor = nil }
            return descriptor
        }
        guard let raw else { return }
        // If somebody has deleted the file, another server may have made its own.
        if case .unix(let path) = address, Self.identity(of: path) == file { unlink(path) }
        FileDescriptor(owning: raw).close()
    }

    /// Accepts the next waiting connection.
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
            // The client disconnected before the accept (accept(2), "Error handling"), or a signal arrived: try the
            // next connection.
            default: continue
            }
        }
    }

    /// The result of `accept`.
    package enum AcceptResult: ~Copyable {
        /// The next connection and the address of its peer.
        case connection(FileDescriptor, peer: SocketAddress)
        /// No connection waits in the queue, or the socket is closed.
        case none
        /// The process or the system has no free descriptors or memory. The connection stays in the queue; try again
        /// later.
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

    /// Returns the identity of a socket's file; `nil` if the path is none of a socket.
    private static func identity(of path: String) -> Int64? {
        var status = stat()
        guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFSOCK else { return nil }
        return fogbase_file_identity(path)
    }

    private static func removeStaleSocket(at path: String, address: SocketAddress) {
        guard let stale = identity(of: path) else { return }
        // The queue of a live server accepts the connection (or the result is EAGAIN). ECONNREFUSED means that no
        // process listens.
        let isRefused = probe(address) { $1 == ECONNREFUSED }
        if isRefused == true, identity(of: path) == stale { unlink(path) }
    }

    /// Returns the process that listens on a Unix socket; `nil` if it is unknown.
    package static func processListening(at path: String) -> Int32? {
        guard path.utf8.count <= 107, identity(of: path) != nil else { return nil }
        let process = probe(.unix(path: path)) { $1 == 0 ? fogbase_peer_process($0) : 0 }
        return process.flatMap { $0 > 0 ? $0 : nil }
    }

    /// Connects to a Unix socket and passes the descriptor and the error code, 0 on success, to `body`.
    private static func probe<Value>(_ address: SocketAddress, _ body: (Int32, Int32) -> Value) -> Value? {
        let raw = fogbase_stream_socket(AF_UNIX)
        guard raw >= 0 else { return nil }
        let probe = FileDescriptor(owning: raw)
        let code = address.withSystemAddress { connect(probe.raw, $0, $1) == 0 ? 0 : errno }
        return body(probe.raw, code)
    }
}
