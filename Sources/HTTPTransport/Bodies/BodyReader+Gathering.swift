import HTTP
import Sockets

/// Pieces of a size that the handler picks.
extension BodyReader {
    /// What one body brings before others have their turn, if its client is as fast as the loop.
    private static let bytesPerTurn = 1 << 20

    func next(gathering count: Int) async throws(HTTPBodyError) -> [UInt8]? {
        precondition(count > 0, "A piece of a body has at least a byte")
        return try await onLoop { reader in
            await reader.run { () async throws(HTTPBodyError) in
                if let whole = reader.takeLeftover(count) { return whole }
                if case .identity = reader.coding, case .length(let left) = reader.framing {
                    reader.giveBack()
                    return try await reader.gatherUndecoded(min(count, left))
                }
                return try await reader.gatherDecoded(count)
            }
        }.get()
    }

    /// A body that is sent as it is goes from the socket straight into the piece.
    ///
    /// - Parameter count: No more than the body still has.
    private func gatherUndecoded(_ count: Int) async throws(HTTPBodyError) -> [UInt8] {
        var piece: [UInt8] = []
        // Pages that no byte comes for are never touched.
        piece.reserveCapacity(count)
        let pending = min(connection.pendingCount, count)
        if pending > 0 {
            piece.append(contentsOf: connection.pending[connection.pendingStart..<connection.pendingStart + pending])
            connection.consume(pending)
            try didTake(pending)
        }
        var readInTurn = 0
        while piece.count < count {
            try await awaitBytes(until: nil)
            switch read(count - piece.count, into: &piece) {
            case .bytes(let read):
                connection.didReceive(read)
                patience.moved(read)
                try didTake(read)
                readInTurn += read
                if readInTurn >= Self.bytesPerTurn, piece.count < count {
                    readInTurn = 0
                    await Task.yield()
                }
            case .wouldBlock:
                readInTurn = 0
            case .end, .failed:
                framing = .broken
                throw .disconnected
            }
        }
        return piece
    }

    private func read(_ count: Int, into piece: inout [UInt8]) -> LoopSocket.ReadResult {
        var result = LoopSocket.ReadResult.wouldBlock
        piece.append(addingCapacity: count) { span in
            span.withUnsafeMutableBufferPointer { room, initialized in
                let free = UnsafeMutableRawBufferPointer(
                    rebasing: UnsafeMutableRawBufferPointer(room)[initialized..<initialized + count])
                result = connection.socket.read(into: free)
                if case .bytes(let read) = result { initialized += read }
            }
        }
        return result
    }

    private func didTake(_ count: Int) throws(HTTPBodyError) {
        receivedBytes += count
        if case .length(let left) = framing { framing = count == left ? .finished : .length(left: left - count) }
        try reserve(count)
    }

    /// Chunks and what comes out of gzip are as long as they like: what is too much is kept for the next piece.
    private func gatherDecoded(_ count: Int) async throws(HTTPBodyError) -> [UInt8]? {
        var piece = takeLeftover() ?? []
        if piece.isEmpty { giveBack() }
        while piece.count < count {
            guard let more = try await decodedPiece(limit: server.configuration.maxDecompressedBytes) else { break }
            try reserve(more.count)
            if piece.isEmpty {
                piece = more
            } else {
                piece.append(contentsOf: more)
            }
        }
        if piece.count > count {
            leftover = piece
            leftoverStart = count
            return Array(piece[..<count])
        }
        return piece.isEmpty ? nil : piece
    }

    /// What is left of earlier pieces, `count` bytes of it or all; `nil` if there is nothing, or not as much.
    func takeLeftover(_ count: Int? = nil) -> [UInt8]? {
        let left = leftover.count - leftoverStart
        guard left > 0, left >= count ?? 1 else { return nil }
        // What the handler had before is gone; this and the rest stay counted.
        giveBack(keeping: left)
        let piece = Array(leftover[leftoverStart..<leftoverStart + (count ?? left)])
        leftoverStart += piece.count
        if leftoverStart == leftover.count {
            leftover = []
            leftoverStart = 0
        }
        return piece
    }

    // MARK: All of it

    /// The rest of a body that is not compressed, from the socket's bytes straight to the end of `all`.
    func collectUndecompressed(_ all: inout [UInt8], upTo limit: Int) async throws(HTTPBodyError) {
        while !isFinished {
            let count = all.count
            makeRoom(in: &all, upTo: min(expectedLength ?? limit, limit))
            try await fill(&all, until: nil)
            guard all.count <= limit else { throw .tooLarge(limit: limit) }
            try reserve(all.count - count)
        }
    }

    /// Grows a body's array by fours, but at first not beyond a megabyte on the strength of an announcement. Doubling, which
    /// an array does by itself, would copy all bytes once more: sixteen megabytes are four milliseconds then, most of them
    /// for memory that is new, and bodies that came in together grow together. Pages that no byte comes for are never touched.
    private func makeRoom(in all: inout [UInt8], upTo limit: Int) {
        let needed = all.count + server.input.count
        guard needed > all.capacity, all.capacity < limit else { return }
        let first = expectedLength ?? needed
        all.reserveCapacity(min(limit, max(needed, min(first, 1 << 20), all.capacity * 4)))
    }
}
