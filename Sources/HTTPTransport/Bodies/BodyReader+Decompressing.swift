import Compression
import HTTP
import Sockets

/// Decompression of a gzip body.
///
/// One compressed byte can expand to a thousand. Code tables without data cost fifty times as much CPU time per byte as
/// other input. So a body is decompressed in steps, and other connections run between the steps. The output of each
/// step is counted against the budget in advance.
extension BodyReader {
    /// The maximum output of one step in bytes: a few tenths of a millisecond of CPU time.
    static let maxStepOutput = 128 << 10
    /// The maximum input of one step in bytes. In the worst case, this input takes as long as the maximum output.
    private static let maxStepInput = 16 << 10

    /// Appends the output of one or more steps to `output`, counted against the budget. Waits for input if necessary.
    ///
    /// - Parameters:
    ///   - wanted: The maximum number of bytes to append; at least 1.
    ///   - limit: The maximum size of the whole decoded body in bytes. Only the value of the first call is used.
    /// - Returns: `false` at the end of the body, with nothing appended.
    /// - Throws: `HTTPBodyError`: any case except `unsupportedEncoding`.
    func decompress(
        atMost wanted: Int, limit: Int, into output: inout [UInt8]
    ) async throws(HTTPBodyError) -> Bool {
        let decoder = try decoder(limit: limit)
        var added = 0
        while added == 0 {
            if compressedStart == compressed.count, !decoder.hasMore {
                compressedStart = 0
                compressed = []
                guard let piece = try await rawPiece() else {
                    do throws(CompressionError) { try decoder.finish() } catch { throw Self.bodyError(error) }
                    return false
                }
                compressed = piece
            }
            added = try step(decoder, room: min(wanted, Self.maxStepOutput), into: &output)
            await server.loop.yieldIfTimeSliceIsOver()
        }
        return true
    }

    /// Whether there may be more compressed input, received or not.
    var mayHaveMore: Bool {
        compressedStart < compressed.count || !isFinished
    }

    /// Calls the decoder once. Returns how many bytes were appended.
    ///
    /// - Throws: `HTTPBodyError`: `malformed`, `tooLarge` or `bomb` from the decoder; `overloaded` if the budget is
    ///   used up.
    private func step(
        _ decoder: GzipDecoder, room: Int, into output: inout [UInt8]
    ) throws(HTTPBodyError) -> Int {
        // If the budget grants no byte, the decoder still gets room for one byte: the end of a stream has no output and
        // must not fail.
        let granted = reserve(upTo: room)
        let before = output.count
        let end = min(compressed.count, compressedStart + Self.maxStepInput)
        let used: Int
        do throws(CompressionError) {
            // `Array.withUnsafeBytes` does not preserve the type of the error.
            used = try compressed.withUnsafeBufferPointer { (bytes) throws(CompressionError) in
                let input = UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(bytes)[compressedStart..<end])
                return try decoder.decode(input, atMost: max(granted, 1), into: &output)
            }
        } catch {
            throw Self.bodyError(error)
        }
        let added = output.count - before
        if added > granted { throw .overloaded }
        compressedStart += used
        giveBack(keeping: reserved - (granted - added))
        return added
    }

    private func decoder(limit: Int) throws(HTTPBodyError) -> GzipDecoder {
        if case .gzip(let existing?) = coding { return existing }
        let ratio = server.configuration.maxCompressionRatio
        guard let decoder = try? GzipDecoder(limits: .init(maxOutputBytes: limit, maxRatio: ratio)) else {
            throw .overloaded
        }
        coding = .gzip(decoder)
        return decoder
    }

    private static func bodyError(_ error: CompressionError) -> HTTPBodyError {
        switch error {
        case .malformed: .malformed("The body is not gzip, though Content-Encoding says so.")
        case .truncated: .malformed("The gzip stream ends too early.")
        case .trailingData: .malformed("Something that is no gzip follows the end of the gzip stream.")
        case .outputTooLarge(let limit): .tooLarge(limit: limit)
        case .ratioTooHigh: .bomb
        case .outOfMemory: .overloaded
        }
    }
}
