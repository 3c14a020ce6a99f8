package import Glibc

/// The address of a socket or its peer.
package enum SocketAddress: Hashable, Sendable {
    /// An IPv4 address in host byte order: 127.0.0.1 is `0x7F00_0001`.
    case ipv4(UInt32, port: UInt16)
    /// The two halves of an IPv6 address in host byte order, most significant half first.
    case ipv6(high: UInt64, low: UInt64, scope: UInt32, port: UInt16)
    /// The path of a Unix socket; empty for a peer without a name.
    case unix(path: String)

    /// Parses `127.0.0.1:80`, `[::1]:80` or `unix:/path`. Host names are not resolved.
    ///
    /// - Throws: `SocketError.invalidAddress`, or `SocketError.pathTooLong` for a path of more than 107 bytes.
    package init(_ text: String) throws(SocketError) {
        if text.hasPrefix("unix:") {
            let path = String(text.dropFirst(5))
            guard !path.isEmpty, !path.utf8.contains(0) else { throw .invalidAddress(text) }
            guard path.utf8.count <= 107 else { throw .pathTooLong(path) }
            self = .unix(path: path)
            return
        }
        guard let colon = text.lastIndex(of: ":"), let port = Self.parsePort(text[text.index(after: colon)...]) else {
            throw .invalidAddress(text)
        }
        var host = String(text[..<colon])
        if host.hasPrefix("["), host.hasSuffix("]") {
            host = String(host.dropFirst().dropLast())
            guard host.contains(":") else { throw .invalidAddress(text) }
        } else if host.contains(":") {
            throw .invalidAddress(text)
        }
        guard let address = SocketAddress(host: host, port: port) else { throw .invalidAddress(text) }
        self = address
    }

    /// Parses an IPv4 or IPv6 address without brackets; `nil` if `host` is neither.
    package init?(host: String, port: UInt16) {
        var four = in_addr()
        if inet_pton(AF_INET, host, &four) == 1 {
            self = .ipv4(UInt32(bigEndian: four.s_addr), port: port)
            return
        }
        var six = in6_addr()
        guard inet_pton(AF_INET6, host, &six) == 1 else { return nil }
        let (high, low) = Self.halves(of: six)
        self = .ipv6(high: high, low: low, scope: 0, port: port)
    }

    /// Creates the address that a system call has filled in; `nil` for other address families.
    init?(storage: sockaddr_storage, length: socklen_t) {
        var storage = storage
        switch Int32(storage.ss_family) {
        case AF_INET:
            let four = withUnsafeBytes(of: &storage) { $0.loadUnaligned(as: sockaddr_in.self) }
            self = .ipv4(UInt32(bigEndian: four.sin_addr.s_addr), port: UInt16(bigEndian: four.sin_port))
        case AF_INET6:
            let six = withUnsafeBytes(of: &storage) { $0.loadUnaligned(as: sockaddr_in6.self) }
            let (high, low) = Self.halves(of: six.sin6_addr)
            let port = UInt16(bigEndian: six.sin6_port)
            // The IPv4 peer of a dual-stack socket has an IPv4-mapped address (::ffff:a.b.c.d). Represent it as IPv4.
            if high == 0, low >> 32 == 0xFFFF {
                self = .ipv4(UInt32(truncatingIfNeeded: low), port: port)
            } else {
                self = .ipv6(high: high, low: low, scope: six.sin6_scope_id, port: port)
            }
        case AF_UNIX:
            let path = withUnsafeBytes(of: &storage) { bytes in
                bytes.prefix(Int(length)).dropFirst(MemoryLayout<sa_family_t>.size).prefix { $0 != 0 }
            }
            self = .unix(path: String(decoding: path, as: UTF8.self))
        default:
            return nil
        }
    }

    /// The address family for `socket()`.
    var family: Int32 {
        switch self {
        case .ipv4: AF_INET
        case .ipv6: AF_INET6
        case .unix: AF_UNIX
        }
    }

    /// Calls `body` with the address as a `sockaddr` and its length in bytes.
    package func withSystemAddress<Result>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Result) -> Result {
        var storage = sockaddr_storage()
        let length: Int
        switch self {
        case .ipv4(let address, let port):
            var four = sockaddr_in()
            four.sin_family = sa_family_t(AF_INET)
            four.sin_addr.s_addr = address.bigEndian
            four.sin_port = port.bigEndian
            length = MemoryLayout<sockaddr_in>.size
            withUnsafeMutableBytes(of: &storage) { $0.storeBytes(of: four, as: sockaddr_in.self) }
        case .ipv6(let high, let low, let scope, let port):
            var six = sockaddr_in6()
            six.sin6_family = sa_family_t(AF_INET6)
            six.sin6_port = port.bigEndian
            six.sin6_scope_id = scope
            withUnsafeMutableBytes(of: &six.sin6_addr) { bytes in
                bytes.storeBytes(of: high.bigEndian, as: UInt64.self)
                bytes.storeBytes(of: low.bigEndian, toByteOffset: 8, as: UInt64.self)
            }
            length = MemoryLayout<sockaddr_in6>.size
            withUnsafeMutableBytes(of: &storage) { $0.storeBytes(of: six, as: sockaddr_in6.self) }
        case .unix(let path):
            storage.ss_family = sa_family_t(AF_UNIX)
            let offset = MemoryLayout<sa_family_t>.size
            // The initializer allows at most 107 bytes. The rest of the storage is zero.
            let bytes = Array(path.utf8.prefix(107))
            withUnsafeMutableBytes(of: &storage) { target in
                target[offset..<offset + bytes.count].copyBytes(from: bytes)
            }
            length = offset + bytes.count + 1
        }
        return withUnsafePointer(to: &storage) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, socklen_t(length)) }
        }
    }

    /// The port number; `nil` for a Unix socket.
    package var port: UInt16? {
        switch self {
        case .ipv4(_, let port), .ipv6(_, _, _, let port): port
        case .unix: nil
        }
    }

    /// The address without port and brackets; empty for a Unix socket.
    package var host: String {
        switch self {
        case .ipv4(let address, _):
            return "\(address >> 24).\(address >> 16 & 255).\(address >> 8 & 255).\(address & 255)"
        case .ipv6(let high, let low, let scope, _):
            var bytes = [high.bigEndian, low.bigEndian]
            var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
            inet_ntop(AF_INET6, &bytes, &text, socklen_t(text.count))
            let address = String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
            return scope == 0 ? address : "\(address)%\(scope)"
        case .unix:
            return ""
        }
    }

    private static func parsePort(_ text: Substring) -> UInt16? {
        guard (1...5).contains(text.utf8.count), text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
            return nil
        }
        return UInt16(text)
    }

    private static func halves(of address: in6_addr) -> (high: UInt64, low: UInt64) {
        withUnsafeBytes(of: address) { bytes in
            (
                UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self)),
                UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
            )
        }
    }
}

extension SocketAddress: CustomStringConvertible {
    /// The form that `init(_:)` parses.
    package var description: String {
        switch self {
        case .ipv4(_, let port): "\(host):\(port)"
        case .ipv6(_, _, _, let port): "[\(host)]:\(port)"
        case .unix(let path): "unix:\(path)"
        }
    }
}
