import HTTP
import Sockets
import Threads

/// Handing answers to the socket.
extension HTTPConnection {
    /// How an attempt to write ended.
    enum Progress {
        case done
        case blocked
        case failed
    }

    /// Writes what the socket takes of the output, without waiting.
    func writeOutput(moreFollows: Bool = false) -> Progress {
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

    /// What one answer hands to a socket that takes it before others have their turn, a tenth of a millisecond's worth.
    private static let bytesPerTurn = 512 << 10
    private static let bytesPerTurnInCrowd = 64 << 10

    /// Writes the output and then `body`, together, without copying `body`; `false` as for `flush`.
    ///
    /// A body that is not taken in one turn is counted; see `ServerLoop.hold`.
    func flush(with body: [UInt8]) async -> Bool {
        var offset = 0
        var writtenInTurn = 0
        lastTaken = server.loop.now
        defer { server.letGo(self) }
        while true {
            let outputLeft = output.count - outputStart
            guard outputLeft > 0 || offset < body.count else {
                releaseOutput()
                return true
            }
            let turn = server.loop.share(of: Self.bytesPerTurn, atLeast: Self.bytesPerTurnInCrowd)
            let end = min(body.count, offset + max(turn - writtenInTurn, Self.bytesPerTurnInCrowd))
            let result = output.withUnsafeBytes { head in
                body.withUnsafeBytes { tail in
                    socket.write(
                        UnsafeRawBufferPointer(rebasing: head[outputStart...]),
                        UnsafeRawBufferPointer(rebasing: tail[offset..<end]))
                }
            }
            switch result {
            case .wrote(let count):
                let ofOutput = min(count, outputLeft)
                didSend(count, ofOutput: ofOutput)
                offset += count - ofOutput
                writtenInTurn += count
                if writtenInTurn >= turn, offset < body.count {
                    writtenInTurn = 0
                    if heldBytes == 0, !server.hold(body.count, for: self) {
                        socket.reset()
                        return false
                    }
                    await Task.yield()
                }
            case .wouldBlock:
                writtenInTurn = 0
                if heldBytes == 0, !server.hold(body.count, for: self) {
                    socket.reset()
                    return false
                }
                guard await waitToWrite() else { return false }
            case .failed: return false
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
        writePatience.moved(count)
        lastTaken = server.loop.now
        sentBytes += count
        server.metrics.didSend(count)
    }

    /// All that there was has been written: the next answer has the peer's whole patience again.
    func releaseOutput() {
        outputStart = 0
        writePatience = server.writePatience
        if output.capacity > 0 { server.giveBack(&output) }
    }

    /// Waits until the socket takes more. A peer that takes nothing, or too little over all its waits, is given up: it is
    /// reset, so that what it does not read leaves the kernel's memory.
    func waitToWrite() async -> Bool {
        let start = server.loop.now
        let wait = Duration.nanoseconds(Int64(clamping: writePatience.left))
        switch await socket.waitWritable(until: .after(wait, from: start)) {
        case .ready:
            writePatience.waited(server.loop.now - start)
            if !isKnownReader {
                isKnownReader = true
                socket.limitUnsent(ServerLoop.maxUnsentBytes)
            }
            return true
        case .timeout:
            socket.reset()
            return false
        case .cancelled:
            return false
        }
    }
}
