import Compression
import HTTP
import Sockets
import Threads

/// The body of a request while it is being received.
///
/// Before the first call, the reader reads nothing and sends no `100 Continue`. A call from another thread, such as an
/// actor that writes files, is executed on the connection's loop.
///
/// Unchecked: all state is confined to the loop's thread. The methods of `HTTPBodyReader` switch to that thread.
final class BodyReader: HTTPBodyReader, @unchecked Sendable {
    let expectedLength: Int?
    /// How many bytes of the body have been read from the socket, before decoding.
    var receivedBytes = 0

    let connection: HTTPConnection
    let server: ServerLoop
    var framing: Framing
    var coding: Coding
    private(set) var owesContinue: Bool
    private var hasEnded = false
    private(set) var failure: HTTPBodyError?
    /// How many bytes of the budget the handler's pieces use.
    private(set) var reserved = 0
    /// Decoded bytes beyond the requested piece, from index `leftoverStart` on. They count against the budget.
    var leftover: [UInt8] = []
    var leftoverStart = 0
    /// Received gzip bytes that are not decompressed yet, from index `compressedStart` on: at most the bytes of one
    /// read.
    var compressed: [UInt8] = []
    var compressedStart = 0
    var timeout: TransferTimeout

    enum Framing {
        case length(left: Int)
        case chunked(ChunkedDecoder)
        case finished
        /// The framing is invalid, so the end of the body cannot be determined.
        case broken
    }

    enum Coding {
        case identity
        case gzip(GzipDecoder?)
        case unsupported
    }

    init(_ connection: HTTPConnection, _ head: RequestHead) {
        self.connection = connection
        server = connection.server
        timeout = server.bodyTimeout
        owesContinue = head.expectsContinue && connection.input.isEmpty
        coding = Self.coding(of: head.fields)
        let length: Int?
        switch head.framing {
        case .none: (framing, length) = (.finished, 0)
        case .length(let count): (framing, length) = (count == 0 ? .finished : .length(left: count), count)
        case .chunked: (framing, length) = (.chunked(ChunkedDecoder()), nil)
        }
        if case .identity = coding { expectedLength = length } else { expectedLength = nil }
    }

    private static func coding(of fields: HTTPFields) -> Coding {
        let values = fields.values(of: .contentEncoding).map { $0.lowercased() }.filter { $0 != "identity" && $0 != "" }
        guard let first = values.first else { return .identity }
        return values.count == 1 && (first == "gzip" || first == "x-gzip") ? .gzip(nil) : .unsupported
    }

    // MARK: - The interface for handlers

    func next() async throws(HTTPBodyError) -> [UInt8]? {
        try await onLoop { reader in
            await reader.run { () async throws(HTTPBodyError) in
                if let leftover = reader.takeLeftover() { return leftover }
                reader.giveBack()
                if case .gzip = reader.coding {
                    var piece: [UInt8] = []
                    let limit = reader.server.configuration.maxDecompressedBytes
                    return try await reader.decompress(atMost: .max, limit: limit, into: &piece) ? piece : nil
                }
                let piece = try await reader.rawPiece()
                if let piece { try reader.reserve(piece.count) }
                return piece
            }
        }.get()
    }

    func collect(upTo limit: Int) async throws(HTTPBodyError) -> [UInt8] {
        try await onLoop { reader in
            await reader.run { () async throws(HTTPBodyError) in
                if let length = reader.expectedLength, length > limit { throw .tooLarge(limit: limit) }
                var all: [UInt8] = []
                if let leftover = reader.takeLeftover() {
                    guard leftover.count <= limit else { throw .tooLarge(limit: limit) }
                    all = leftover
                }
                try await reader.collectRest(&all, upTo: limit)
                return all
            }
        }.get()
    }

    func onLoop<Value: Sendable>(
        _ body: @escaping @Sendable (BodyReader) async -> Result<Value, HTTPBodyError>
    ) async -> Result<Value, HTTPBodyError> {
        if server.loop.isOnThread { return await body(self) }
        return await Task(executorPreference: server.loop) { await body(self) }.value
    }

    /// Runs `body` unless an earlier call failed. A failure is stored and thrown again by later calls.
    func run<Value>(
        _ body: () async throws(HTTPBodyError) -> Value
    ) async -> Result<Value, HTTPBodyError> {
        if let failure { return .failure(failure) }
        if hasEnded { return .failure(.disconnected) }
        if case .unsupported = coding { return .failure(.unsupportedEncoding) }
        do throws(HTTPBodyError) {
            return .success(try await body())
        } catch {
            failure = error
            return .failure(error)
        }
    }

