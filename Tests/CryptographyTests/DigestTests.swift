import Cryptography
import Testing

@Suite struct DigestTests {
    let digest = SHA256.hash(utf8: "abc")

    @Test func `every text form round-trips to the same digest`() throws {
        #expect(Digest(hex: digest.hex) == digest)
        #expect(Digest(base64: digest.base64) == digest)
        #expect(Digest(digest.bytes) == digest)
        #expect(digest.base64 == "ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0=")
        #expect(digest.description == digest.hex)
        #expect(MemoryLayout<Digest>.size == 32)
    }

    @Test func `a digest of another length is rejected`() {
        #expect(Digest([]) == nil)
        #expect(Digest([UInt8](repeating: 0, count: 31)) == nil)
        #expect(Digest([UInt8](repeating: 0, count: 33)) == nil)
        #expect(Digest(hex: String(digest.hex.dropLast(2))) == nil)
        #expect(Digest(hex: digest.hex + "00") == nil)
        #expect(Digest(base64: digest.base64 + "AAAA") == nil)
        #expect(Digest(base64: "") == nil)
    }

    @Test(arguments: 0..<32) func `a difference in any byte is a difference`(index: Int) throws {
        var bytes = digest.bytes
        bytes[index] ^= 1
        let other = try #require(Digest(bytes))
        #expect(other != digest)
        #expect(!other.isEqualInConstantTime(to: digest))
        #expect(Set([digest, other, digest]).count == 2)
    }

    @Test func `comparison of byte strings sees lengths, contents and emptiness`() {
        #expect(ConstantTime.equal([], []))
        #expect(ConstantTime.equal([1, 2], [1, 2]))
        #expect(!ConstantTime.equal([1, 2], [1, 3]))
        #expect(!ConstantTime.equal([1], [1, 0]))
        #expect(!ConstantTime.equal([], [0]))
    }
}
