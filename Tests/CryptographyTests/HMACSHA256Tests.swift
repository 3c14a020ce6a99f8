import Cryptography
import Testing

/// Vectors: RFC 4231 §4 (test case 5, a truncated code, is left out: codes are never truncated here).
@Suite struct HMACSHA256Tests {
    static let vectors: [(key: [UInt8], message: [UInt8], hex: String)] = [
        (
            [UInt8](repeating: 0x0b, count: 20), Array("Hi There".utf8),
            "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"
        ),
        (
            Array("Jefe".utf8), Array("what do ya want for nothing?".utf8),
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
        ),
        (
            [UInt8](repeating: 0xaa, count: 20), [UInt8](repeating: 0xdd, count: 50),
            "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe"
        ),
        (
            Array(0x01...0x19), [UInt8](repeating: 0xcd, count: 50),
            "82558a389a443c0ea4cc819899f2083a85f0faa3e578f8077a2e3ff46729665b"
        ),
        (
            [UInt8](repeating: 0xaa, count: 131), Array("Test Using Larger Than Block-Size Key - Hash Key First".utf8),
            "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"
        ),
        (
            [UInt8](repeating: 0xaa, count: 131),
            Array(
                ("This is a test using a larger than block-size key and a larger than block-size data. "
                    + "The key needs to be hashed before being used by the HMAC algorithm.").utf8),
            "9b09ffa71b942fcb27635fbcd5b0e944bfdc63644f0713938a7f51535c3a35e2"
        ),
        ([], [], "b613679a0814d9ec772f95d778c35fc5ff1697c493715653c6c712144292c5ad"),
    ]

    @Test(arguments: vectors)
    func `codes match RFC 4231`(key: [UInt8], message: [UInt8], hex: String) {
        let hmac = HMACSHA256(key: key)
        #expect(hmac.code(for: message).hex == hex)
        #expect(hmac.code(for: message).hex == hex, "the prepared key is not used up")
    }

    @Test func `a changed, shortened or lengthened code is rejected`() {
        let hmac = HMACSHA256(secret: SecretKey(), label: "test")
        let message = Array("asset".utf8)
        let code = hmac.code(for: message).bytes
        #expect(hmac.isValid(code, for: message))
        for index in code.indices {
            var changed = code
            changed[index] ^= 0x80
            #expect(!hmac.isValid(changed, for: message))
        }
        #expect(!hmac.isValid(Array(code.dropLast()), for: message))
        #expect(!hmac.isValid(code + [0], for: message))
        #expect(!hmac.isValid([], for: message))
        #expect(!hmac.isValid(code, for: message + [0]))
    }

    @Test func `one prepared key serves many tasks at once`() async {
        let hmac = HMACSHA256(key: Array("Jefe".utf8))
        let messages = (0..<8).map { [UInt8](repeating: UInt8($0), count: 100) }
        let alone = messages.map { hmac.code(for: $0) }
        await withTaskGroup(of: Bool.self) { group in
            for (message, code) in zip(messages, alone) {
                group.addTask { (0..<500).allSatisfy { _ in hmac.code(for: message) == code } }
            }
            for await agrees in group { #expect(agrees) }
        }
    }
}
