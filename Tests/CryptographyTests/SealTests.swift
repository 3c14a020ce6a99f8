import Testing

@testable import Cryptography

@Suite struct SealTests {
    /// Vector: RFC 5297, appendix A.1.
    @Test func `a sealed value matches RFC 5297 and is deterministic`() throws {
        let key = try #require(Hex.decode("fffefdfcfbfaf9f8f7f6f5f4f3f2f1f0f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff"))
        let context = try #require(Hex.decode("101112131415161718191a1b1c1d1e1f2021222324252627"))
        let plaintext = try #require(Hex.decode("112233445566778899aabbccddee"))
        let seal = try Seal(key: key)
        let sealed = seal.seal(plaintext, context: context)
        #expect(Hex.encode(sealed) == "85632d07c6e8f37f950acd320a2ecc9340c02b9690c4dc04daef7f6afe5c")
        #expect(seal.seal(plaintext, context: context) == sealed)
        #expect(seal.open(sealed, context: context) == plaintext)
    }

    /// Vector: RFC 5297, appendix A.2, whose nonce is the last of three associated strings.
    @Test func `several associated strings give the value of RFC 5297, based on a nonce`() throws {
        let key = try #require(Hex.decode("7f7e7d7c7b7a79787776757473727170404142434445464748494a4b4c4d4e4f"))
        let associated = try [
            #require(
                Hex.decode("00112233445566778899aabbccddeeffdeaddadadeaddadaffeeddccbbaa99887766554433221100")),
            #require(Hex.decode("102030405060708090a0")),
            #require(Hex.decode("09f911029d74e35bd84156c5635688c0")),
        ]
        let plaintext = try #require(
            Hex.decode(
                "7468697320697320736f6d6520706c61696e7465787420746f20656e6372797074207573696e67205349562d414553"))
        let expected =
            "7bdb6e3b432667eb06f4d14bff2fbd0fcb900f2fddbe404326601965c889bf17"
            + "dba77ceb094fa663b7a3f748ba8af829ea64ad544a272e9c485b62a3fd5c0d"
        let seal = try Seal(key: key)
        #expect(Hex.encode(seal.seal(plaintext, associated: associated)) == expected)
        let sealed = try #require(Hex.decode(expected))
        #expect(seal.open(sealed, associated: associated) == plaintext)
        #expect(seal.open(sealed, associated: associated.reversed()) == nil)
    }

    @Test(arguments: [1, 2, 15, 16, 17, 31, 32, 33, 100, 1_000])
    func `every length round-trips to the same bytes`(count: Int) throws {
        let seal = try Seal(secret: SecretKey(), label: "token")
        let plaintext = RandomBytes.make(count)
        for context in [[], [0], Array("zone".utf8)] {
            let sealed = seal.seal(plaintext, context: context)
            #expect(sealed.count == count + Seal.overhead)
            #expect(seal.open(sealed, context: context) == plaintext)
        }
    }

    @Test(arguments: [1, 16, 40])
    func `a change of any bit is rejected`(count: Int) throws {
        let seal = try Seal(secret: SecretKey(), label: "token")
        let context = Array("caller".utf8)
        let sealed = seal.seal(RandomBytes.make(count), context: context)
        for index in sealed.indices {
            for bit in 0..<8 {
                var changed = sealed
                changed[index] ^= 1 << bit
                #expect(seal.open(changed, context: context) == nil)
            }
        }
    }

    @Test func `a shorter, longer or empty value is rejected`() throws {
        let seal = try Seal(secret: SecretKey(), label: "token")
        let sealed = seal.seal([1, 2, 3, 4], context: [])
        for count in 0..<sealed.count { #expect(seal.open(Array(sealed.prefix(count)), context: []) == nil) }
        #expect(seal.open(sealed + [0], context: []) == nil)
        #expect(seal.open(Array(sealed.dropFirst()), context: []) == nil)
    }

    @Test func `another context, label or secret is rejected`() throws {
        let secret = SecretKey()
        let seal = try Seal(secret: secret, label: "token")
        let sealed = seal.seal([1, 2, 3, 4], context: [7])
        #expect(seal.open(sealed, context: [7]) == [1, 2, 3, 4])
        #expect(seal.open(sealed, context: []) == nil)
        #expect(seal.open(sealed, context: [8]) == nil)
        #expect(seal.open(sealed, context: [7, 0]) == nil)
        #expect(try Seal(secret: secret, label: "cursor").open(sealed, context: [7]) == nil)
        #expect(try Seal(secret: SecretKey(), label: "token").open(sealed, context: [7]) == nil)
    }

    @Test func `one prepared key serves many tasks at once`() async throws {
        let seal = try Seal(secret: SecretKey(), label: "token")
        await withTaskGroup(of: Bool.self) { group in
            for number in UInt8(1)...8 {
                group.addTask {
                    let plaintext = [UInt8](repeating: number, count: 40)
                    let first = seal.seal(plaintext, context: [number])
                    return (0..<500).allSatisfy { _ in
                        seal.seal(plaintext, context: [number]) == first
                            && seal.open(first, context: [number]) == plaintext && seal.open(first, context: [0]) == nil
                    }
                }
            }
            for await agrees in group { #expect(agrees) }
        }
    }

    @Test func `sealing nothing fails a precondition`() async {
        await #expect(processExitsWith: .failure) {
            _ = try Seal(secret: SecretKey(), label: "token").seal([], context: [1])
        }
    }
}
