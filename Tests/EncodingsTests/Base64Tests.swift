import Cryptography
import Encodings
import Foundation
import TestSupport
import Testing

@Suite struct Base64Tests {
    /// Vectors: RFC 4648 §10.
    static let vectors = [
        ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="), ("fooba", "Zm9vYmE="),
        ("foobar", "Zm9vYmFy"),
    ]

    @Test(arguments: vectors) func `a text is the one of RFC 4648`(plain: String, text: String) {
        let bytes = Array(plain.utf8)
        #expect(Base64.encode(bytes) == text)
        #expect(Base64.decode(text) == bytes)
        #expect(Base64.encodedCount(bytes.count) == text.utf8.count)
        let unpadded = text.filter { $0 != "=" }
        #expect(Base64URL.encode(bytes) == unpadded)
        #expect(Base64URL.decode(unpadded) == bytes)
        if unpadded != text {
            #expect(Base64URL.decode(text) == nil)
            #expect(Base64.decode(unpadded) == nil)
        }
    }

    @Test func `every length round-trips to the same bytes`() {
        for count in 0...300 {
            let bytes = RandomBytes.make(count)
            #expect(Base64.decode(Base64.encode(bytes)) == bytes)
            #expect(Base64URL.decode(Base64URL.encode(bytes)) == bytes)
        }
    }

    /// Decoding must not write the length of the array that all threads share.
    @Test func `a text of no bytes is decoded without a write to shared memory`() async {
        await #expect(processExitsWith: .success) {
            let none = UnsafeRawBufferPointer(start: nil, count: 0)
            #expect(!SharedEmptyArray.isWritten { _ = Base64.decode(none) })
            #expect(!SharedEmptyArray.isWritten { _ = Base64URL.decode(none) })
        }
    }

    @Test func `every byte round-trips at every position`() {
        for place in 0..<3 {
            for byte in UInt8.min...UInt8.max {
                var bytes: [UInt8] = [0x5a, 0xa5, 0x3c]
                bytes[place] = byte
                #expect(Base64.decode(Base64.encode(bytes)) == bytes)
            }
        }
    }

    @Test func `the two alphabets differ in two characters`() {
        #expect(Base64.encode([0xfb, 0xff, 0xbf]) == "+/+/")
        #expect(Base64URL.encode([0xfb, 0xff, 0xbf]) == "-_-_")
        #expect(Base64.decode("-_-_") == nil)
        #expect(Base64URL.decode("+/+/") == nil)
    }

    @Test(arguments: [
        "Zg", "Zg=", "Zg===", "Zm8", "Zm9vY", "=", "==", "===", "====", "A===", "Z=g=", "Zg==Zg==", "Zm8=Zm8=",
        "Zm9v\n", "Zm9v\r\n", " Zm9v", "Zm 9v", "Zm9v====", "Zm9*", "Zm9vZm9\u{e9}", "Zm9vZm9\0",
    ])
    func `a malformed text is rejected`(text: String) {
        #expect(Base64.decode(text) == nil)
    }

    @Test func `unused bits must be zero`() {
        // RFC 4648 §3.5: "Zh==" would otherwise be a second text for "f".
        for last in "hijklmnopqrstuv" { #expect(Base64.decode("Z\(last)==") == nil) }
        for last in "9+/" { #expect(Base64.decode("Zm\(last)=") == nil) }
        #expect(Base64URL.decode("Zh") == nil)
        #expect(Base64URL.decode("Zm9") == nil)
        #expect(Base64URL.decode("Z") == nil)
    }

    @Test func `a foreign byte is found at every position`() throws {
        let text = Array(Base64.encode(RandomBytes.make(30)).utf8)
        let alphabet = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
        for index in text.indices {
            for byte in UInt8.min...UInt8.max where !alphabet.contains(byte) {
                var changed = text
                changed[index] = byte
                if Base64.decode(changed) != nil, !(index == text.count - 1 && byte == UInt8(ascii: "=")) {
                    Issue.record("Byte \(byte) at \(index) was accepted")
                }
            }
        }
    }

    @Test func `text is appended after existing bytes`() {
        var output = Array("data: ".utf8)
        Base64.encode(Array("foobar".utf8), into: &output)
        Base64.encode([], into: &output)
        Base64.encode(Array("f".utf8), into: &output)
        #expect(output == Array("data: Zm9vYmFyZg==".utf8))
    }

    @Test func `the size is known before decoding`() {
        for count in 0...50 {
            let text = Array(Base64.encode(RandomBytes.make(count)).utf8)
            #expect(text.withUnsafeBytes { Base64.decodedCount($0) } == count)
        }
        #expect([UInt8(ascii: "Z")].withUnsafeBytes { Base64.decodedCount($0) } == nil)
    }

    @Test func `hexadecimal digits are read in both cases and written in lower case`() {
        #expect(Hex.encode([0x00, 0x1f, 0xAB, 0xff]) == "001fabff")
        #expect(Hex.decode("001FabFF") == [0x00, 0x1f, 0xab, 0xff])
        #expect(Hex.decode("") == [])
        for text in ["0", "0g", "0 ", "٠٠", "0x00", "00\n"] { #expect(Hex.decode(text) == nil) }
        let bytes = RandomBytes.make(100)
        #expect(Hex.decode(Hex.encode(bytes)) == bytes)
    }

    @Test func `texts of every length agree with Foundation`() {
        var generator = SeededGenerator(seed: 1)
        for count in 0...100 {
            let bytes = (0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) }
            let encoded = Base64.encode(bytes)
            #expect(encoded == Data(bytes).base64EncodedString())
            #expect(Base64.decode(encoded) == bytes)
        }
    }

    @Test(arguments: [
        "A", "AA", "AAA", "AA=", "A===", "====", "AB==", "AAB=", "AA==AA==", "AA =", "A-_A", "AAAA\n", "AA=A", "é+AA",
        "=AAA",
    ])
    func `base64 that is not canonical is rejected`(encoded: String) {
        #expect(Base64.decode(encoded) == nil)
        #expect(Array(encoded.utf8).withUnsafeBytes { Base64.decodedCount($0) } == nil)
    }

    @Test func `the length of what a text decodes to is known without decoding it`() {
        var generator = SeededGenerator(seed: 2)
        let letters = Array("AQgw/+=-_ ".utf8)
        for _ in 0..<20_000 {
            let count = Int.random(in: 0...9, using: &generator)
            let text = (0..<count).map { _ in letters.randomElement(using: &generator) ?? 0 }
            #expect(text.withUnsafeBytes { Base64.decodedCount($0) } == Base64.decode(text)?.count)
        }
    }
}
