import FuzzTargets
import HTTP
import TestSupport
import Testing

@Suite struct RequestParserFuzzTests {
    /// Pieces that attacks on parsers are made of.
    static let pieces: [[UInt8]] = [
        "\r\n", "\r", "\n", "\r\n\r\n", " ", "\t", ":", ",", ";", "\0", "\u{7F}", "Content-Length: 5\r\n",
        "Content-Length: 0\r\n", "Transfer-Encoding: chunked\r\n", "Transfer-Encoding", "Host: b\r\n", " HTTP/1.1",
        "HTTP/1.0", "HTTP/2.0", "/../", "%2e%2e", "%2F", "%00", "*", "http://a", "[::1]", "GET ", "chunked", "+5",
        "0x5", "5, 5", "Expect: 100-continue\r\n", "Connection: close\r\n", "\u{E4}", "_",
    ].map { Array($0.utf8) }

    static let samples: [[UInt8]] = Transcript.all.filter { $0.kind == .request && $0.bytes.count < 400 }.map(\.bytes)

    @Test(arguments: 0..<8)
    func `mutated requests never crash the parser, and what it accepts is legal`(_ part: Int) {
        var random = SeededGenerator(seed: 0x5EED + UInt64(part))
        var accepted = 0
        for round in 0..<2500 {
            guard var bytes = Self.samples.randomElement(using: &random) else { return }
            for _ in 0..<Int.random(in: 0...4, using: &random) { Self.mutate(&bytes, &random) }
            let whole = Feed.verdict(bytes)
            let cuts = (0..<3).map { _ in Int.random(in: 0...bytes.count, using: &random) }.sorted()
            #expect(Feed.verdict(bytes, cuts: cuts).allWords == whole.allWords, "part \(part), round \(round)")
            if case .head(let head, let consumed) = whole {
                accepted += 1
                let objection = HeadOracle.objection(Array(bytes[..<consumed]), head)
                #expect(objection == nil, "part \(part), round \(round): \(bytes)")
            }
            if case .rejected(let rejection) = whole {
                #expect([400, 413, 414, 417, 431, 501, 505].contains(rejection.status.code))
            }
        }
        #expect(accepted > 100)
    }

    @Test(arguments: 0..<4)
    func `random chunked bodies never crash the decoder, and cuts do not matter`(_ part: Int) {
        var random = SeededGenerator(seed: 0xC4 + UInt64(part))
        let samples = Transcript.all.filter { $0.kind == .chunked && $0.bytes.count < 400 }.map(\.bytes)
        for round in 0..<2500 {
            guard var bytes = samples.randomElement(using: &random) else { return }
            for _ in 0..<Int.random(in: 0...3, using: &random) { Self.mutate(&bytes, &random) }
            let cuts = (0..<3).map { _ in Int.random(in: 0...bytes.count, using: &random) }.sorted()
            #expect(Feed.chunked(bytes, cuts: cuts) == Feed.chunked(bytes), "part \(part), round \(round)")
        }
    }

    static func mutate(_ bytes: inout [UInt8], _ random: inout SeededGenerator) {
        let at = Int.random(in: 0...bytes.count, using: &random)
        switch Int.random(in: 0..<5, using: &random) {
        case 0 where at < bytes.count: bytes[at] = UInt8.random(in: 0...255, using: &random)
        case 1 where at < bytes.count: bytes.remove(at: at)
        case 2: bytes.insert(contentsOf: pieces.randomElement(using: &random) ?? [], at: at)
        case 3:
            // A line or a part of one, once more.
            let end = min(bytes.count, at + Int.random(in: 0...30, using: &random))
            bytes.insert(contentsOf: bytes[at..<end], at: Int.random(in: 0...bytes.count, using: &random))
        default:
            if let other = samples.randomElement(using: &random) {
                bytes.replaceSubrange(at..., with: other.suffix(Int.random(in: 0...other.count, using: &random)))
            }
        }
    }
}
