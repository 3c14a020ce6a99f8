import TLS
import TestSupport

/// A blocking client with TLS.
final class EncryptedClient {
    let raw: RawClient
    private let session: TLSSession

    struct Failed: Error {
        let step: String
    }

    init(port: UInt16, receiveBuffer: Int32? = nil) throws {
        raw = try RawClient(port: port, receiveBuffer: receiveBuffer)
        guard let session = TLSSession(clientOn: raw.descriptor) else { throw Failed(step: "open") }
        self.session = session
        var input = TLSSession.Input()
        guard session.shakeHands(&input) == .done(0) else { throw Failed(step: "handshake") }
    }

    func send(_ bytes: [UInt8]) throws {
        guard bytes.withUnsafeBytes({ session.write($0) }) == .done(bytes.count) else { throw Failed(step: "send") }
    }

    func send(_ text: String) throws {
        try send(Array(text.utf8))
    }

    /// The next bytes; empty at the end of the stream.
    func receive(upTo limit: Int = 1 << 16) throws -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: limit)
        var input = TLSSession.Input()
        let outcome = bytes.withUnsafeMutableBytes { session.read(into: $0, &input) }
        guard case .done(let count) = outcome else { throw Failed(step: "receive: \(outcome)") }
        return Array(bytes[..<count])
    }

    func receiveAll() throws -> [UInt8] {
        var all: [UInt8] = []
        while true {
            let piece = try receive()
            if piece.isEmpty { return all }
            all += piece
        }
    }

    func receive(until text: String) throws -> String {
        var all = ""
        while !all.contains(text) {
            let piece = try receive()
            guard !piece.isEmpty else { throw Failed(step: "The stream ended after: \(all)") }
            all += String(decoding: piece, as: UTF8.self)
        }
        return all
    }
}

extension TLSServer {
    /// A server with the certificate of the tests.
    static func forTests() throws -> TLSServer {
        TLSServer(
            try TLSIdentity(
                certificates: Array(TestCertificates.certificate.utf8), key: Array(TestCertificates.key.utf8)))
    }
}
