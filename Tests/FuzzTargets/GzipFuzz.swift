import Compression

/// Properties of gzip.
enum GzipFuzz {
    /// How the input is cut does not matter, and no more comes out than is allowed.
    static func objection(_ bytes: [UInt8]) -> String? {
        var choices = FuzzChoices(bytes)
        let place = choices.number(below: 512)
        let input = Array(choices.rest)
        let cut = place * max(1, input.count / 512)
        let whole = outcome(of: [input])
        let pieces = outcome(of: [Array(input.prefix(cut)), Array(input.dropFirst(cut))])
        if whole.output.count > limit { return "\(whole.output.count) bytes" }
        return whole.error == pieces.error && (whole.error != nil || whole.output == pieces.output)
            ? nil : "Cut at \(cut), it is \(String(describing: pieces.error)), not \(String(describing: whole.error))."
    }

    private static let limit = 1 << 16

    private static func outcome(of pieces: [[UInt8]]) -> (output: [UInt8], error: CompressionError?) {
        var output: [UInt8] = []
        do throws(CompressionError) {
            let decoder = try GzipDecoder(limits: .init(maxOutputBytes: limit, maxRatio: 200, ratioFreeBytes: 1 << 12))
            for piece in pieces { try decoder.decode(piece, into: &output) }
            try decoder.finish()
            return (output, nil)
        } catch {
            return (output, error)
        }
    }
}
