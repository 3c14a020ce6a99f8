import Glibc

/// A client made of plain blocking system calls, so that a test decides about every byte and every write.
///
/// Each call fails after a minute, so a server that does not respond fails the test instead of blocking it. On shared
/// disks a sync may take half of that. The servers under test run on their own threads, so blocking here starves none.
package final class RawClient {
    private var raw: Int32

    /// The open descriptor, for a layer above it.
    package var descriptor: Int32 { raw }

    /// Why a step failed.
    package struct Failure: Error, CustomStringConvertible {
        package let description: String

        package init(description: String) {
            self.description = description
        }
    }

    /// Connects to a port of 127.0.0.1.
    package convenience init(port: UInt16, receiveBuffer: Int32? = nil, sendBuffer: Int32? = nil) throws {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        try self.init(family: AF_INET, address: address, receiveBuffer: receiveBuffer, sendBuffer: sendBuffer)
    }

    /// Connects to a port of ::1.
    package convenience init(port6: UInt16) throws {
        var address = sockaddr_in6()
        address.sin6_family = sa_family_t(AF_INET6)
        address.sin6_port = port6.bigEndian
        address.sin6_addr = in6addr_loopback
        try self.init(family: AF_INET6, address: address)
    }

    /// Connects to a Unix socket.
    package convenience init(path: String) throws {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8.prefix(107)) }
        try self.init(family: AF_UNIX, address: address)
    }

    private init<Address>(
        family: Int32, address: Address, receiveBuffer: Int32? = nil, sendBuffer: Int32? = nil
    ) throws {
        raw = socket(family, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard raw >= 0 else { throw Failure(description: "socket: errno \(errno)") }
        // Test machines may pause for a minute.
        var time = timeval(tv_sec: 150, tv_usec: 0)
        setsockopt(raw, SOL_SOCKET, SO_RCVTIMEO, &time, socklen_t(MemoryLayout<timeval>.size))
        setsockopt(raw, SOL_SOCKET, SO_SNDTIMEO, &time, socklen_t(MemoryLayout<timeval>.size))
        var one: Int32 = 1
        setsockopt(raw, Int32(IPPROTO_TCP), TCP_NODELAY, &one, socklen_t(MemoryLayout<Int32>.size))
        for (option, size) in [(SO_RCVBUF, receiveBuffer), (SO_SNDBUF, sendBuffer)] {
            guard var size else { continue }
            setsockopt(raw, SOL_SOCKET, option, &size, socklen_t(MemoryLayout<Int32>.size))
        }
        var address = address
        let code = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(raw, $0, socklen_t(MemoryLayout<Address>.size))
            }
        }
        guard code == 0 else { throw Failure(description: "connect: errno \(errno)") }
    }

    deinit {
        close()
    }

    /// Sends all of `bytes`.
    package func send(_ bytes: [UInt8]) throws {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.send(raw, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            guard count > 0 else { throw Failure(description: "send: errno \(errno)") }
            rest = rest.dropFirst(count)
        }
    }

    /// Sends all of `text`.
    package func send(_ text: String) throws {
        try send(Array(text.utf8))
    }

    /// The bytes of one `recv`; empty at the end of the stream.
    package func receive(upTo limit: Int = 1 << 20) throws -> [UInt8] {
        var buffer = [UInt8](repeating: 0, count: limit)
        let count = buffer.withUnsafeMutableBytes { recv(raw, $0.baseAddress, $0.count, 0) }
        guard count >= 0 else { throw Failure(description: "recv: errno \(errno)") }
        return Array(buffer[..<count])
    }

    /// Everything up to the end of the stream.
    package func receiveAll() throws -> [UInt8] {
        var all: [UInt8] = []
        while true {
            let piece = try receive()
            if piece.isEmpty { return all }
            all += piece
        }
    }

    /// Everything up to the end of the stream or a reset, as text.
    package func receiveText() throws -> String {
        String(decoding: try receiveAll(), as: UTF8.self)
    }

    /// Reads until `text` has arrived; returns all bytes received.
    package func receive(until text: String) throws -> String {
        var all = ""
        while !all.contains(text) {
            let piece = try receive()
            guard !piece.isEmpty else { throw Failure(description: "The stream ended after: \(all)") }
            all += String(decoding: piece, as: UTF8.self)
        }
        return all
    }

    /// Says that nothing more will be sent.
    package func finishSending() {
        shutdown(raw, Int32(SHUT_WR))
    }

    /// Closes the connection.
    package func close() {
        if raw >= 0 { _ = Glibc.close(raw) }
        raw = -1
    }

    /// Closes the connection with a reset.
    package func reset() {
        var linger = linger(l_onoff: 1, l_linger: 0)
        setsockopt(raw, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout<Glibc.linger>.size))
        close()
    }
}

/// Facts about this process that tests compare.
package enum ProcessFacts {
    /// How many descriptors are open.
    package static var openDescriptors: Int {
        guard let directory = opendir("/proc/self/fd") else { return -1 }
        defer { closedir(directory) }
        var count = 0
        while readdir(directory) != nil { count += 1 }
        return count
    }
}
