import HTTP
import Sockets
import Threads

/// Collects the response bytes of one connection and writes them to the socket.
///
/// If the handler of a later request suspends, the collected output is written at the end of the loop turn.
///
/// Unchecked: all state is confined to the loop's thread.
final class ResponseWriter: @unchecked Sendable, LoopIterationObserver {
    let socket: LoopSocket
    let server: ServerLoop
    /// The bytes not yet written to the socket, from index `outputStart` on. Empty while the connection is idle.
    var output: [UInt8] = []
    private var outputStart = 0
    /// How many bytes have been written to the socket.
    private(set) var sentBytes = 0
    /// The bytes of a response body that wait for the peer, as counted by the server loop. `lastTaken` is the time at
    /// which the peer last accepted bytes.
    var heldBytes = 0
    private(set) var lastTaken: UInt64 = 0
    /// Whether `probe` may send an interim response. The handler must be running, the client must support interim
    /// responses, and the whole request must have been read: a probe can cause a reset, which discards unread input
    /// such as the last bytes of an interrupted upload.
    var mayProbe = false
    /// The source of the events that are being sent.
    var events: (any HTTPEventSource)?

    /// How long the peer may still delay the current output.
    private var timeout: TransferTimeout
    private var awaitsEndOfTurn = false

    /// The maximum number of bytes of a body per write: a twentieth of a millisecond of CPU time.
    private static let maxWriteBytes = 256 << 10

    init(_ socket: LoopSocket, on server: ServerLoop) {
        self.socket = socket
        self.server = server
        timeout = server.writeTimeout
    }

    /// How many bytes are not yet written to the socket.
    var pendingBytes: Int { output.count - outputStart }

    /// How many bytes all responses so far have, written to the socket or not.
    var writtenBytes: Int { sentBytes + pendingBytes }

    /// The result of an attempt to write.
    private enum Progress {
        case done
        case blocked
        case failed
    }

    /// Writes as many bytes of the output as the socket accepts, without waiting.
    private func writeOutput(moreFollows: Bool = false) -> Progress {
        while outputStart < output.count {
            let result = output.withUnsafeBytes { bytes in
                socket.write(UnsafeRawBufferPointer(rebasing: bytes[outputStart...]), moreFollows: moreFollows)
            }
            switch result {
            case .wrote(let count): didSend(count, ofOutput: count)
            case .wouldBlock: return .blocked
            case .failed: return .failed
            }
        }
        releaseOutput()
        return .done
    }

    /// Writes all output. Returns `false` if the peer disconnected or does not read.
    ///
    /// - Parameter moreFollows: Whether the caller writes more immediately afterwards, in the same packet if it fits.
    func flush(moreFollows: Bool = false) async -> Bool {
        while true {
            switch writeOutput(moreFollows: moreFollows) {
            case .done: return true
            case .failed: return false
            case .blocked: guard await waitToWrite() else { return false }
            }
        }
    }

    /// Writes the output and `body` together, without copying `body`. Returns `false` if the peer disconnected or does
    /// not read.
    ///
    /// If the socket does not accept the whole body at once, the body is counted; see `ServerLoop.hold`.
    func flush(with body: [UInt8]) async -> Bool {
        var offset = 0
        lastTaken = server.loop.now
        defer { server.letGo(self) }
        while true {
            let outputLeft = pendingBytes
            guard outputLeft > 0 || offset < body.count else {
                releaseOutput()
                return true
            }
            let end = min(body.count, offset + Self.maxWriteBytes)
            let result = output.withUnsafeBytes { head in
                body.withUnsafeBytes { tail in
                    socket.write(
                        UnsafeRawBufferPointer(rebasing: head[outputStart...]),
                        UnsafeRawBufferPointer(rebasing: tail[offset..<end]))
                }
            }
            var isBlocked = false
            switch result {
            case .wrote(let count):
                let ofOutput = min(count, outputLeft)
                didSend(count, ofOutput: ofOutput)
                offset += count - ofOutput
            case .wouldBlock: isBlocked = true
            case .failed: return false
            }
            guard offset < body.count else { continue }
            if heldBytes == 0, !server.hold(body.count, for: self) {
                socket.reset()
                return false
            }
            if isBlocked {
                guard await waitToWrite() else { return false }
            } else {
                await server.loop.yieldIfTimeSliceIsOver()
            }
        }
    }

    /// Prepares the output for appending. The output uses a buffer of the loop.
    func prepareOutput() {
        if output.isEmpty, output.capacity == 0 { output = server.takeOutput() }
    }

    /// Counts bytes that the socket accepted. `ofOutput` of these bytes are from the output.
    func didSend(_ count: Int, ofOutput: Int) {
        outputStart += ofOutput
        timeout.moved(count)
        lastTaken = server.loop.now
        sentBytes += count
        server.metrics.didSend(count)
    }

    /// Returns the empty output buffer to the loop, and resets the timeout for the next response.
    func releaseOutput() {
        outputStart = 0
        timeout = server.writeTimeout
        if output.capacity > 0 { server.giveBack(&output) }
    }

    /// Waits until the socket accepts more bytes. Resets the connection of a peer that reads nothing, or too little in
    /// total, so that the peer's unread data is removed from the kernel's memory.
    func waitToWrite() async -> Bool {
        let start = server.loop.now
        let wait = Duration.nanoseconds(Int64(clamping: timeout.left))
        switch await socket.waitWritable(until: .after(wait, from: start)) {
        case .ready:
            timeout.waited(server.loop.now - start)
            return true
        case .timeout:
            socket.reset()
            return false
        case .cancelled:
            return false
        }
    }

    /// Resets the connection and releases its response, so that other responses have room. The task that waits to write
    /// ends.
    func drop() {
        server.letGo(self)
        socket.reset()
    }

    // MARK: - At the end of a loop turn

    /// Schedules a write of the output at the end of the loop turn, in case the caller suspends.
    func flushAtEndOfTurn() {
        if !output.isEmpty { registerForEndOfTurn() }
    }

    private func registerForEndOfTurn() {
        guard !awaitsEndOfTurn else { return }
        awaitsEndOfTurn = true
        server.loop.callAtEndOfIteration(self)
    }

    func iterationDidEnd() {
        awaitsEndOfTurn = false
        if output.isEmpty { probe() } else { _ = writeOutput() }
    }

    /// Called when the client has closed its sending side. A client of an event stream that does so has left.
    func inputDidEnd() {
        if let events { events.clientDidLeave() } else { probe() }
    }

    /// Tests whether a client that has closed its sending side still reads. Used while the client's response is being
    /// made.
    ///
    /// A client that closed the connection looks the same as a client that only half-closed, until the server sends
    /// data. The kernel of a client that closed then sends a reset, which cancels the handler. So the server sends an
    /// interim response, which clients must accept at any time (RFC 9110 §15.2).
    func probe() {
        guard mayProbe, socket.hasInputEnded, output.isEmpty else { return }
        output += ResponseEncoder.continueHead
        _ = writeOutput()
    }

    /// Schedules a probe at the end of the loop turn. Call this from a task of the loop: a turn ends only after a task.
    func probeAtEndOfTurn() {
        if mayProbe, socket.hasInputEnded { registerForEndOfTurn() }
    }
}
