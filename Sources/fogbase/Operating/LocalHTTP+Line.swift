import Glibc
import TLS

extension LocalHTTP {
    /// A blocking connection, plain or encrypted.
    final class Line {
        private let descriptor: Int32
        private var session: TLSSession?

        /// Takes ownership of a connected descriptor, whose timeouts are set.
        init(_ descriptor: Int32) {
            self.descriptor = descriptor
        }

        deinit {
            session?.finish()
            close(descriptor)
        }

        /// Does the client's side of a TLS handshake. Returns `false` if that fails.
        func encrypt() -> Bool {
            guard let session = TLSSession(clientOn: descriptor) else { return false }
            self.session = session
            var input = TLSSession.Input()
            // The descriptor blocks, so a step that wants more has waited for the timeout.
            return session.shakeHands(&input) == .done(0)
        }

        /// Sends bytes. Returns `false` if that fails.
        func send(_ bytes: [UInt8]) -> Bool {
            if let session { return bytes.withUnsafeBytes { session.write($0) } == .done(bytes.count) }
            var sent = 0
            while sent < bytes.count {
                let count = bytes.withUnsafeBytes {
                    Glibc.send(descriptor, $0.baseAddress?.advanced(by: sent), $0.count - sent, Int32(MSG_NOSIGNAL))
                }
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { return false }
                sent += count
            }
            return true
        }

        /// Returns the next bytes; empty at the end of the connection, `nil` after an error or a timeout.
        func receive() -> [UInt8]? {
            var piece = [UInt8](repeating: 0, count: 16 << 10)
            if let session {
                var input = TLSSession.Input()
                let outcome = piece.withUnsafeMutableBytes { session.read(into: $0, &input) }
                guard case .done(let count) = outcome else { return nil }
                return Array(piece.prefix(count))
            }
            while true {
                let count = recv(descriptor, &piece, piece.count, 0)
                if count < 0, errno == EINTR { continue }
                return count < 0 ? nil : Array(piece.prefix(count))
            }
        }
    }
}
