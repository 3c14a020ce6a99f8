import Compression
import TestSupport
import Testing

@Suite struct GzipDecoderTests {
    /// Made by `printf sea | gzip -n`; the encoder of another program is decoded too.
    static let sea: [UInt8] = [
        0x1f, 0x8b, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x03, 0x2b, 0x4e, 0x4d, 0x04, 0x00, 0x37, 0xc1, 0xc9,
        0x8b, 0x03, 0x00, 0x00, 0x00,
    ]

    func expect(_ error: CompressionError, from input: [UInt8], _ limits: GzipDecoder.Limits = ample) {
        #expect(throws: error) { try GzipDecoder.decode(input, limits: limits) }
    }

    @Test func `a member with a name, a comment and extra fields is decoded`() throws {
        // RFC 1952 §2.3.1: FEXTRA, FNAME and FCOMMENT, in this order.
        let head: [UInt8] = [0x1f, 0x8b, 8, 4 | 8 | 16, 1, 2, 3, 4, 0, 3]
        let fields: [UInt8] = [3, 0, 9, 9, 9] + Array("sea.txt\0".utf8) + Array("a comment\0".utf8)
        let member = head + fields + GzipDecoderTests.sea.dropFirst(10)
        #expect(try GzipDecoder.decode(member, limits: ample) == Array("sea".utf8))
    }

    @Test func `a member cut off at any byte is truncated`() throws {
        let sample = Sample.text(3_000) + Sample.noise(200, seed: 1)
        let encoded = try GzipEncoder.encode(sample, level: .balanced)
        for count in 0..<encoded.count {
            let head = Array(encoded.prefix(count))
            expect(.truncated, from: head)
        }
        #expect(try GzipDecoder.decode(encoded, limits: ample) == sample)
    }

    @Test func `anything but a member after the trailer is an error, in the same piece or the next`() throws {
        let sea = GzipDecoderTests.sea
        #expect(try GzipDecoder.decode(sea, limits: ample) == Array("sea".utf8))
        for tail in [[0], Array("x".utf8), [0x1F, 0], [0, 0] + sea] {
            expect(.trailingData, from: sea + tail)
            let decoder = try GzipDecoder(limits: ample)
            var output: [UInt8] = []
            try decoder.decode(sea, into: &output)
            try decoder.finish()
            #expect(throws: CompressionError.trailingData) { try decoder.decode(tail, into: &output) }
            #expect(throws: CompressionError.trailingData) { try decoder.finish() }
        }
    }

