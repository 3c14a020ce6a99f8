import Glibc
package import TLS
package import Threads

/// Encrypted connections. A plain connection pays for them with one comparison per read and write.
extension LoopSocket {
    /// The result of the server's side of a handshake.
    package enum HandshakeResult: Hashable, Sendable {
        /// The connection is encrypted. A resumed session has cost no signature.
        case done(isResumed: Bool)
        /// The peer sends HTTP without TLS. Nothing of it has been read, and the connection is a plain one.
        case plainText
        /// The peer has left, was too slow, or accepts no common version, cipher and protocol. It has been told, if it
        /// speaks TLS.
        case failed
    }

    /// The first byte of a TLS handshake (RFC 8446 §5.1).
    private static let handshakeRecord: UInt8 = 22
    /// How much of a file is encrypted at once. The socket accepts about this much when it becomes writable.
    private static let maxFileBytes = 64 << 10

    /// Whether the connection is encrypted, or was to be.
    package var isEncrypted: Bool { tls != nil }

    /// Does the server's side of a handshake.
    ///
    /// - Parameters:
    ///   - turn: Called before each step that may cost a signature, to wait for this connection's turn.
    package func shakeHands(
        as server: TLSServer, until deadline: Deadline, turn: () async -> Void
    ) async -> HandshakeResult {
        guard let first = await firstByte(until: deadline) else { return .failed }
        guard first == Self.handshakeRecord else {
            // The methods of HTTP are in upper case.
            return (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(first) ? .plainText : .failed
        }
        guard let session = TLSSession(of: server, on: raw) else { return .failed }
        tls = session
        while true {
            await turn()
            guard !isClosed, !isHungUp, !deadline.hasPassed(at: loop.now) else { return .failed }
            switch step({ session.shakeHands(&$0) }) {
            case .done: return .done(isResumed: session.wasResumed)
            case .failed: return .failed
            case .wantsRead: guard await waitReadable(until: deadline) == .ready else { return .failed }
            case .wantsWrite:
                watchWrites()
                guard await waitWritable(until: deadline) == .ready else { return .failed }
            }
        }
    }

    /// Waits for the first byte and leaves it in the kernel; `nil` if none comes.
    private func firstByte(until deadline: Deadline) async -> UInt8? {
        var byte: UInt8 = 0
        while await waitReadable(until: deadline) == .ready {
            let count = recv(raw, &byte, 1, Int32(MSG_PEEK))
            let code = errno
            if count == 1 { return byte }
            guard count < 0, code == EAGAIN || code == EINTR else { return nil }
            if code == EAGAIN { mayRead = false }
        }
        return nil
    }

    private func step(_ body: (inout TLSSession.Input) -> TLSSession.Outcome) -> TLSSession.Outcome {
        // An end of the stream that arrived together with bytes causes no separate event.
        var input = TLSSession.Input(mayRead: mayRead, endsShort: !hasInputEnded)
        let outcome = body(&input)
        mayRead = input.mayRead
        return outcome
    }

    func decrypt(_ session: TLSSession, into buffer: UnsafeMutableRawBufferPointer) -> ReadResult {
        guard raw >= 0 else { return .end }
        switch step({ session.read(into: buffer, &$0) }) {
        case .done(0): return .end
        case .done(let count): return .bytes(count)
        case .wantsRead: return .wouldBlock
        // Only a peer that reads nothing and asks for a new key gets here.
        case .wantsWrite, .failed: return .failed(.system(call: "TLS", errno: EPROTO))
        }
    }

    func encrypt(_ session: TLSSession, _ bytes: UnsafeRawBufferPointer, moreFollows: Bool = false) -> WriteResult {
        switch session.write(bytes, moreFollows: moreFollows) {
        case .done(let count): return .wrote(count)
        case .wantsWrite:
            watchWrites()
            return .wouldBlock
        case .wantsRead, .failed: return .failed(.system(call: "TLS", errno: EPROTO))
        }
    }

    func encrypt(
        _ session: TLSSession, _ first: UnsafeRawBufferPointer, _ second: UnsafeRawBufferPointer
    ) -> WriteResult {
        guard !first.isEmpty else { return encrypt(session, second) }
        let head = encrypt(session, first, moreFollows: !second.isEmpty)
        guard case .wrote(first.count) = head, case .wrote(let more) = encrypt(session, second) else { return head }
        return .wrote(first.count + more)
    }

    /// Reads a slice of a file and encrypts it. After a slice that was not accepted, the next call reads it again.
    func encryptFile(_ session: TLSSession, _ descriptor: Int32, at offset: Int, count: Int) -> WriteResult {
        withUnsafeTemporaryAllocation(byteCount: min(count, Self.maxFileBytes), alignment: 16) { buffer in
            while true {
                let read = pread(descriptor, buffer.baseAddress, buffer.count, off_t(offset))
                if read > 0 { return encrypt(session, UnsafeRawBufferPointer(rebasing: buffer[..<read])) }
                if read == 0 { return .wrote(0) }
                if errno != EINTR { return .failed(.last("pread")) }
            }
        }
    }
}
