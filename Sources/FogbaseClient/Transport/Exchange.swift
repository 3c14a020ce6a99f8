internal import Foundation
#if canImport(FoundationNetworking)
    internal import FoundationNetworking
#endif

/// A request and the received part of its response.
///
/// Sendable is unchecked, because a lock protects the state.
final class Exchange: @unchecked Sendable {
    /// The number of unread bytes at which the exchange pauses the transfer, so that TCP flow control stops the server.
    private static let fullBytes = 1 << 20

    #if canImport(FoundationNetworking)
        /// Whether a transfer can be paused. In FoundationNetworking, resuming a suspended task can restart the
        /// transfer, and bytes arrive twice. The client therefore requests large bodies in ranges that fit into memory.
        private static let canPause = false
    #else
        private static let canPause = true
    #endif

    fileprivate struct State {
        var head: TransportResponse?
        var parts: [Data] = []
        var partsBytes = 0
        var isPaused = false
        var end: Result<Void, any Error>?
        var headWaiter: CheckedContinuation<TransportResponse, any Error>?
        var partWaiter: CheckedContinuation<Data?, any Error>?
    }

    private let task: URLSessionTask
    /// A reference that keeps the session alive until the response has been read.
    private let session: TransportSession
    private let collects: Bool
    private let lock = NSLock()
    private var state = State()

    init(_ task: URLSessionTask, of session: TransportSession, collects: Bool) {
        self.task = task
        self.session = session
        self.collects = collects
    }

    // MARK: For the caller

    /// Returns the response, with its body if the exchange collects it.
    ///
    /// - Throws: `TransportError` or `CancellationError`.
    func head() async throws -> TransportResponse {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { waiter in
                let known: Result<TransportResponse, any Error>? = lock.withLock {
                    if let known = state.known(collects) { return known }
                    state.headWaiter = waiter
                    return nil
                }
                if let known { waiter.resume(with: known) }
            }
        } onCancel: {
            cancel()
        }
    }

    /// Returns the next part of the body; `nil` at its end.
    ///
    /// - Throws: `TransportError` if the body ended too early; `CancellationError`.
    func nextPart() async throws -> Data? {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { waiter in
                let known: Result<Data?, any Error>? = lock.withLock {
                    guard state.parts.isEmpty else { return .success(takeParts()) }
                    if let end = state.end { return end.map { nil } }
                    state.partWaiter = waiter
                    return nil
                }
                if let known { waiter.resume(with: known) }
            }
        } onCancel: {
            cancel()
        }
    }

    /// Cancels the request, and closes its connection unless the response is complete.
    func cancel() {
        task.cancel()
        end(.failure(CancellationError()))
    }

    // MARK: For the session

    func receive(_ response: URLResponse) {
        guard let response = response as? HTTPURLResponse else { return }
        var fields: [String: String] = [:]
        for (name, value) in response.allHeaderFields {
            guard let name = name as? String, let value = value as? String else { continue }
            fields[name.lowercased()] = value
        }
        let head = TransportResponse(status: response.statusCode, fields: fields)
        let waiter = lock.withLock { () -> CheckedContinuation<TransportResponse, any Error>? in
            guard state.head == nil else { return nil }
            state.head = head
            guard !collects else { return nil }
            defer { state.headWaiter = nil }
            return state.headWaiter
        }
        waiter?.resume(returning: head)
    }

    func receive(_ data: Data) {
        let waiter = lock.withLock { () -> CheckedContinuation<Data?, any Error>? in
            guard state.end == nil else { return nil }
            if collects {
                state.head?.body.append(data)
                return nil
            }
            if let waiter = state.partWaiter {
                state.partWaiter = nil
                return waiter
            }
            state.parts.append(data)
            state.partsBytes += data.count
            if state.partsBytes >= Self.fullBytes, Self.canPause, !state.isPaused {
                state.isPaused = true
                task.suspend()
            }
            return nil
        }
        waiter?.resume(returning: data)
    }

    func finish(_ error: (any Error)?) {
        if let error {
            end(.failure(Self.translate(error)))
        } else {
            end(
                lock.withLock { state.head == nil }
                    ? .failure(TransportError.responseLost("The connection ended before a response came"))
                    : .success(())
            )
        }
    }

    private func end(_ end: Result<Void, any Error>) {
        lock.withLock { () -> (() -> Void)? in
            guard state.end == nil else { return nil }
            state.end = end
            let (headWaiter, partWaiter) = (state.headWaiter, state.partWaiter)
            (state.headWaiter, state.partWaiter) = (nil, nil)
            let known = state.known(collects)
            return {
                if let known { headWaiter?.resume(with: known) }
                partWaiter?.resume(with: end.map { nil })
            }
        }?()
    }

    /// Removes and returns all unread bytes. The caller must hold the lock.
    private func takeParts() -> Data {
        var data = Data(capacity: state.partsBytes)
        for part in state.parts { data.append(part) }
        state.parts.removeAll(keepingCapacity: true)
        state.partsBytes = 0
        if state.isPaused {
            state.isPaused = false
            task.resume()
        }
        return data
    }

    /// Translates an error of URLSession. The error code shows whether the request can have reached the server.
    private static func translate(_ error: any Error) -> any Error {
        let failure = error as NSError
        let why = failure.localizedDescription
        guard failure.domain == NSURLErrorDomain else { return TransportError.responseLost(why) }
        switch failure.code {
        case NSURLErrorCancelled: return CancellationError()
        case NSURLErrorCannotFindHost, NSURLErrorDNSLookupFailed, NSURLErrorCannotConnectToHost,
            NSURLErrorNotConnectedToInternet, NSURLErrorSecureConnectionFailed, NSURLErrorServerCertificateUntrusted,
            NSURLErrorServerCertificateHasBadDate, NSURLErrorServerCertificateHasUnknownRoot,
            NSURLErrorServerCertificateNotYetValid, NSURLErrorUnsupportedURL, NSURLErrorBadURL,
            NSURLErrorInternationalRoamingOff, NSURLErrorCallIsActive, NSURLErrorDataNotAllowed:
            return TransportError.unreachable(why)
        default: return TransportError.responseLost(why)
        }
    }
}

extension Exchange.State {
    /// The result of `head()`; `nil` while neither a result nor an error has arrived.
    fileprivate func known(_ collects: Bool) -> Result<TransportResponse, any Error>? {
        if case .failure(let error)? = end, collects || head == nil { return .failure(error) }
        guard let head, !collects || end != nil else { return nil }
        return .success(head)
    }
}
