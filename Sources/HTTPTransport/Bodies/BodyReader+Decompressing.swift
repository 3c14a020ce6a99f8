import Compression
import HTTP
import Sockets

/// Taking gzip off a body.
///
/// A byte may become a thousand, and tables of codes that nothing follows cost fifty times of what other bytes do. So a body is
/// decompressed in steps, between which others have their turn, and the budget counts what a step may bring before it does.
extension BodyReader {
    /// What a step may bring, some tenths of a millisecond's worth.
    static let maxStepOutput = 128 << 10
    /// What a step may take: at its worst it takes as long.
    private static let maxStepInput = 16 << 10

    /// Adds to the end of `output` what a step brings, which the budget then has counted; waits for it if need be.
    ///
    /// - Parameters:
    ///   - wanted: The most bytes to add; at least 1.
    ///   - limit: The most bytes of the whole body, as the first step says it.
    /// - Returns: `false`, and nothing was added, at the end of the body.
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

    /// Whether there is anything left that something may come of.
    var mayHaveMore: Bool {
        compressedStart < compressed.count || !isFinished
    }

    /// One call of the decoder; returns how many bytes came.
    private func step(
        _ decoder: GzipDecoder, room: Int, into output: inout [UInt8]
    ) throws(HTTPBodyError) -> Int {
        // The end of a stream needs no room: what has been counted already is not refused because others came.
        let granted = reserve(upTo: room)
        let before = output.count
        let end = min(compressed.count, compressedStart + Self.maxStepInput)
        let used: Int
        do throws(CompressionError) {
            // Array.withUnsafeBytes does not carry the type of the error.
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
        case .trailingData: .malformed("Something follows the end of the gzip stream.")
        case .outputTooLarge(let limit): .tooLarge(limit: limit)
        case .ratioTooHigh: .bomb
        case .outOfMemory: .overloaded
        }
    }
}
