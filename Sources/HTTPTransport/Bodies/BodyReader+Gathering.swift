import Glibc
import HTTP
import Sockets

/// Pieces of a size that the handler picks.
extension BodyReader {
    /// What one call reads of a body, a twentieth of a millisecond's worth.
    private static let maxReadBytes = 256 << 10

    func next(
        gathering count: Int, in room: @escaping @Sendable (Int) -> [UInt8]
    ) async throws(HTTPBodyError) -> [UInt8]? {
        precondition(count > 0, "A piece of a body has at least a byte")
        return try await onLoop { reader in
            await reader.run { () async throws(HTTPBodyError) in
                if let whole = reader.takeLeftover(count) { return whole }
                if case .identity = reader.coding, case .length(let left) = reader.framing {
                    reader.giveBack()
                    return try await reader.gatherUndecoded(min(count, left), in: room)
                }
                if case .gzip = reader.coding { return try await reader.gatherDecompressed(count, in: room) }
                return try await reader.gatherChunks(count)
            }
        }.get()
    }

    /// A body that is sent as it is goes from the socket straight into the piece.
    ///
    /// - Parameter count: No more than the body still has.
    private func gatherUndecoded(
        _ count: Int, in room: @Sendable (Int) -> [UInt8]
    ) async throws(HTTPBodyError) -> [UInt8] {
        var piece = room(count)
        // Pages that no byte comes for are never touched.
        piece.reserveCapacity(count)
        let present = min(connection.input.count, count)
        if present > 0 {
            piece.append(contentsOf: connection.input.take(present))
            try didTake(present)
        }
        while piece.count < count {
            try await awaitBytes(until: nil)
            switch read(min(count - piece.count, Self.maxReadBytes), into: &piece) {
            case .bytes(let read):
                connection.didReceive(read)
                timeout.moved(read)
                try didTake(read)
                if piece.count < count { await server.loop.yieldIfTimeSliceIsOver() }
            case .wouldBlock: break
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

    /// What comes out of gzip goes straight into the piece.
    private func gatherDecompressed(
        _ count: Int, in room: @Sendable (Int) -> [UInt8]
    ) async throws(HTTPBodyError) -> [UInt8]? {
        giveBack()
        let limit = server.configuration.maxDecompressedBytes
        var piece = room(count)
        while piece.count < count {
            guard try await decompress(atMost: count - piece.count, limit: limit, into: &piece) else { break }
        }
        return piece.isEmpty ? nil : piece
    }

    /// Chunks are as long as they like: what is too much is kept for the next piece.
    private func gatherChunks(_ count: Int) async throws(HTTPBodyError) -> [UInt8]? {
        var piece = takeLeftover() ?? []
        if piece.isEmpty { giveBack() }
        while piece.count < count {
            guard let more = try await rawPiece() else { break }
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

    /// What is taken on the strength of an announcement alone.
    private static let firstRoom = 1 << 20

    /// The rest of the body, from the socket's bytes or from what they were compressed from straight to the end of `all`.
    func collectRest(_ all: inout [UInt8], upTo limit: Int) async throws(HTTPBodyError) {
        if case .gzip = coding {
            while try await decompress(atMost: .max, limit: limit, into: &all) {
                guard all.count <= limit else { throw .tooLarge(limit: limit) }
                if mayHaveMore { makeRoom(for: Self.maxStepOutput, in: &all, upTo: limit) }
            }
            return
        }
        while !isFinished {
            let count = all.count
            makeRoom(for: server.input.count, in: &all, upTo: limit)
            try await fill(&all, until: nil)
            guard all.count <= limit else { throw .tooLarge(limit: limit) }
            try reserve(all.count - count)
        }
    }

    /// Grows a body's array by doubling up to a megabyte, and then by sixteens, as far as the body can go: pages that no byte
    /// comes for are never touched. Doubling to the end would copy every byte once more, most of it into new memory, which
    /// costs four times of the copy; and bodies that began together grow together.
    ///
    /// - Parameter count: The most that comes at once.
    private func makeRoom(for count: Int, in all: inout [UInt8], upTo limit: Int) {
        let needed = all.count + count
        // What comes at once may pass the limit: finding that out must not grow the array.
        let most = expectedLength ?? max(limit, limit &+ count)
        guard needed > all.capacity, all.capacity < most else { return }
        let announced = min(expectedLength ?? 0, Self.firstRoom)
        let growth = needed > Self.firstRoom ? 16 : 2
        all.reserveCapacity(min(most, max(needed, announced, all.capacity * growth)))
    }
}
