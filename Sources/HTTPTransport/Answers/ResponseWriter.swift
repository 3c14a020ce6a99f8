import HTTP
import Sockets
import Threads

/// The output of one connection: gathers the bytes of answers, and hands them to the socket.
///
/// What has been gathered when the handler of a later request suspends goes out at the end of the loop's turn.
///
/// Unchecked: confined to the loop's thread.
final class ResponseWriter: @unchecked Sendable, EndOfTurn {
    let socket: LoopSocket
    let server: ServerLoop
    /// Bytes that have not been handed to the socket, from `outputStart` on. Empty while idle.
    var output: [UInt8] = []
    private var outputStart = 0
    /// Bytes that the socket has taken.
    private(set) var sentBytes = 0
    /// Bytes of an answer's body that wait for the peer, as the server loop counts them, and when it last took some.
    var heldBytes = 0
    private(set) var lastTaken: UInt64 = 0
    /// A handler works on an answer to a client that understands interim ones, and everything that it works on has come: the
    /// reset that a probe may bring takes away what was not read, such as the last bytes of an upload that broke off.
    var mayProbe = false

    /// How long the peer may still take nothing of the present output.
    private var timeout: TransferTimeout
    private var awaitsEndOfTurn = false

    /// What one call hands to the socket of a body, a twentieth of a millisecond's worth.
    private static let maxWriteBytes = 256 << 10

    init(_ socket: LoopSocket, on server: ServerLoop) {
        self.socket = socket
        self.server = server
        timeout = server.writeTimeout
    }

    /// Bytes that wait for the socket.
    var pendingBytes: Int { output.count - outputStart }

    /// Bytes of all answers so far, whether or not the socket has taken them.
    var writtenBytes: Int { sentBytes + pendingBytes }

    /// How an attempt to write ended.
    private enum Progress {
        case done
        case blocked
        case failed
    }

    /// Writes what the socket takes of the output, without waiting.
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

    /// Writes all of the output; `false` if the peer is gone or takes nothing.
    ///
    /// - Parameter moreFollows: More is written at once, in the same packet if it fits.
    func flush(moreFollows: Bool = false) async -> Bool {
        while true {
            switch writeOutput(moreFollows: moreFollows) {
            case .done: return true
            case .failed: return false
            case .blocked: guard await waitToWrite() else { return false }
            }
        }
    }

    /// Writes the output and then `body`, together, without copying `body`; `false` as for `flush`.
    ///
    /// A body that is not taken at once is counted; see `ServerLoop.hold`.
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

    /// Begins to fill the output, in a buffer of the loop's.
    func prepareOutput() {
        if output.isEmpty, output.capacity == 0 { output = server.takeOutput() }
    }

    /// Counts bytes that the socket took, `ofOutput` of them from the output.
    func didSend(_ count: Int, ofOutput: Int) {
        outputStart += ofOutput
        timeout.moved(count)
        lastTaken = server.loop.now
        sentBytes += count
        server.metrics.didSend(count)
    }

    /// All that there was has been written: the next answer has the whole timeout again.
    func releaseOutput() {
        outputStart = 0
        timeout = server.writeTimeout
        if output.capacity > 0 { server.giveBack(&output) }
    }

    /// Waits until the socket takes more. A peer that takes nothing, or too little over all its waits, is given up: it is
    /// reset, so that what it does not read leaves the kernel's memory.
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

    /// Others need the room that this answer takes: the client is reset, and the task that waits for it ends.
    func drop() {
        server.letGo(self)
        socket.reset()
    }

    // MARK: - At the end of a turn

    /// Has what there is written at the end of the turn: what comes next may suspend.
    func flushAtEndOfTurn() {
        if !output.isEmpty { registerForEndOfTurn() }
    }

    private func registerForEndOfTurn() {
        guard !awaitsEndOfTurn else { return }
        awaitsEndOfTurn = true
        server.loop.callAtEndOfTurn(self)
    }

    func turnDidEnd() {
        awaitsEndOfTurn = false
        if output.isEmpty { probe() } else { _ = writeOutput() }
    }

    /// Finds out whether a client that sends no more still reads, while its answer is being made.
    ///
    /// A client that gave its request up and closed looks as one does that has only half-closed, until something is sent to
    /// it: the kernel of the first answers with a reset, which cancels the handler. So it gets an interim answer, which any
    /// client must be able to read at any time (RFC 9110 §15.2).
    func probe() {
        guard mayProbe, socket.hasInputEnded, output.isEmpty else { return }
        output += ResponseEncoder.continueHead
        _ = writeOutput()
    }

    /// The same if the answer takes longer than this turn. Only for jobs: without one, no turn ends.
    func probeAtEndOfTurn() {
        if mayProbe, socket.hasInputEnded { registerForEndOfTurn() }
    }
}
