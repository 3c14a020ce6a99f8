import HTTP
import TestSupport
import Testing

@Suite struct ByteRangeTests {
    @Test(
        arguments: [
            ("bytes=0-4", .range(0..<5)), ("bytes=5-", .range(5..<10)), ("bytes=-3", .range(7..<10)),
            ("bytes=9-9", .range(9..<10)), ("bytes=0-99", .range(0..<10)), ("bytes=-99", .range(0..<10)),
            ("BYTES=0-0", .range(0..<1)), ("bytes= 0-4 ", .range(0..<5)), ("bytes=00-04", .range(0..<5)),
            ("bytes=0-99999999999999999999999999", .range(0..<10)), ("bytes=-99999999999999999999", .range(0..<10)),
            ("bytes=0-9223372036854775807", .range(0..<10)), ("bytes=9-18446744073709551616", .range(9..<10)),
            ("bytes=10-", .unsatisfiable), ("bytes=10-20", .unsatisfiable), ("bytes=-0", .unsatisfiable),
            ("bytes=99999999999999999999-", .unsatisfiable),
            ("bytes=99999999999999999999-99999999999999999999", .unsatisfiable),
            ("bytes=9223372036854775807-", .unsatisfiable), ("bytes=-00", .unsatisfiable),
            ("", .whole), ("bytes", .whole), ("bytes=", .whole), ("bytes=-", .whole), ("bytes=--", .whole),
            ("bytes=5", .whole), ("bytes=5-4", .whole), ("bytes=a-b", .whole), ("bytes=0-a", .whole),
            ("bytes=+0-4", .whole), ("bytes=0-+4", .whole), ("bytes=0--4", .whole), ("bytes=--4", .whole),
            ("bytes=0-4,6-8", .whole), ("bytes=0-4,", .whole), ("bytes=,0-4", .whole), ("bytes=0 -4", .whole),
            ("bytes=0- 4", .whole), ("bytes =0-4", .whole), ("bytes:0-4", .whole), ("items=0-4", .whole),
            ("bytes=0x0-4", .whole), ("bytes=0-4-5", .whole), ("bytes=0–4", .whole), ("bytes=٠-٤", .whole),
            ("bytes=0-4;", .whole), ("bytes=1.0-4", .whole), ("=0-4", .whole), ("0-4", .whole), ("bytes=\0-4", .whole),
            ("bytes=99999999999999999999-5", .whole), ("bytes bytes=0-4", .whole),
        ] as [(String, RangeVerdict)])
    func `a value of Range has its verdict for ten bytes`(_ value: String, _ verdict: RangeVerdict) {
        #expect(ByteRange.parse(value, size: 10) == verdict)
    }

    @Test(
        arguments: [
            ("bytes=0-0", .unsatisfiable), ("bytes=0-", .unsatisfiable), ("bytes=-1", .whole),
            ("bytes=-0", .unsatisfiable),
            ("bytes=x", .whole),
        ] as [(String, RangeVerdict)])
    func `empty content has no ranges`(_ value: String, _ verdict: RangeVerdict) {
        #expect(ByteRange.parse(value, size: 0) == verdict)
    }

    @Test func `any value of any size is judged without a crash, and a range lies within`() {
        var random = SeededGenerator(seed: 7)
        let alphabet = Array("bytes=0123456789-, 9".unicodeScalars)
        for _ in 0..<20_000 {
            var value = Bool.random(using: &random) ? "bytes=" : ""
            for _ in 0..<Int.random(in: 0...24, using: &random) {
                if let scalar = alphabet.randomElement(using: &random) { value.unicodeScalars.append(scalar) }
            }
            let size = [0, 1, 10, Int.max].randomElement(using: &random) ?? 0
            if case .range(let range) = ByteRange.parse(value, size: size) {
                #expect(!range.isEmpty && range.lowerBound >= 0 && range.upperBound <= size, "\(value) of \(size)")
            }
        }
    }

    @Test func `several Range lines are ignored, and Content-Range says what was sent`() {
        var fields = HTTPFields()
        #expect(ByteRange.parse(fields, size: 10) == .whole)
        fields.append(.range, "bytes=0-1")
        #expect(ByteRange.parse(fields, size: 10) == .range(0..<2))
        fields.append(.range, "bytes=0-1")
        #expect(ByteRange.parse(fields, size: 10) == .whole)
        #expect(ByteRange.contentRange(0..<2, size: 10) == "bytes 0-1/10")
        #expect(ByteRange.contentRange(unsatisfiedSize: 10) == "bytes */10")
    }
}
