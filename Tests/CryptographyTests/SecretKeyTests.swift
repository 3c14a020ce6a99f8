import Testing

@testable import Cryptography

@Suite struct SecretKeyTests {
    /// Vectors: RFC 5869, appendix A.1 to A.3.
    @Test func `HKDF gives the bytes of RFC 5869`() {
        let first = HKDF.derive(
            key: [UInt8](repeating: 0x0b, count: 22), salt: Array(0x00...0x0c), info: Array(0xf0...0xf9), length: 42)
        #expect(
            Hex.encode(first)
                == "3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf34007208d5b887185865")
        let second = HKDF.derive(
            key: Array(0x00...0x4f), salt: Array(0x60...0xaf), info: Array(0xb0...0xff), length: 82)
        #expect(
            Hex.encode(second)
                == "b11e398dc80327a1c8e7f78c596a49344f012eda2d4efad8a050cc4c19afa97c59045a99cac7827271cb41c65e590e09"
                + "da3275600c2f09b8367793a9aca3db71cc30c58179ec3e87c14c01d5c1f3434f1d87")
        let third = HKDF.derive(key: [UInt8](repeating: 0x0b, count: 22), salt: [], info: [], length: 42)
        #expect(
            Hex.encode(third)
                == "8da4e775a563c18f715f802a063c5a31b8a11f5c5ee1879ec3454e5f3c738d2d9d201395faa4b61a96c8")
    }

    @Test func `different labels and keys derive different values`() throws {
        let key = SecretKey()
        let same = try #require(SecretKey(key.bytes))
        #expect(key.derive(label: "a", length: 32) == same.derive(label: "a", length: 32))
        #expect(key.derive(label: "a", length: 32) != key.derive(label: "b", length: 32))
        #expect(key.derive(label: "a", length: 32) != SecretKey().derive(label: "a", length: 32))
        #expect(key.derive(label: "a", length: 16) == Array(key.derive(label: "a", length: 32).prefix(16)))
        #expect(key.derive(label: "a", length: 8_160).count == 8_160)
    }

    @Test func `a key of another length is rejected`() {
        #expect(SecretKey([]) == nil)
        #expect(SecretKey([UInt8](repeating: 1, count: 31)) == nil)
        #expect(SecretKey([UInt8](repeating: 1, count: 33)) == nil)
    }

    @Test func `printing a key does not reveal it`() {
        let key = SecretKey()
        var dumped = ""
        dump(key, to: &dumped)
        #expect("\(key)" == "SecretKey")
        #expect(String(reflecting: key) == "SecretKey")
        #expect(dumped == "- SecretKey\n")
    }

    @Test func `more bytes than HKDF can derive fail a precondition`() async {
        await #expect(processExitsWith: .failure) { _ = SecretKey().derive(label: "a", length: 8_161) }
        await #expect(processExitsWith: .failure) { _ = SecretKey().derive(label: "a", length: 0) }
    }
}
