import Cryptography
import Testing

@Suite struct RandomBytesTests {
    @Test(arguments: [0, 1, 16, 32, 4_096, 2_500_000])
    func `there are as many bytes as asked for`(count: Int) {
        #expect(RandomBytes.make(count).count == count)
    }

    @Test func `no two strings are the same, and no value is missing`() {
        let strings = (0..<1_000).map { _ in RandomBytes.make(16) }
        #expect(Set(strings).count == strings.count)
        #expect(Set(strings.joined()).count == 256)
    }

    @Test func `the whole of a long buffer is filled`() {
        let bytes = RandomBytes.make(3 << 20)
        for start in stride(from: 0, to: bytes.count, by: 64) {
            // 64 zeros by chance would be one case in 2^512.
            let isFilled = bytes[start..<start + 64].contains { $0 != 0 }
            if !isFilled { Issue.record("The bytes from \(start) on are zero") }
        }
    }
}
