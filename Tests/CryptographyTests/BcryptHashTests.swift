import Testing

@testable import Cryptography

@Suite struct BcryptHashTests {
    /// Vectors: crypt_blowfish's wrapper.c, and the tests of Go's x/crypto/bcrypt ("allmine").
    static let vectors: [(String, [UInt8])] = [
        ("$2a$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW", Array("U*U".utf8)),
        ("$2a$05$CCCCCCCCCCCCCCCCCCCCC.VGOzA784oUp/Z0DY336zx7pLYAy0lwK", Array("U*U*".utf8)),
        ("$2a$05$CCCCCCCCCCCCCCCCCCCCC.7uG0VCzI2bS7j6ymqJi9CdcdxiRTWNy", []),
        ("$2a$10$XajjQvNhvvRt5GSeFk1xFeyqRrsxkhBkUiQeg0dt.wU1qD4aFDcga", Array("allmine".utf8)),
        ("$2y$05$/OK.fbVrR/bpIqNJ5ianF.CE5elHaaO4EbggVDjb8P19RukzXSM3e", [0xFF, 0xFF, 0xA3]),
        ("$2y$05$/OK.fbVrR/bpIqNJ5ianF.Sa7shbm4.OzKpvFnX1pQLmQW96oUlCq", [0xA3]),
        ("$2b$04$abcdefghijklmnopqrstuujydOTSfIH/d5oUHpsygqV5X9xJLQc6e", Array("correct horse".utf8)),
    ]

    @Test(arguments: vectors) func `a hash of another server matches its password alone, and needs renewal`(
        text: String, password: [UInt8]
    ) throws {
        #expect(PasswordHash.isSupported(text))
        #expect(try PasswordHash.verify(password, against: text) == .yes(needsRehash: true))
        #expect(try PasswordHash.verify(password + [UInt8(ascii: "!")], against: text) == .no)
        #expect(try PasswordHash.verify(Array("other".utf8), against: text) == .no)
    }

    @Test(arguments: ["$2a$", "$2b$", "$2y$"]) func `the three prefixes name one method`(prefix: String) throws {
        let text = prefix + "05$/OK.fbVrR/bpIqNJ5ianF.CE5elHaaO4EbggVDjb8P19RukzXSM3e"
        #expect(try PasswordHash.verify([0xFF, 0xFF, 0xA3], against: text) == .yes(needsRehash: true))
    }

    @Test func `bcrypt compares 72 bytes of a password`() throws {
        // crypt_blowfish's vector of a password that is longer.
        let text = "$2a$05$abcdefghijklmnopqrstuu5s2v8.iXieOjg/.AySBTTZIIVFJeBui"
        let password = Array(
            "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789chars after 72 are ignored".utf8)
        #expect(try PasswordHash.verify(password, against: text) == .yes(needsRehash: true))
        #expect(try PasswordHash.verify(Array(password.prefix(72)), against: text) == .yes(needsRehash: true))
        #expect(try PasswordHash.verify(Array(password.prefix(71)), against: text) == .no)
    }

    @Test func `a password with a NUL does not end there`() throws {
        let text = "$2a$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW"
        #expect(try PasswordHash.verify(Array("U*U\0".utf8), against: text) == .no)
        #expect(try PasswordHash.verify(Array("U*U\0more".utf8), against: text) == .no)
    }

    @Test(arguments: [
        "", "$2a$", "$2x$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW",
        "$2$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeWx",
        "$2a$03$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW",
        "$2a$16$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW",
        "$2a$31$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW",
        "$2a$+5$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW",
        "$2a$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOe",
        "$2a$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeWW",
        "$2a$05$CCCCCCCCCCCCCCCCCCCC$.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW",
        "$2a$05$CCCCCCCCCCCCCCCCCCCC\u{E9}E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW",
        "$2a$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyO\r\n", "$1$abcdefgh$xxxxxxxxxxxxxxxxxxxxxx",
    ]) func `malformed hashes and costs out of bounds are rejected without any work`(text: String) throws {
        #expect(!PasswordHash.isSupported(text))
        #expect(throws: CryptographyError.malformedPasswordHash) {
            try PasswordHash.verify(Array("U*U".utf8), against: text)
        }
    }
}
