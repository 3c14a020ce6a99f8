internal import CTLS

/// One TLS connection over a descriptor that somebody else owns and closes. One thread at a time uses it.
///
/// Unchecked: confined to the thread of its socket.
package final class TLSSession: @unchecked Sendable {
    /// The result of a step.
    package enum Outcome: Hashable, Sendable {
        /// The number of decrypted or written bytes; 0 at the end of the stream, and at the end of the handshake.
        case done(Int)
        case wantsRead
        case wantsWrite
        /// The connection cannot be used any more. The peer has been told why, if an alert could be written.
        case failed
    }

    /// What is known of the input.
    package struct Input: Hashable, Sendable {
        /// Before a step: whether `recv` may be called. After it: whether there may be more to read.
        package var mayRead: Bool
        /// Whether a `recv` that fills less than its buffer has emptied the descriptor.
        package var endsShort: Bool

        /// Creates the input of a descriptor. The default is right for a blocking one.
        package init(mayRead: Bool = true, endsShort: Bool = false) {
            self.mayRead = mayRead
            self.endsShort = endsShort
        }

        fileprivate mutating func step(_ body: (UnsafeMutablePointer<fogbase_tls_input>) -> Int) -> Outcome {
            var input = fogbase_tls_input(may_read: mayRead ? 1 : 0, ends_short: endsShort ? 1 : 0)
            let outcome = Outcome(body(&input))
            mayRead = input.may_read != 0
            return outcome
        }
    }

    private let session: OpaquePointer
    /// Keeps the context of a client.
    private let client: OpaquePointer?

    /// Creates the server's side of a connection; `nil` if memory is exhausted.
    package init?(of server: TLSServer, on descriptor: Int32) {
        guard let session = fogbase_tls_open(server.identity.context, descriptor, 1) else { return nil }
        self.session = session
        client = nil
    }

    /// Creates a client's side of a connection; `nil` if memory is exhausted.
    ///
    /// The client accepts every certificate. So it is only for servers on this machine.
    package init?(clientOn descriptor: Int32) {
        guard let context = fogbase_tls_client() else { return nil }
        guard let session = fogbase_tls_open(context, descriptor, 0) else {
            fogbase_tls_context_free(context)
            return nil
        }
        self.session = session
        client = context
    }

    deinit {
        fogbase_tls_free(session)
        if let client { fogbase_tls_context_free(client) }
    }

    /// Whether the session continues an earlier one of the client, without a signature.
    package var wasResumed: Bool { fogbase_tls_was_resumed(session) != 0 }

    /// Continues the handshake.
    package func shakeHands(_ input: inout Input) -> Outcome {
        let outcome = input.step { fogbase_tls_handshake(session, $0) }
        return outcome == .done(1) ? .done(0) : outcome
    }

    /// Reads and decrypts bytes, at most the size of `buffer`.
    package func read(into buffer: UnsafeMutableRawBufferPointer, _ input: inout Input) -> Outcome {
        input.step { fogbase_tls_read(session, buffer.baseAddress, buffer.count, $0) }
    }

    /// Encrypts and writes as many of `bytes` as the descriptor accepts. If not all were written, the next call must
    /// begin with the remaining ones, and have at least as many.
    ///
    /// - Parameter moreFollows: Whether the last packet may wait for the bytes of the next call.
    package func write(_ bytes: UnsafeRawBufferPointer, moreFollows: Bool = false) -> Outcome {
        Outcome(fogbase_tls_write(session, bytes.baseAddress, bytes.count, moreFollows ? 1 : 0))
    }

    /// Tells the peer that no more bytes follow, if it can be written without waiting.
    package func finish() {
        fogbase_tls_finish(session)
    }
}

extension TLSSession.Outcome {
    fileprivate init(_ result: Int) {
        switch result {
        case 0...: self = .done(result)
        case Int(FOGBASE_TLS_WANTS_READ): self = .wantsRead
        case Int(FOGBASE_TLS_WANTS_WRITE): self = .wantsWrite
        default: self = .failed
        }
    }
}
