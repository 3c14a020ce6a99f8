import Cryptography
import Testing

/// Vectors: RFC 1321 §A.5, RFC 3174 §7.3 and FIPS 180-4 for "abc".
@Suite struct MessageDigestTests {
    @Test(arguments: [
        (DigestAlgorithm.md5, "900150983cd24fb0d6963f7d28e17f72"),
        (.sha1, "a9993e364706816aba3e25717850c26c9cd0d89d"),
        (.sha256, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
    ]) func `digests match the published values, however the message is cut`(
        _ algorithm: DigestAlgorithm, _ hex: String
    )
        throws
    {
        for pieces in [["abc"], ["a", "", "bc"], ["a", "b", "c"]] {
            let digest = try #require(MessageDigest(algorithm))
            for piece in pieces { digest.update(Array(piece.utf8)) }
            let found = digest.finalize()
            #expect(Hex.encode(found) == hex && found.count == algorithm.byteCount)
        }
    }

    @Test func `a copied hasher is independent`() {
        let hasher = SHA256Hasher()
        hasher.update(Array("ab".utf8))
        let copy = SHA256Hasher(copying: hasher)
        hasher.update(Array("x".utf8))
        copy.update(Array("c".utf8))
        #expect(copy.finalize() == SHA256.hash(utf8: "abc") && hasher.finalize() == SHA256.hash(utf8: "abx"))
        #expect(copy.finalize() == SHA256.hash([]))
    }
}
