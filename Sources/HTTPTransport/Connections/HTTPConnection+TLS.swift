import HTTP
import Sockets
import TLS
import Threads

/// The start of an encrypted connection.
extension HTTPConnection {
    private static let plainRequest = HTTPRejection(
        .badRequest, "This port speaks HTTPS, and the request came without TLS. Use a URL that begins with https://")

    /// Does the handshake. Responds to a client that speaks plain HTTP. Returns `false` if the connection must end.
    func shakeHands(as tls: TLSServer) async -> Bool {
        isIdle = true
        let result = await socket.shakeHands(
            as: tls, until: .after(server.configuration.deadlines.head, from: server.loop.now),
            turn: server.handshakes.turn)
        isIdle = false
        switch result {
        case .done(let isResumed):
            server.metrics.handshakeDidEnd(isResumed ? \.resumed : \.full)
            return true
        case .plainText: await reject(Self.plainRequest)
        // The client can read the alert that says why.
        case .failed: lingers = socket.isEncrypted
        }
        server.metrics.handshakeDidEnd(\.failed)
        return false
    }
}
