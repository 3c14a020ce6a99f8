import TestSupport
import Testing

@testable import HTTP

@Suite struct ByteRangesTests {
    @Test(
        arguments: [
            ("bytes=0-4", .ranges([0..<5])), ("bytes=-300", .ranges([700..<1000])),
            ("bytes=0-9,500-509", .ranges([0..<10, 500..<510])),
            ("bytes=500-509,0-9", .ranges([500..<510, 0..<10])),
            ("bytes= 0-9 , 500-509 ,\t-10", .ranges([0..<10, 500..<510, 990..<1000])),
            ("bytes=0-9,,500-509,", .ranges([0..<10, 500..<510])), ("bytes=,0-9", .ranges([0..<10])),
            // Beyond the end.
            ("bytes=0-9,5000-", .ranges([0..<10])), ("bytes=5000-,0-9", .ranges([0..<10])),
            ("bytes=5000-,-0", .unsatisfiable), ("bytes=1000-1001,2000-", .unsatisfiable),
            ("bytes=900-99999999999999999999999,0-0", .ranges([900..<1000, 0..<1])),
            // Overlapping, adjacent, close.
            ("bytes=0-99,50-149", .ranges([0..<150])), ("bytes=0-99,100-199", .ranges([0..<200])),
            ("bytes=0-9,90-99", .ranges([0..<100])), ("bytes=0-9,91-99", .ranges([0..<10, 91..<100])),
            ("bytes=500-599,0-9,550-649", .ranges([500..<650, 0..<10])),
            ("bytes=0-9,500-599,0-9", .ranges([0..<10, 500..<600])),
            ("bytes=0-,0-,0-,0-", .ranges([0..<1000])), ("bytes=0-999,100-199", .ranges([0..<1000])),
            // One malformed range spoils the set.
            ("bytes=0-9,x", .whole), ("bytes=0-9,9-8", .whole), ("bytes=0-9;20-29", .whole), ("bytes=,", .whole),
            ("bytes=", .whole), ("", .whole), ("items=0-9", .whole), ("bytes=0-9,-", .whole),
            ("bytes=0-9, 1 -2", .whole),
        ] as [(String, ByteRanges.Verdict)])
    func `a value of Range has its verdict for a thousand bytes`(_ value: String, _ verdict: ByteRanges.Verdict) {
        #expect(ByteRanges.parse(value, size: 1000) == verdict)
    }

    @Test func `sixteen ranges are answered, seventeen are not, and neither are more than sixty-four of the same`() {
        func value(_ count: Int, _ step: Int) -> String {
            "bytes=" + (0..<count).map { "\($0 * step)-\($0 * step)" }.joined(separator: ",")
        }
        #expect(ByteRanges.parse(value(16, 1000), size: 100_000) == .ranges((0..<16).map { $0 * 1000..<$0 * 1000 + 1 }))
        #expect(ByteRanges.parse(value(17, 1000), size: 100_000) == .whole)
        #expect(ByteRanges.parse(value(64, 0), size: 100_000) == .ranges([0..<1]))
        #expect(ByteRanges.parse(value(65, 0), size: 100_000) == .whole)
        #expect(ByteRanges.parse(value(64, 2), size: 100_000) == .ranges([0..<127]))
    }

    @Test func `empty content has no ranges`() {
        #expect(ByteRanges.parse("bytes=0-0,5-", size: 0) == .unsatisfiable)
        #expect(ByteRanges.parse("bytes=0-0,-5", size: 0) == .whole)
        #expect(ByteRanges.parse("bytes=-5", size: 0) == .whole)
    }

    @Test func `any set is judged like its ranges one by one, and the results do not touch`() {
        var random = SeededGenerator(seed: 11)
        for _ in 0..<5000 {
            let size = [1, 100, 5000, Int.max].randomElement(using: &random) ?? 1
            let specs = (0..<Int.random(in: 1...20, using: &random)).map { _ in
                switch Int.random(in: 0..<8, using: &random) {
                case 0: return "-\(Int.random(in: 0...300, using: &random))"
                case 1: return "\(Int.random(in: 0...6000, using: &random))-"
                case 2: return ["x", "5-4", "", "9223372036854775807-"].randomElement(using: &random) ?? ""
                default:
                    let start = Int.random(in: 0...6000, using: &random)
                    return "\(start)-\(start + Int.random(in: 0...50, using: &random))"
                }
            }
            let wanted = specs.filter { !$0.isEmpty }.map { ByteRange.parse("bytes=" + $0, size: size) }
            let verdict = ByteRanges.parse("bytes=" + specs.joined(separator: ","), size: size)
            guard !wanted.isEmpty, !wanted.contains(.whole) else {
                #expect(verdict == .whole)
                continue
            }
            let ranges = wanted.compactMap { if case .range(let range) = $0 { range } else { nil } }
            switch verdict {
            case .whole: #expect(ranges.count > ByteRanges.maxRanges)
            case .unsatisfiable: #expect(ranges.isEmpty)
            case .ranges(let response):
                #expect((1...16).contains(response.count))
                for range in ranges {
                    #expect(
                        response.contains { $0.lowerBound <= range.lowerBound && $0.upperBound >= range.upperBound })
                }
                let sorted = response.sorted { $0.lowerBound < $1.lowerBound }
                for (one, next) in zip(sorted, sorted.dropFirst()) {
                    #expect(next.lowerBound - one.upperBound > ByteRanges.maxGap)
                }
                #expect(response.allSatisfy { !$0.isEmpty && $0.lowerBound >= 0 && $0.upperBound <= size })
            }
        }
    }

    @Test func `several ranges become parts of an exact length`() {
        let content = (0..<200).map { UInt8(truncatingIfNeeded: $0 & 63) + 0x30 }
        let body = MultipartByteRanges(
            [0..<5, 190..<200], size: 200, contentType: "text/plain\r\nX: y", boundary: "SEPARATOR")
        let expected = """
            --SEPARATOR\r
            Content-Type: text/plain  X: y\r
            Content-Range: bytes 0-4/200\r
            \r
            01234\r
            --SEPARATOR\r
            Content-Type: text/plain  X: y\r
            Content-Range: bytes 190-199/200\r
            \r
            no01234567\r
            --SEPARATOR--\r

            """
        let bytes = body.bytes(of: content)
        #expect(String(decoding: bytes, as: UTF8.self) == expected)
        #expect(body.length == bytes.count)
        #expect(body.contentType == "multipart/byteranges; boundary=SEPARATOR")
        #expect(
            MultipartByteRanges([0..<1], size: 1, contentType: "", boundary: "a b").contentType.hasSuffix("=\"a b\""))
        let one = MultipartByteRanges([0..<1], size: 1, contentType: "")
        #expect(one.parts.count == 3 && one.parts[1] == .range(0..<1))
        #expect(MultipartByteRanges.randomBoundary() != MultipartByteRanges.randomBoundary())
        #expect(MultipartByteRanges.randomBoundary().count == 32)
    }
}
