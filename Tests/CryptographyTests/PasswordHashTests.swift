import Testing

@testable import Cryptography

@Suite struct PasswordHashTests {
    let password = Array("correct horse battery staple".utf8)

    /// A scheme that costs a test nothing.
    func cheap() throws -> PasswordScheme {
        try #require(PasswordScheme(.scrypt(logCost: 4, blockSize: 8, parallelism: 1)))
    }

    @Test func `a new hash is salted, of today's scheme, and matches its password alone`() throws {
        let text = try PasswordHash.hash(password)
        #expect(try PasswordHash.hash(password) != text)
        #expect(try PasswordHash.verify(password, against: text) == .yes(needsRehash: false))
        #expect(try PasswordHash.verify(password + [UInt8(ascii: "!")], against: text) == .no)
        let stored = try #require(StoredPassword(text))
        #expect(stored.scheme == .preferred)
        #expect(stored.salt.count == 16)
        #expect(stored.digest.count == 32)
        #expect(stored.text == text)
    }

    @Test func `argon2id is used if libcrypto has it`() {
        #expect(PasswordScheme.preferred == (OpenSSLAlgorithm.argon2id == nil ? .scrypt : .argon2id))
    }

    @Test func `a hash with other costs matches and needs renewal`() throws {
        let text = try PasswordHash.hash(password, scheme: cheap())
        #expect(text.hasPrefix("$scrypt$ln=4,r=8,p=1$"))
        #expect(try PasswordHash.verify(password, against: text) == .yes(needsRehash: true))
        for wrong in [[], Array("correct".utf8), Array(password.dropLast())] {
            #expect(try PasswordHash.verify(wrong, against: text) == .no)
        }
    }

    @Test func `a long password counts to its last byte`() throws {
        let long = [UInt8](repeating: UInt8(ascii: "x"), count: 256)
        let text = try PasswordHash.hash(long, scheme: cheap())
        #expect(try PasswordHash.verify(long, against: text) == .yes(needsRehash: true))
        #expect(try PasswordHash.verify(Array(long.dropLast()), against: text) == .no)
        #expect(try PasswordHash.verify(long.dropLast() + [0], against: text) == .no)
    }

    @Test func `no password matches the dummy, which costs as much as a real hash`() throws {
        #expect(try PasswordHash.verify(password, against: PasswordHash.dummy()) == .no)
        #expect(StoredPassword(PasswordHash.dummy())?.scheme == .preferred)
    }