    @Test func `members in sequence are one content, with one limit`() throws {
        let sea = GzipDecoderTests.sea
        let noise = Sample.noise(70_000, seed: 4)
        let input = sea + sea + (try GzipEncoder.encode(noise, level: .balanced)) + sea
        let content = Array("seasea".utf8) + noise + Array("sea".utf8)
        #expect(try GzipDecoder.decode(input, limits: ample) == content)
        for cut in [1, sea.count - 1, sea.count, sea.count + 1, sea.count * 2 + 3, input.count - 1] {
            let decoder = try GzipDecoder(limits: ample)
            var output: [UInt8] = []
            try decoder.decode(Array(input[..<cut]), into: &output)
            #expect(decoder.isAtEnd == (cut == sea.count))
            try decoder.decode(Array(input[cut...]), into: &output)
            try decoder.finish()
            #expect(output == content)
        }
        let limits = GzipDecoder.Limits(maxOutputBytes: content.count - 1)
        #expect(throws: CompressionError.outputTooLarge(limit: content.count - 1)) {
            try GzipDecoder.decode(input, limits: limits)
        }
        expect(.truncated, from: sea + sea.dropLast())
        expect(.truncated, from: sea + [0x1F])
        // A damaged second member.
        var damaged = sea + sea
        damaged[damaged.count - 8] ^= 1
        expect(.malformed, from: damaged)
        // After an error or another body, the state starts over.
        let decoder = try GzipDecoder(limits: ample)
        var output: [UInt8] = []
        #expect(throws: CompressionError.trailingData) { try decoder.decode(sea + [0], into: &output) }
        decoder.reset(limits: ample)
        #expect(throws: CompressionError.malformed) { try decoder.decode([0x1F, 0], into: &output) }
    }

    @Test func `other formats are malformed`() {
        expect(.malformed, from: Array("{\"fields\":{}}".utf8))
        expect(.malformed, from: [0x1f, 0x8c, 8, 0, 0, 0, 0, 0, 0, 3])
        // A zlib stream, and a raw deflate stream: neither is gzip.
        expect(.malformed, from: [0x78, 0x9c, 0x2b, 0x4e, 0x4d, 0x04, 0x00, 0x02, 0x7e, 0x01, 0x3a])
        expect(.malformed, from: [0x2b, 0x4e, 0x4d, 0x04, 0x00])
        // Another method than deflate; reserved flags.
        expect(.malformed, from: [0x1f, 0x8b, 7, 0, 0, 0, 0, 0, 0, 3])
        expect(.malformed, from: [0x1f, 0x8b, 8, 0xe0, 0, 0, 0, 0, 0, 3])
    }

    @Test(arguments: 15..<23)
    func `a wrong check sum or length is malformed`(index: Int) {
        var changed = GzipDecoderTests.sea
        changed[index] ^= 1
        expect(.malformed, from: changed)
    }

    @Test func `an error is repeated until the decoder is reset`() throws {
        let decoder = try GzipDecoder(limits: ample)
        var output: [UInt8] = []
        #expect(throws: CompressionError.malformed) { try decoder.decode(Array("no gzip".utf8), into: &output) }
        #expect(throws: CompressionError.malformed) { try decoder.decode(GzipDecoderTests.sea, into: &output) }
        #expect(throws: CompressionError.malformed) { try decoder.finish() }
        decoder.reset(limits: ample)
        try decoder.decode(GzipDecoderTests.sea, into: &output)
        try decoder.finish()
        #expect(output == Array("sea".utf8))
    }

    @Test(arguments: [0, 1, 2, 3, 100, 65_536, 65_537, 100_000])
    func `output up to the limit is given, one byte more is an error`(count: Int) throws {
        let sample = Sample.noise(count, seed: 5)
        let encoded = try GzipEncoder.encode(sample, level: .fastest)
        #expect(try GzipDecoder.decode(encoded, limits: .init(maxOutputBytes: count)) == sample)
        guard count > 0 else { return }
        let decoder = try GzipDecoder(limits: .init(maxOutputBytes: count - 1))
        var output: [UInt8] = []
        #expect(throws: CompressionError.outputTooLarge(limit: count - 1)) {
            try decoder.decode(encoded, into: &output)
        }
        #expect(output == Array(sample.dropLast()))
    }

    @Test func `a bomb is stopped at the limit, and its buffer stays small`() throws {
        let bomb = try GzipEncoder.encode([UInt8](repeating: 0, count: 64 << 20), level: .smallest)
        #expect(bomb.count < 70_000)
        var output: [UInt8] = []
        let small = try GzipDecoder(limits: .init(maxOutputBytes: 1_000, maxRatio: 2_000))
        #expect(throws: CompressionError.outputTooLarge(limit: 1_000)) { try small.decode(bomb, into: &output) }
        #expect(output.count == 1_000)
        #expect(output.capacity < 10_000)
    }

    @Test func `a ratio beyond the limit is stopped soon after the free bytes`() throws {
        let bomb = try GzipEncoder.encode([UInt8](repeating: 0, count: 64 << 20), level: .smallest)
        var output: [UInt8] = []
        let decoder = try GzipDecoder(limits: .init(maxOutputBytes: .max))
        #expect(throws: CompressionError.ratioTooHigh(limit: 200)) { try decoder.decode(bomb, into: &output) }
        #expect((1 << 20...2 << 20).contains(output.count))
        let free = try GzipEncoder.encode([UInt8](repeating: 0, count: 1 << 20), level: .smallest)
        #expect(try GzipDecoder.decode(free, limits: .init(maxOutputBytes: 1 << 20)).count == 1 << 20)
    }

    @Test func `random damage is rejected or harmless, and never more than the limit`() throws {
        var generator = SeededGenerator(seed: 42)
        let sample = Sample.text(2_000) + Sample.noise(500, seed: 8)
        let encoded = try GzipEncoder.encode(sample, level: .balanced)
        let limits = GzipDecoder.Limits(maxOutputBytes: 10_000)
        let decoder = try GzipDecoder(limits: limits)
        for _ in 0..<5_000 {
            var damaged = encoded
            for _ in 0..<Int.random(in: 1...4, using: &generator) {
                let index = Int.random(in: damaged.indices, using: &generator)
                damaged[index] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
            }
            decoder.reset(limits: limits)
            var output: [UInt8] = []
            do {
                try decoder.decode(damaged, into: &output)
                try decoder.finish()
                // Only the header's time, extra flags and system are not covered by a check.
                if output != sample { Issue.record("Damage went unseen") }
            } catch {
                if output.count > limits.maxOutputBytes { Issue.record("The limit was passed") }
            }
        }
    }

    @Test func `random bytes after a valid header are rejected or harmless`() throws {
        let head: [UInt8] = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3]
        let limits = GzipDecoder.Limits(maxOutputBytes: 4_096)
        let decoder = try GzipDecoder(limits: limits)
        for seed in 0..<2_000 {
            decoder.reset(limits: limits)
            var output: [UInt8] = []
            let input = head + Sample.noise(300, seed: UInt64(seed))
            #expect(throws: CompressionError.self) {
                try decoder.decode(input, into: &output)
                try decoder.finish()
            }
            if output.count > limits.maxOutputBytes { Issue.record("The limit was passed") }
        }
    }

    /// Found by fuzzing: how a body was cut on its way decided whether it was taken for a bomb.
    @Test func `the verdict on a ratio does not depend on how the bytes were cut`() throws {
        func outcome(_ pieces: [ArraySlice<UInt8>]) throws(CompressionError) -> CompressionError? {
            let decoder = try GzipDecoder(limits: .init(maxOutputBytes: 1 << 20, maxRatio: 200, ratioFreeBytes: 4_096))
            do throws(CompressionError) {
                var output: [UInt8] = []
                for piece in pieces { try decoder.decode(Array(piece), into: &output) }
                try decoder.finish()
                return nil
            } catch {
                return error
            }
        }
        // Near the ratio, on either side of it.
        for noise in stride(from: 0, to: 400, by: 40) {
            let content = (0..<noise).map { UInt8(truncatingIfNeeded: $0 &* 167 &+ $0 >> 3) }
            let body = try GzipEncoder.encode(content + Array(repeating: 0, count: 40_000), level: .balanced)
            let whole = try outcome([body[...]])
            for cut in body.indices {
                #expect(try outcome([body[..<cut], body[cut...]]) == whole, "\(noise) cut at \(cut)")
            }
        }
    }

    /// Decodes `body` with so much room at a time, and checks that no call takes more.
    private func decode(_ body: [UInt8], room: Int, _ limits: GzipDecoder.Limits) throws(CompressionError) -> [UInt8] {
        let decoder = try GzipDecoder(limits: limits)
        var output: [UInt8] = []
        var start = 0
        while start < body.count || decoder.hasMore {
            let before = output.count
            start += try body.withUnsafeBufferPointer { (bytes) throws(CompressionError) in
                try decoder.decode(
                    .init(rebasing: UnsafeRawBufferPointer(bytes)[start...]), atMost: room, into: &output)
            }
            if output.count - before > room { Issue.record("More than \(room) bytes came") }
        }
        try decoder.finish()
        return output
    }

    @Test func `each call fills the available room, and the total is the same`() throws {
        // Long matches: a byte of input brings hundreds, and the last ones come when all input has long been used.
        let sample = Sample.text(2_000) + Array(repeating: 7, count: 5_000) + Sample.noise(200, seed: 3)
        for content in [sample, [], Array(repeating: 0, count: 70_000)] {
            let body = try GzipEncoder.encode(content, level: .balanced)
            for room in [1, 2, 100, 257, 258, 259, 4_096, 16 << 10, 100_000, .max] {
                #expect(try decode(body, room: room, ample) == content)
                #expect(throws: CompressionError.trailingData) { try decode(body + [0], room: room, ample) }
                #expect(throws: CompressionError.truncated) { try decode(Array(body.dropLast()), room: room, ample) }
                guard !content.isEmpty else { continue }
                #expect(throws: CompressionError.outputTooLarge(limit: content.count - 1)) {
                    try decode(body, room: room, .init(maxOutputBytes: content.count - 1))
                }
            }
        }
    }

    @Test func `the output of an input is available before more input arrives`() throws {
        let content = Array(repeating: UInt8(0), count: 70_000)
        let withoutTrailer = try GzipEncoder.encode(content, level: .balanced).dropLast(8)
        for room in [100, 4_096, 70_000] {
            let decoder = try GzipDecoder(limits: ample)
            var output: [UInt8] = []
            var rest = Array(withoutTrailer)
            repeat {
                let used = try rest.withUnsafeBufferPointer { (bytes) throws(CompressionError) in
                    try decoder.decode(UnsafeRawBufferPointer(bytes), atMost: room, into: &output)
                }
                rest.removeFirst(used)
            } while decoder.hasMore
            #expect(output == content)
        }
    }

    @Test func `the verdict on a ratio does not depend on how much room there was`() throws {
        let limits = GzipDecoder.Limits(maxOutputBytes: 1 << 20, maxRatio: 200, ratioFreeBytes: 4_096)
        func outcome(_ body: [UInt8], room: Int) -> CompressionError? {
            do throws(CompressionError) {
                _ = try decode(body, room: room, limits)
                return nil
            } catch {
                return error
            }
        }
        for noise in stride(from: 0, to: 400, by: 20) {
            let content = (0..<noise).map { UInt8(truncatingIfNeeded: $0 &* 167 &+ $0 >> 3) }
            let body = try GzipEncoder.encode(content + Array(repeating: 0, count: 40_000), level: .balanced)
            let whole = outcome(body, room: .max)
            for room in [100, 1_000, 4_097, 16 << 10, 20_000] {
                #expect(outcome(body, room: room) == whole, "\(noise) in parts of \(room)")
            }
        }
    }
}
