import Testing

@testable import RecordModel

@Suite struct ExactSumsTests {
    private func sum(_ values: [Double], weight: Int = 1) -> ExactDoubleSums {
        var sums = ExactDoubleSums()
        // The sum under test has neighbors that must not change.
        for _ in 0..<3 { sums.append() }
        for value in values { sums.add(value, weight: weight, to: 1) }
        #expect(sums.sum(of: 0) == 0 && sums.sum(of: 2) == 0)
        return sums
    }

    @Test func `one value is its own sum, at all edges of DOUBLE`() {
        for value in [
            0, 1, 1.5, 0.1, 1e300, .greatestFiniteMagnitude, .leastNonzeroMagnitude, .leastNormalMagnitude,
            .leastNormalMagnitude.nextDown, 0x1p63, 0x1p-1074, 0x1p-1021, 0x1.fffffffffffffp-1022,
        ] {
            #expect(sum([value]).sum(of: 1) == value)
            #expect(sum([-value]).sum(of: 1) == -value)
            #expect(sum([value, -value, value]).sum(of: 1) == value)
        }
    }

    @Test func `a sum does not depend on the order of the values`() {
        #expect(sum([1e300, 1, -1e300]).sum(of: 1) == 1)
        #expect(sum([1, 1e300, -1e300]).sum(of: 1) == 1)
        #expect(sum(Array(repeating: 0.1, count: 10)).sum(of: 1) == 1)
        #expect(
            sum([.greatestFiniteMagnitude, .greatestFiniteMagnitude, -.greatestFiniteMagnitude]).sum(of: 1)
                == .greatestFiniteMagnitude)
    }

    @Test func `ties round to even, and a rest of one bit breaks a tie`() {
        #expect(sum([0x1p53, 1]).sum(of: 1) == 0x1p53)
        #expect(sum([0x1p53, 1, 0x1p-1074]).sum(of: 1) == 0x1p53 + 2)
        #expect(sum([-0x1p53, -1, -0x1p-1074]).sum(of: 1) == -0x1p53 - 2)
        #expect(sum([0x1p53, 3]).sum(of: 1) == 0x1p53 + 4)
    }

    @Test func `a sum outside the range of DOUBLE has none, but its mean is finite`() {
        let sums = sum([.greatestFiniteMagnitude, .greatestFiniteMagnitude])
        #expect(sums.sum(of: 1) == nil)
        #expect(sums.mean(of: 1, count: 2) == .greatestFiniteMagnitude)
        let many = sum([-.greatestFiniteMagnitude], weight: .max)
        #expect(many.sum(of: 1) == nil)
        #expect(many.mean(of: 1, count: .max) == -.greatestFiniteMagnitude)
    }

    @Test func `a weight counts a value many times`() {
        #expect(sum([0.5], weight: 1_000_001).sum(of: 1) == 500_000.5)
        var integers = ExactIntegerSum()
        integers.add(.max, weight: .max)
        #expect(integers.integer == nil)
        integers.add(.min, weight: .max)
        #expect(integers.integer == -.max)
        #expect(integers.double == -0x1p63)
    }

    @Test func `sums of integers are exact beyond INT64 in between`() {
        var sum = ExactIntegerSum()
        for value: Int64 in [.max, .max, .max, .min, .min, .min, 5] { sum.add(value, weight: 1) }
        #expect(sum.integer == 2)
        sum.add(.min, weight: 1)
        #expect(sum.integer == .min + 2)
        sum.add(-3, weight: 1)
        #expect(sum.integer == nil)
    }

    @Test func `random sums agree with 128-bit integers`() {
        var random = SystemRandomNumberGenerator()
        for _ in 0..<500 {
            var sums = ExactDoubleSums()
            sums.append()
            var expected = Int128(0)
            for _ in 0..<Int.random(in: 1...20, using: &random) {
                let value = Int64.random(in: -(1 << 53)...(1 << 53), using: &random) >> Int64.random(in: 0...52)
                let weight = Int.random(in: 1...1_000_000_000, using: &random)
                expected += Int128(value) * Int128(weight)
                sums.add(Double(value), weight: weight, to: 0)
            }
            #expect(sums.sum(of: 0) == Double(expected))
        }
    }
}
