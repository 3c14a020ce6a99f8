import Glibc
import HTTP
import Sockets

/// Pieces of a size that the handler picks.
extension BodyReader {
    /// What one body brings before others have their turn, if its client is as fast as the loop.
    private static let bytesPerTurn = 256 << 10
    private static let bytesPerTurnInCrowd = 32 << 10

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
        let pending = min(connection.pendingCount, count)
        if pending > 0 {
            piece.append(contentsOf: connection.pending[connection.pendingStart..<connection.pendingStart + pending])
            connection.consume(pending)
            try didTake(pending)
        }
        var readInTurn = 0
        while piece.count < count {
            try await awaitBytes(until: nil)
            let turn = server.loop.share(of: Self.bytesPerTurn, atLeast: Self.bytesPerTurnInCrowd)
            let left = max(turn - readInTurn, Self.bytesPerTurnInCrowd)
            switch read(min(count - piece.count, left), into: &piece) {
            case .bytes(let read):
                connection.didReceive(read)
                patience.moved(read)
                try didTake(read)
                readInTurn += read
                if readInTurn >= turn, piece.count < count {
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
        do throws(HTTPBodyError) {
            if case .gzip = coding {
                while try await decompress(atMost: .max, limit: limit, into: &all) {
                    guard all.count <= limit else { throw .tooLarge(limit: limit) }
                    if mayHaveMore { makeRoom(for: Self.decompressedPerTurn, in: &all, upTo: limit) }
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
        } catch {
            await forget(&all)
            throw error
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

    /// Lets go of what has come of a body that broke off. The system takes milliseconds to take back a large one, so it gets
    /// the pages in parts, between which others have their turn.
    private func forget(_ all: inout [UInt8]) async {
        let page = Int(sysconf(Int32(_SC_PAGESIZE)))
        var offset = 0
        while all.count - offset > Self.firstRoom {
            all.withUnsafeMutableBytes { bytes in
                guard let base = bytes.baseAddress else { return }
                // Whole pages that nothing but these bytes lies in.
                let start = (UInt(bitPattern: base) + UInt(offset + page - 1)) / UInt(page) * UInt(page)
                madvise(UnsafeMutableRawPointer(bitPattern: start), Self.firstRoom - page, MADV_DONTNEED)
            }
            offset += Self.firstRoom
            await Task.yield()
        }
        all = []
    }
}