    func reserve(_ count: Int) throws(HTTPBodyError) {
        guard server.budget.reserveStreamed(count) else { throw .overloaded }
        reserved += count
    }

    /// Counts up to `count` bytes that are about to arrive, as far as the budget allows. Returns how many bytes were
    /// counted.
    func reserve(upTo count: Int) -> Int {
        let granted = server.budget.reserveStreamed(upTo: count)
        reserved += granted
        return granted
    }

    /// Releases the budget of all bytes in the handler's pieces, except for `count` bytes.
    func giveBack(keeping count: Int = 0) {
        server.budget.release(reserved - count)
        reserved = count
    }

    /// Ends the use of the body: later calls fail, and the budget is released.
    func end() {
        hasEnded = true
        giveBack()
    }

    // MARK: - Decoding

    /// Returns the next bytes of the body without its transfer coding, still compressed; `nil` at the end.
    ///
    /// - Throws: `HTTPBodyError`: `malformed`, `timeout` or `disconnected`.
    func rawPiece() async throws(HTTPBodyError) -> [UInt8]? {
        var piece: [UInt8] = []
        while piece.isEmpty {
            if isFinished { return nil }
            try await fill(&piece, until: nil)
        }
        return piece
    }

    /// Appends received bytes of the body to `piece`. Reads from the socket if nothing was received.
    ///
    /// - Throws: `HTTPBodyError`: `malformed`, `timeout` or `disconnected`.
    func fill(_ piece: inout [UInt8], until fixed: Deadline?) async throws(HTTPBodyError) {
        if !connection.input.isEmpty {
            try takeInput(into: &piece)
            return
        }
        try await awaitBytes(until: fixed)
        switch connection.socket.read(into: server.input) {
        case .bytes(let count):
            connection.didReceive(count)
            timeout.moved(count)
            let bytes = UnsafeRawBufferPointer(rebasing: server.input[..<count])
            let consumed = try decode(bytes, into: &piece)
            if consumed < count { connection.input.append(UnsafeRawBufferPointer(rebasing: bytes[consumed...])) }
            await server.loop.yieldIfTimeSliceIsOver()
        case .wouldBlock: return
        case .end, .failed:
            framing = .broken
            throw .disconnected
        }
    }

    /// Sends `100 Continue` if the client waits for it. Then waits until bytes of the body arrive.
    ///
    /// - Throws: `HTTPBodyError`: `timeout` or `disconnected`.
    func awaitBytes(until fixed: Deadline?) async throws(HTTPBodyError) {
        if owesContinue {
            owesContinue = false
            connection.writer.prepareOutput()
            connection.writer.output += ResponseEncoder.continueHead
        }
        guard await connection.writer.flush() else { throw .disconnected }
        let start = server.loop.now
        let deadline = fixed ?? .after(.nanoseconds(Int64(clamping: timeout.left)), from: start)
        let wake = await connection.socket.waitReadable(until: deadline)
        timeout.waited(server.loop.now - start)
        switch wake {
        case .timeout: throw .timeout
        case .cancelled: throw .disconnected
        case .ready: break
        }
    }

    /// Appends the bytes of the body that arrived together with other input.
    ///
    /// - Throws: `HTTPBodyError.malformed` for invalid chunks.
    func takeInput(into piece: inout [UInt8]) throws(HTTPBodyError) {
        let result: Result<Int, HTTPBodyError> = connection.input.withBytes { bytes in
            do throws(HTTPBodyError) {
                return .success(try decode(bytes, into: &piece))
            } catch {
                return .failure(error)
            }
        }
        connection.input.consume(try result.get())
    }

    /// Decodes the framing of `bytes`. Returns how many of the bytes belong to the body.
    ///
    /// - Throws: `HTTPBodyError.malformed` for invalid chunks.
    private func decode(_ bytes: UnsafeRawBufferPointer, into piece: inout [UInt8]) throws(HTTPBodyError) -> Int {
        switch framing {
        case .finished, .broken:
            return 0
        case .length(let left):
            let count = min(left, bytes.count)
            piece.append(contentsOf: UnsafeRawBufferPointer(rebasing: bytes[..<count]))
            framing = count == left ? .finished : .length(left: left - count)
            receivedBytes += count
            return count
        case .chunked(var decoder):
            framing = .broken
            var offset = 0
            defer { receivedBytes += offset }
            while true {
                switch decoder.next(bytes, from: &offset) {
                case .data(let range): piece.append(contentsOf: UnsafeRawBufferPointer(rebasing: bytes[range]))
                case .needMore:
                    framing = .chunked(decoder)
                    return offset
                case .finished(let consumed):
                    framing = .finished
                    return consumed
                case .malformed(let reason): throw .malformed(reason)
                }
            }
        }
    }
}
