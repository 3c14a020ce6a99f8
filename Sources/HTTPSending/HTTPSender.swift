internal import CCurl
internal import Threads

/// Sends requests to other servers, many at the same time, on one thread of its own.
///
/// Redirects are not followed: the policy and the signature are for the URL that was given. Certificates are verified.
/// The environment cannot name a proxy.
///
/// Unchecked: `multi` is used only on the sender's thread, except by `curl_multi_wakeup`, which any thread may call
/// while `state` says that the thread runs.
public final class HTTPSender: @unchecked Sendable {
    private struct State {
        var waiting: [Submission] = []
        var isClosed = false
        var hasEnded = false
        var enders: [CheckedContinuation<Void, Never>] = []
    }

    private let policy: AddressPolicy
    private let limits: SendingLimits
    private let agent: String
    private let authorities: String?
    private let state = Locked(State())
    private let multi: UnsafeMutableRawPointer

    /// libcurl needs to be initialized once per process.
    private static let isReady = curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK

    /// Starts the thread.
    ///
    /// - Parameters:
    ///   - agent: The value of the field User-Agent.
    ///   - authorities: The path of a file with certificate authorities; `nil` for those of the system.
    ///   - threadName: The name of the thread.
    public init(
        _ policy: AddressPolicy, limits: SendingLimits = SendingLimits(), agent: String, authorities: String? = nil,
        threadName: String = "fog-webhooks"
    ) {
        precondition(Self.isReady, "libcurl cannot be initialized")
        guard let multi = curl_multi_init() else { preconditionFailure("No memory for libcurl") }
        self.policy = policy
        self.limits = limits
        self.agent = agent
        self.authorities = authorities
        self.multi = multi
        fogbase_curl_multi_set_number(multi, CURLMOPT_PIPELINING, Int(CURLPIPE_NOTHING))
        fogbase_curl_multi_set_number(multi, CURLMOPT_MAXCONNECTS, limits.requests)
        SystemThread.start(name: threadName) { self.run() }
    }

    /// Sends a request.
    ///
    /// - Returns: The response, with any status.
    public func send(_ request: OutgoingRequest) async throws(SendingFailure) -> IncomingResponse {
        let result = await withCheckedContinuation { continuation in
            let transfer = Submission(Transfer(request, policy, limits, continuation))
            let isAccepted = state.withLock { state in
                guard !state.isClosed else { return false }
                state.waiting.append(transfer)
                curl_multi_wakeup(multi)
                return true
            }
            if !isAccepted { transfer.transfer.fail(.closed) }
        }
        return try result.get()
    }

    /// Ends all requests at once, and the thread.
    public func close() async {
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            let hasEnded = state.withLock { state in
                state.isClosed = true
                if state.hasEnded { return true }
                state.enders.append(continuation)
                curl_multi_wakeup(multi)
                return false
            }
            if hasEnded { continuation.resume() }
        }
    }

    // MARK: The thread

    private func run() {
        var running: [UnsafeMutableRawPointer: Transfer] = [:]
        while true {
            let room = limits.requests - running.count
            let next = state.withLock { state -> [Submission]? in
                if state.isClosed { return nil }
                let taken = Array(state.waiting.prefix(room))
                state.waiting.removeFirst(taken.count)
                return taken
            }
            guard let next else { break }
            for submission in next { start(submission.transfer, &running) }
            var count: Int32 = 0
            curl_multi_perform(multi, &count)
            if finishTransfers(&running) { continue }
            curl_multi_poll(multi, nil, 0, 1_000, nil)
        }
        end(running)
    }

    private func start(_ transfer: Transfer, _ running: inout [UnsafeMutableRawPointer: Transfer]) {
        guard let handle = transfer.makeHandle(agent: agent, authorities: authorities),
            curl_multi_add_handle(multi, handle) == CURLM_OK
        else { return transfer.fail(.failed("The request could not be started")) }
        running[handle] = transfer
    }

    /// Returns whether any transfer has ended.
    private func finishTransfers(_ running: inout [UnsafeMutableRawPointer: Transfer]) -> Bool {
        var hasEnded = false
        var left: Int32 = 0
        while let message = curl_multi_info_read(multi, &left) {
            guard message.pointee.msg == CURLMSG_DONE, let handle = message.pointee.easy_handle else { continue }
            // The message is invalid after the handle has been removed.
            let code = fogbase_curl_result(message)
            curl_multi_remove_handle(multi, handle)
            running.removeValue(forKey: handle)?.finish(code)
            hasEnded = true
        }
        return hasEnded
    }

    private func end(_ running: [UnsafeMutableRawPointer: Transfer]) {
        for (handle, transfer) in running {
            curl_multi_remove_handle(multi, handle)
            transfer.fail(.closed)
        }
        let (waiting, enders) = state.withLock { state in
            state.hasEnded = true
            defer {
                state.waiting = []
                state.enders = []
            }
            return (state.waiting, state.enders)
        }
        for submission in waiting { submission.transfer.fail(.closed) }
        curl_multi_cleanup(multi)
        for ender in enders { ender.resume() }
    }
}

/// A transfer on its way to the sender's thread.
///
/// Unchecked: only one thread has it at a time.
private struct Submission: @unchecked Sendable {
    let transfer: Transfer

    init(_ transfer: Transfer) {
        self.transfer = transfer
    }
}
