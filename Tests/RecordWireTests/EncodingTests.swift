import Foundation
import RecordModel
import RecordWire
import TestSupport
import Testing

/// Base64 and points in time, against Foundation.
struct EncodingTests {
    @Test func `base64 of every length agrees with Foundation`() {
        var generator = SeededGenerator(seed: 1)
        for count in 0...100 {
            let bytes = (0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) }
            let encoded = Base64.encode(bytes)
            #expect(encoded == Data(bytes).base64EncodedString())
            #expect(Base64.decode(encoded) == bytes)
        }
    }

    /// Before, decoding wrote the length of the array that all threads share.
    @Test func `base64 of no bytes is decoded without a write to shared memory`() async {
        await #expect(processExitsWith: .success) {
            let none = UnsafeRawBufferPointer(start: nil, count: 0)
            #expect(!SharedEmptyArray.isWritten { _ = Base64.decode(none) })
        }
    }

    @Test(arguments: [
        "A", "AA", "AAA", "AA=", "A===", "====", "AB==", "AAB=", "AA==AA==", "AA =", "A-_A", "AAAA\n", "AA=A", "é+AA",
        "=AAA",
    ])
    func `base64 that is not canonical is refused`(encoded: String) {
        #expect(Base64.decode(encoded) == nil)
    }

    static func milliseconds(_ text: String) -> Int64? {
        utf8(text).withUnsafeBytes { Timestamp.milliseconds($0) }
    }

    @Test func `times agree with Foundation over five centuries`() throws {
        let formatter = ISO8601DateFormatter()
        var generator = SeededGenerator(seed: 2)
        for _ in 0..<500 {
            let seconds = Int64.random(in: -8_000_000_000...8_000_000_000, using: &generator)
            let written = formatter.string(from: Date(timeIntervalSince1970: Double(seconds)))
            #expect(Self.milliseconds(written) == seconds * 1_000, "\(written)")
        }
    }

    @Test(
        arguments: [
            ("1970-01-01T00:00:00Z", 0), ("1969-12-31T23:59:59.999Z", -1), ("1970-01-01t00:00:00.5z", 500),
            ("1970-01-01T00:00:00.001000Z", 1), ("1970-01-01T00:00:00+00:01", -60_000),
            ("1970-01-01T00:00:00-23:59", 86_340_000), ("2000-02-29T00:00:00Z", 951_782_400_000),
            ("0000-01-01T00:00:00Z", -62_167_219_200_000), ("9999-12-31T23:59:59Z", 253_402_300_799_000),
        ] as [(String, Int64)])
    func `a time of RFC 3339 is read`(written: String, expected: Int64) {
        #expect(Self.milliseconds(written) == expected)
    }

    @Test(arguments: [
        "", "1970-01-01", "1970-01-01T00:00:00", "1970-01-01 00:00:00Z", "1970-13-01T00:00:00Z", "1970-00-01T00:00:00Z",
        "1970-02-29T00:00:00Z", "1900-02-29T00:00:00Z", "1970-04-31T00:00:00Z", "1970-01-00T00:00:00Z",
        "1970-01-01T24:00:00Z", "1970-01-01T00:60:00Z", "1970-01-01T00:00:60Z", "1970-01-01T00:00:00.Z",
        "1970-01-01T00:00:00.0001Z", "1970-01-01T00:00:00ZZ", "1970-01-01T00:00:00+0100", "1970-01-01T00:00:00+01",
        "1970-01-01T00:00:00+24:00", "+970-01-01T00:00:00Z", "1970-01-01T00:00:00.5", "1970-01-01T00:00:00Z ",
    ])
    func `anything else is no time`(written: String) {
        #expect(Self.milliseconds(written) == nil)
    }
}
