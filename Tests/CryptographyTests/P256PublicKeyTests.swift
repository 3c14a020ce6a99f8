import Cryptography
import Encodings
import Testing

/// Signatures on P-256, made with OpenSSL for the reference of CloudKit Web Services.
@Suite struct P256PublicKeyTests {
    static let pem = """
        -----BEGIN PUBLIC KEY-----
        MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE++NPMwobeJA0EhdqHX6mBeW5lajs
        PFn/dRa4DN1MBvNweWAvbMWCShqdpkCNMUUtve8LUDFLOxVNGcv95IwJWA==
        -----END PUBLIC KEY-----

        """
    static let path = "/database/1/iCloud.org.example.Orchard/development/public"
    static let vectors = [
        (
            "2026-03-01T12:00:00Z:6qyrATmxUYA8hZfNyYVX+PQnHXFtQOVeBkfM9ZYlVZc=:\(path)/records/query",
            "MEYCIQDUF1VBgtPvpxy6WLu/NNFOfRXc7W42wKSaaJ01V4FgAwIhAJWOPCFqhYNPUSkgnaB8aHO4eY0qGfmrGCjJiYD7/h0E"
        ),
        (
            "2026-03-01T12:00:00Z::\(path)/zones/list",
            "MEQCIBRe3OjYCm5Vnimf6p1KFxtcv6K9db6loaVTnGL1izo0AiBw5g5rj0ghclml7IRAINmMwg5YEE6A3oy2xC/JicXVzQ=="
        ),
    ]

    /// The numbers r and s of a DER signature, 32 bytes each.
    static func numbers(_ der: [UInt8]) -> [UInt8] {
        var (result, index) = ([UInt8](), 2)
        while index + 1 < der.count {
            let count = Int(der[index + 1])
            let number = der[(index + 2)..<(index + 2 + count)].drop { $0 == 0 }
            result += [UInt8](repeating: 0, count: 32 - number.count) + number
            index += 2 + count
        }
        return result
    }

    @Test(arguments: 0..<2) func `a signature in DER and as two numbers is valid for its message only`(_ index: Int)
        throws
    {
        let key = try P256PublicKey(pem: Self.pem)
        let (text, base64) = Self.vectors[index]
        let message = Array(text.utf8)
        let signature = try #require(Base64.decode(base64))
        #expect(key.isValid(signature: signature, for: message))
        let raw = Self.numbers(signature)
        #expect(raw.count == 64 && key.isValid(signature: raw, for: message))
        #expect(!key.isValid(signature: signature, for: message + [0x20]))
        #expect(!key.isValid(signature: signature, for: []))
        let other = try #require(Base64.decode(Self.vectors[1 - index].1))
        #expect(!key.isValid(signature: other, for: message))
    }

    @Test func `every changed, cut or lengthened signature is invalid`() throws {
        let key = try P256PublicKey(pem: Self.pem)
        let message = Array(Self.vectors[0].0.utf8)
        let signature = try #require(Base64.decode(Self.vectors[0].1))
        for form in [signature, Self.numbers(signature)] {
            for index in form.indices {
                var changed = form
                changed[index] ^= 1
                #expect(!key.isValid(signature: changed, for: message), "byte \(index)")
                #expect(!key.isValid(signature: Array(form[..<index]), for: message), "\(index) bytes")
            }
            #expect(!key.isValid(signature: form + [0], for: message))
        }
        // r and s of zero: a verifier that skips the range check accepts them for every message (CVE-2022-21449).
        #expect(!key.isValid(signature: [UInt8](repeating: 0, count: 64), for: message))
        #expect(!key.isValid(signature: [0x30, 6, 2, 1, 0, 2, 1, 0], for: message))
    }

    @Test func `another key does not verify the signature`() throws {
        let other = try P256PublicKey(
            pem: """
                -----BEGIN PUBLIC KEY-----
                MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEJIs8L0dP+Cx3wA5KDioNZXQRxOvJ
                uA/8jh6G0S5bkEjeYA8MVtKMkbog9Wt2Ig0hTuzjg0KhKDaJ753f4ZSF0Q==
                -----END PUBLIC KEY-----
                """)
        let signature = try #require(Base64.decode(Self.vectors[0].1))
        #expect(!other.isValid(signature: signature, for: Array(Self.vectors[0].0.utf8)))
    }

    @Test func `a key is the same whatever the form of its point and of its text`() throws {
        let key = try P256PublicKey(pem: Self.pem)
        #expect(key.pem == Self.pem && key.subjectPublicKeyInfo.count == 91)
        let windows = Self.pem.replacing("\n", with: "\r\n")
        #expect(try P256PublicKey(pem: "\n  " + windows) == key)
        // The point compressed: 02 or 03 and x.
        let info = key.subjectPublicKeyInfo
        let point = info.suffix(64)
        let isOdd = (point.last ?? 0) & 1
        let compressed = [0x30, 0x39] + info[2..<23] + [0x03, 0x22, 0x00, 0x02 | isOdd] + point.prefix(32)
        #expect(try P256PublicKey(subjectPublicKeyInfo: compressed) == key)
    }

    @Test func `text and bytes that are no such key are rejected with the reason`() throws {
        let body = try P256PublicKey(pem: Self.pem).subjectPublicKeyInfo
        for (text, problem) in [
            ("", .notPEM), ("abc", .notPEM), (Self.pem.replacing("PUBLIC", with: "EC PRIVATE"), .privateKey),
            (Self.pem.replacing("PUBLIC", with: "PRIVATE"), .privateKey), (Self.pem + Self.pem, .notPEM),
            ("-----BEGIN PUBLIC KEY-----\n-----END PUBLIC KEY-----", .notP256),
            (Self.pem.replacing("BEGIN PUBLIC KEY", with: "BEGIN CERTIFICATE"), .notPEM),
        ] as [(String, P256PublicKey.Problem)] {
            #expect(throws: problem, "\(text)") { try P256PublicKey(pem: text) }
        }
        // The curve secp256k1, whose points have the same length.
        let koblitz = try #require(
            Base64.decode(
                """
                MFYwEAYHKoZIzj0CAQYFK4EEAAoDQgAESVtrGks6j55jy46rTpez+ukPtjOW/hTbrOI8pUVO358BHF97ooRoqC4soq4s4jeypnuj\
                UykfWLyZUYNkaF+74g==
                """))
        var offCurve = body
        offCurve[90] ^= 1
        for bytes in [koblitz, offCurve, body + [0], Array(body.dropLast()), []] {
            #expect(throws: P256PublicKey.Problem.notP256) { try P256PublicKey(subjectPublicKeyInfo: bytes) }
        }
    }
}
