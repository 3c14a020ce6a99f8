import Compression
import TestSupport
import Testing

/// Bytes for the tests, the same in each run.
enum Sample {
    static func noise(_ count: Int, seed: UInt64) -> [UInt8] {
        var generator = SeededGenerator(seed: seed)
        return (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
    }

    static func text(_ count: Int) -> [UInt8] {
        let line = Array(#"{"recordName":"a","fields":{"title":{"value":"sea","type":"STRING"}}}"#.utf8)
        return (0..<count).map { line[$0 % line.count] &+ UInt8($0 / 1_000 % 3) }
    }

    static let all: [[UInt8]] = [
        [], [0], Array("a".utf8), text(69), text(400), text(100_000), noise(1, seed: 1), noise(10_000, seed: 2),
        noise(300_000, seed: 3), [UInt8](repeating: 0, count: 200_000), text(5_000) + noise(5_000, seed: 4),
    ]
}

let ample = GzipDecoder.Limits(maxOutputBytes: 1 << 24, maxRatio: 2_000)

@Suite struct GzipRoundTripTests {
    @Test(arguments: Sample.all, [1, 6, 9])
    func `data encoded at any level can be decoded`(sample: [UInt8], level: Int) throws {
        let encoded = try GzipEncoder.encode(sample, level: #require(CompressionLevel(level)))
        #expect(try GzipDecoder.decode(encoded, limits: ample) == sample)
    }

    @Test(arguments: Sample.all.indices)
    func `cuts of the input and of the output change nothing`(index: Int) throws {
        let sample = Sample.all[index]
        var generator = SeededGenerator(seed: UInt64(index))
        let encoder = try GzipEncoder(level: .fastest)
        let decoder = try GzipDecoder(limits: ample)
        for longest in [1, 7, 1_000, 70_000] {
            if longest == 1 && sample.count > 10_000 { continue }
            var encoded: [UInt8] = []
            for piece in pieces(of: sample, longest: longest, using: &generator) {
                encoder.encode(piece, into: &encoded)
                if Bool.random(using: &generator) { encoder.flush(into: &encoded) }
            }
            encoder.finish(into: &encoded)
            decoder.reset(limits: ample)
            var decoded: [UInt8] = []
            for piece in pieces(of: encoded, longest: longest, using: &generator) {
                try decoder.decode(piece, into: &decoded)
            }
            try decoder.finish()
            #expect(decoder.isAtEnd)
            #expect(decoded == sample)
        }
    }

    private func pieces(
        of bytes: [UInt8], longest: Int, using generator: inout SeededGenerator
    ) -> [[UInt8]] {
        var pieces: [[UInt8]] = []
        var start = 0
        while start < bytes.count {
            let end = min(bytes.count, start + Int.random(in: 0...longest, using: &generator))
            pieces.append(Array(bytes[start..<end]))
            start = end
        }
        return pieces
    }

    @Test func `the same input gives the same bytes, from a fresh encoder and from a used one`() throws {
        let sample = Sample.text(5_000)
        let fresh = try GzipEncoder.encode(sample, level: .balanced)
        let encoder = try GzipEncoder(level: .balanced)
        for _ in 0..<3 {
            var output = Array("head".utf8)
            sample.withUnsafeBytes { encoder.encodeAll($0, into: &output) }
            #expect(output == Array("head".utf8) + fresh)
        }
        // RFC 1952 §2.3: magic, deflate, no flags, no time.
        #expect(fresh.prefix(8) == [0x1f, 0x8b, 8, 0, 0, 0, 0, 0])
    }

    @Test func `an abandoned member leaves no trace`() throws {
        let encoder = try GzipEncoder(level: .balanced)
        var rubbish: [UInt8] = []
        encoder.encode(Sample.noise(100_000, seed: 9), into: &rubbish)
        encoder.reset()
        var output: [UInt8] = []
        encoder.encode(Sample.text(400), into: &output)
        encoder.finish(into: &output)
        #expect(try output == GzipEncoder.encode(Sample.text(400), level: .balanced))
    }

    @Test func `input before a flush can be decoded after it`() throws {
        let encoder = try GzipEncoder(level: .fastest)
        let decoder = try GzipDecoder(limits: ample)
        var decoded: [UInt8] = []
        for number in 0..<100 {
            let event = Array("data: \(number)\n\n".utf8)
            var encoded: [UInt8] = []
            encoder.encode(event, into: &encoded)
            encoder.flush(into: &encoded)
            let before = decoded.count
            try decoder.decode(encoded, into: &decoded)
            #expect(Array(decoded[before...]) == event)
        }
        #expect(!decoder.isAtEnd)
    }

    @Test func `text becomes small, and levels beyond 1 to 9 do not exist`() throws {
        #expect(try GzipEncoder.encode(Sample.text(100_000), level: .fastest).count < 10_000)
        #expect(CompressionLevel(0) == nil)
        #expect(CompressionLevel(10) == nil)
        #expect(CompressionLevel(-1) == nil)
        #expect(CompressionLevel(6) == .balanced)
    }
}