    /// Vectors: RFC 7914 §12.
    @Test func `scrypt gives the bytes of RFC 7914`() throws {
        let empty = try #require(PasswordScheme(.scrypt(logCost: 4, blockSize: 1, parallelism: 1)))
        #expect(
            Hex.encode(try empty.derive(password: [], salt: [], length: 64))
                == "77d6576238657b203b19ca42c18a0497f16b4844e3074ae8dfdffa3fede21442"
                + "fcd0069ded0948f8326a753a0fc81f17e8d3e0fb2e0d3628cf35e20c38d18906")
        let salted = try #require(PasswordScheme(.scrypt(logCost: 10, blockSize: 8, parallelism: 16)))
        #expect(
            Hex.encode(try salted.derive(password: Array("password".utf8), salt: Array("NaCl".utf8), length: 64))
                == "fdbabe1c9d3472007856e7190d01e9fe7c6ad7cbc8237830e77376634b373162"
                + "2eaf30d92e22a3886ff109279d9830dac727afb94a83ee6d8360cbdfa2cc0640")
    }

    /// Made by the reference implementation's command line: `argon2 somesalt -id -t 2 -m 16 -p 1 -l 32` on "password".
    @Test(.enabled(if: OpenSSLAlgorithm.argon2id != nil, "libcrypto has no argon2id"))
    func `argon2id gives the bytes of the reference implementation`() throws {
        let text =
            "$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc"
        #expect(try PasswordHash.verify(Array("password".utf8), against: text) == .yes(needsRehash: true))
        #expect(try PasswordHash.verify(Array("passwore".utf8), against: text) == .no)
    }

    @Test(.enabled(if: OpenSSLAlgorithm.argon2id == nil, "libcrypto has argon2id"))
    func `a hash that needs a newer libcrypto is an error, not a wrong password`() throws {
        let text = StoredPassword(scheme: .argon2id, salt: RandomBytes.make(16), digest: RandomBytes.make(32)).text
        #expect(text.hasPrefix("$argon2id$v=19$m=19456,t=2,p=1$"))
        #expect(throws: CryptographyError.unavailable(algorithm: "argon2id")) {
            try PasswordHash.verify(password, against: text)
        }
    }

    @Test(arguments: [
        "", "$", "password", "$scrypt", "$scrypt$ln=4,r=8,p=1", "$scrypt$ln=4,r=8,p=1$c29tZXNhbHQ",
        "$scrypt$ln=4,r=8,p=1$c29tZXNhbHQ$", "$scrypt$ln=4,r=8,p=1$c29tZXNhbHQ$c2hvcnQ",
        "$scrypt$ln=4,r=8,p=1$c2FsdA$AAAAAAAAAAAAAAAAAAAAAA", "$scrypt$r=8,ln=4,p=1$c29tZXNhbHQ$AAAAAAAAAAAAAAAAAAAAAA",
        "$scrypt$ln=4,r=8$c29tZXNhbHQ$AAAAAAAAAAAAAAAAAAAAAA",
        "$scrypt$ln=+4,r=8,p=1$c29tZXNhbHQ$AAAAAAAAAAAAAAAAAAAAAA",
        "$scrypt$ln=04,r=8,p=1$c29tZXNhbHQ$AAAAAAAAAAAAAAAAAAAAAA",
        "$scrypt$ln=4,r=8,p=1$c29tZXNhbHQ$AAAAAAAAAAAAAAAAAAAAAA==",
        "$scrypt$ln=4,r=8,p=1$c29tZXNhbHQ$AAAAAAAAAAAAAAAAAAAAAA$", "$argon2i$v=19$m=64,t=1,p=1$c29tZXNhbHQ$AAAA",
        "$argon2id$m=64,t=1,p=1$c29tZXNhbHQ$AAAAAAAAAAAAAAAAAAAAAA",
        "$argon2id$v=16$m=64,t=1,p=1$c29tZXNhbHQ$AAAAAAAAAAAAAAAAAAAAAA",
        "$bcrypt$ln=4,r=8,p=1$c29tZXNhbHQ$AAAAAAAAAAAAAAAAAAAAAA",
    ])
    func `a malformed text is an error`(text: String) {
        #expect(throws: CryptographyError.malformedPasswordHash) { try PasswordHash.verify(password, against: text) }
    }

    @Test func `costs out of bounds are rejected`() {
        let max = UInt32.max
        for (logCost, blockSize, parallelism) in [
            (0, 8, 1), (21, 1, 1), (20, 8, 1), (max, 8, 1), (4, 0, 1), (4, 33, 1), (4, max, 1), (4, 8, 0), (4, 8, 17),
            (4, 8, max), (16, 1, 1),
        ] as [(UInt32, UInt32, UInt32)] {
            #expect(
                PasswordScheme(.scrypt(logCost: logCost, blockSize: blockSize, parallelism: parallelism)) == nil)
        }
        for (memory, passes, lanes) in [
            (7, 1, 1), (15, 1, 2), (262_145, 1, 1), (max, 1, 1), (64, 0, 1), (64, 17, 1), (64, 1, 0), (1_024, 1, 17),
            (64, 1, max),
        ] as [(UInt32, UInt32, UInt32)] {
            #expect(PasswordScheme(.argon2id(memory: memory, passes: passes, lanes: lanes)) == nil)
        }
        #expect(PasswordScheme(.scrypt(logCost: 18, blockSize: 8, parallelism: 16)) != nil)
        #expect(PasswordScheme(.argon2id(memory: 262_144, passes: 16, lanes: 16)) != nil)
    }

    @Test func `the largest accepted costs can be computed`() throws {
        let scheme = try #require(PasswordScheme(.scrypt(logCost: 18, blockSize: 8, parallelism: 1)))
        let digest = try scheme.derive(password: password, salt: [1, 2, 3, 4, 5, 6, 7, 8], length: 32)
        #expect(digest.count == 32)
    }

    @Test func `the library reports its name and version`() {
        #expect(LibraryVersion.openSSL.hasPrefix("OpenSSL 3."))
    }
}
