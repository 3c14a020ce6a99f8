import Glibc
import HTTP
import Sockets

/// Reads the body in pieces of a size that the handler chooses.
extension BodyReader {
    /// The maximum number of bytes per read of a body: a twentieth of a millisecond of CPU time.
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

    /// Reads an uncompressed body with a length from the socket directly into the piece.
    ///
    /// - Parameter count: The size of the piece in bytes; at most the unread bytes of the body.
    private func gatherUndecoded(
        _ count: Int, in room: @Sendable (Int) -> [UInt8]
    ) async throws(HTTPBodyError) -> [UInt8] {
        var piece = room(count)
        // The system allocates no memory for pages that receive no byte.
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

    /// Decompresses gzip directly into the piece.
    ///
    /// - Throws: The errors of `decompress`.
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

    /// Collects chunks, which can have any length. Bytes beyond `count` are kept for the next piece.
    ///
    /// - Throws: The errors of `rawPiece`; `overloaded` if the budget is used up.
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

    /// Returns exactly `count` leftover bytes, or all of them if `count` is `nil`. Returns `nil` if there are too few
    /// or none.
    func takeLeftover(_ count: Int? = nil) -> [UInt8]? {
        let left = leftover.count - leftoverStart
        guard left > 0, left >= count ?? 1 else { return nil }
        // The handler's previous piece is released. This piece and the remaining leftover stay counted.
        giveBack(keeping: left)
        let piece = Array(leftover[leftoverStart..<leftoverStart + (count ?? left)])
        leftoverStart += piece.count
        if leftoverStart == leftover.count {
            leftover = []
            leftoverStart = 0
        }
        return piece
    }

    // MARK: The whole body

    /// The maximum capacity in bytes that is reserved only because of the announced length.
    private static let firstRoom = 1 << 20

    /// Appends the rest of the body to `all`, directly from the socket or the decoder.
    ///
    /// - Throws: `HTTPBodyError.tooLarge` if the body exceeds `limit`, or the error that ended the body.
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

    /// Grows the array of a body: by a factor of 2 up to 1 MiB, then by a factor of 16, up to the longest possible
    /// body. The system allocates no memory for pages that receive no byte. Doubling beyond 1 MiB would copy every byte
    /// once more, mostly into new memory, which costs four times as much as the copy. Bodies that start together would
    /// also be copied at the same time.
    ///
    /// - Parameter count: The maximum number of bytes that one read or step adds.
    private func makeRoom(for count: Int, in all: inout [UInt8], upTo limit: Int) {
        let needed = all.count + count
        // One read may exceed the limit. Detecting the excess must not grow the array.
        let most = expectedLength ?? max(limit, limit &+ count)
        guard needed > all.capacity, all.capacity < most else { return }
        let announced = min(expectedLength ?? 0, Self.firstRoom)
        let growth = needed > Self.firstRoom ? 16 : 2
        all.reserveCapacity(min(most, max(needed, announced, all.capacity * growth)))
    }
}
