import Foundation
import Glibc
import Threads

/// A TCP server on a port of 127.0.0.1 that does with each connection what a test says.
package final class ScriptedReceiver: Sendable {
    /// One accepted connection. Used on its own thread.
    package final class Peer: Sendable {
        private let raw: Int32

        fileprivate init(_ raw: Int32) {
            self.raw = raw
        }

        /// Reads until the other side has sent the end of a head and the body that its Content-Length announces.
        ///
        /// - Returns: The request; what came before the connection ended, if it did.
        package func request() -> String {
            var bytes: [UInt8] = []
            while true {
                let text = String(decoding: bytes, as: UTF8.self)
                if let end = text.range(of: "\r\n\r\n") {
                    let length = text.lowercased().split(separator: "\r\n")
                        .first { $0.hasPrefix("content-length: ") }.flatMap { Int($0.dropFirst(16)) }
                    if text[end.upperBound...].utf8.count >= length ?? 0 { return text }
                }
                var piece = [UInt8](repeating: 0, count: 65_536)
                let count = recv(raw, &piece, piece.count, 0)
                guard count > 0 else { return text }
                bytes += piece.prefix(count)
            }
        }

        /// Sends a text. Returns false if the other side has closed the connection.
        @discardableResult
        package func send(_ text: String) -> Bool { send(Array(text.utf8)) }

        /// Sends bytes. Returns false if the other side has closed the connection.
        @discardableResult
        package func send(_ bytes: [UInt8]) -> Bool {
            var rest = bytes[...]
            while !rest.isEmpty {
                let count = rest.withUnsafeBytes { Glibc.send(raw, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
                guard count > 0 else { return false }
                rest = rest.dropFirst(count)
            }
            return true
        }

        /// Waits a number of milliseconds for the other side to close the connection, after its request was read.
        package func hasEnded(within milliseconds: Int32) -> Bool {
            var event = pollfd(fd: raw, events: Int16(POLLIN), revents: 0)
            return poll(&event, 1, milliseconds) != 0
        }

        /// Waits until the other side closes the connection.
        package func waitForEnd() {
            var byte: UInt8 = 0
            while recv(raw, &byte, 1, 0) > 0 {}
        }
    }

    package let port: UInt16
    private let listener: Int32
    private let listens: Bool
    private let accepted = Locked(0)

    /// The number of connections so far.
    package var connections: Int { accepted.withLock { $0 } }

    /// - Parameters:
    ///   - listens: Whether the port is open. A port that is not cannot be used by another test either.
    ///   - script: Runs on a thread of its own for each connection, which is closed afterwards.
    package init(listens: Bool = true, _ script: @escaping @Sendable (Peer) -> Void) {
        self.listens = listens
        listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        port = withUnsafeMutablePointer(to: &address) { [listener] pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                bind(listener, address, length)
                if listens { listen(listener, 64) }
                getsockname(listener, address, &length)
            }
            return UInt16(bigEndian: pointer.pointee.sin_port)
        }
        guard listens else { return }
        SystemThread.start(name: "receiver") { [listener, accepted] in
            while true {
                let raw = accept(listener, nil, nil)
                guard raw >= 0 else {
                    // Closed here, as this loop would otherwise accept the connections of the next owner of the number.
                    close(listener)
                    return
                }
                accepted.withLock { $0 += 1 }
                SystemThread.start(name: "peer") {
                    script(Peer(raw))
                    close(raw)
                }
            }
        }
    }

    deinit {
        shutdown(listener, Int32(SHUT_RDWR))
        if !listens { close(listener) }
    }
}
