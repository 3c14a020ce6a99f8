import Cryptography
import Testing

/// Vectors: NIST CSRC, "SHA-256 Examples" and the Cryptographic Algorithm Validation Program (SHA256ShortMsg).
@Suite struct SHA256Tests {
    static let vectors: [(message: [UInt8], hex: String)] = [
        ([], "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
        (Array("abc".utf8), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
        (
            Array("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq".utf8),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
        ),
        ([0xd3], "28969cdfa74a12c82f3bad960b0b000aca2ac329deea5c2328ebc6f2ba9802c1"),
        ([0x11, 0xaf], "5ca7133fa735326081558ac312c620eeca9970d1e70a4b95533d956f072d1f98"),
    ]

    @Test(arguments: vectors) func `digests match NIST's vectors`(message: [UInt8], hex: String) {
        #expect(SHA256.hash(message).hex == hex)
    }

    @Test func `a million times "a" has the published digest, however it is cut`() {
        let hasher = SHA256Hasher()
        let expected = "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"
        for pieceCount in [1, 63, 64, 65, 4_096, 1_000_000] {
            let piece = [UInt8](repeating: UInt8(ascii: "a"), count: pieceCount)
            for _ in 0..<(1_000_000 / pieceCount) { hasher.update(piece) }
            hasher.update(Array(piece.prefix(1_000_000 % pieceCount)))
            #expect(hasher.finalize().hex == expected)
        }
    }

    @Test func `a hasher starts over after each digest`() {
        let hasher = SHA256Hasher()
        hasher.update(Array("abc".utf8))
        #expect(hasher.finalize() == SHA256.hash(utf8: "abc"))
        #expect(hasher.finalize() == SHA256.hash([]))
    }
}
