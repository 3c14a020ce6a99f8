import Cryptography
import Encodings
import Testing

/// Private keys made with OpenSSL for these tests, and their signatures.
@Suite struct P256PrivateKeyTests {
    // RFC 5915, as `openssl ecparam -genkey` writes it.
    private static let traditional = """
        -----BEGIN EC PRIVATE KEY-----
        MHcCAQEEIC5coxjiB37U9GDTq7zazgSZ0HW2jv0AnNJsKsFAW7TVoAoGCCqGSM49
        AwEHoUQDQgAE6ytm9urPtsKslj2rBwXqwtE7su0rqE2LlItHRZFB8gd4GVf9mmzd
        JkRaNk4rhuQ2Dk18lLqDAl2Z0jXIkIGuOA==
        -----END EC PRIVATE KEY-----
        """
    // The same key as RFC 5958.
    private static let modern = """
        -----BEGIN PRIVATE KEY-----
        MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgLlyjGOIHftT0YNOr
        vNrOBJnQdbaO/QCc0mwqwUBbtNWhRANCAATrK2b26s+2wqyWPasHBerC0Tuy7Suo
        TYuUi0dFkUHyB3gZV/2abN0mRFo2TiuG5DYOTXyUuoMCXZnSNciQga44
        -----END PRIVATE KEY-----
        """
    private static let encrypted = """
        -----BEGIN ENCRYPTED PRIVATE KEY-----
        MIHsMFcGCSqGSIb3DQEFDTBKMCkGCSqGSIb3DQEFDDAcBAhK7uz97bMeHQICCAAw
        DAYIKoZIhvcNAgkFADAdBglghkgBZQMEASoEED+tW3jqlGpBAaC/WaWjAHUEgZB+
        ECIpXLBftfdek0vnWz+ocsYpvw7UACBWHVjv5PzXUf+rq6qOzbm2V+UJwLMylrbI
        ha1D5IaWmX7PS+JBtBRsILtpshIE6Y/I4+kHbErG659n1NXYibFgV6CWNMQPO3PH
        yPTv2yu8t6h4gQJWTE312MOZNtZpk8qE04uXG+JpDTAWnAeHVWlR6j9HuCXFcp0=
        -----END ENCRYPTED PRIVATE KEY-----
        """
    private static let otherCurve = """
        -----BEGIN EC PRIVATE KEY-----
        MIGkAgEBBDCD7+z2zsMfOAX5Ib3jrZwNClXgSehqEs6Nl+1aWFFIwf/vI9x0smAj
        KSAUV+G3i/igBwYFK4EEACKhZANiAAQF753VlbycuFeLCkB7fWppB5a46Abvitgw
        fzZrFcILyNa75RIILzkYo3fgyqlQl3VGuje0XoVtqsPn7fkx0Foj5Yke5I9R08P8
        8WkhRVcWMwVRg3mD4T1kbN/I2tPtDPY=
        -----END EC PRIVATE KEY-----
        """
    private static let publicKey = """
        -----BEGIN PUBLIC KEY-----
        MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE6ytm9urPtsKslj2rBwXqwtE7su0r
        qE2LlItHRZFB8gd4GVf9mmzdJkRaNk4rhuQ2Dk18lLqDAl2Z0jXIkIGuOA==
        -----END PUBLIC KEY-----
        """

    @Test(arguments: [traditional, modern]) func `a signature belongs to its message and its key`(pem: String) throws {
        let key = try P256PrivateKey(pem: pem)
        let publicKey = try P256PublicKey(pem: Self.publicKey)
        for message in [[], Array("message".utf8), [UInt8](repeating: 7, count: 100_000)] {
            let signature = try #require(Base64.decode(key.signature(for: message)))
            #expect(publicKey.isValid(signature: signature, for: message))
            #expect(!publicKey.isValid(signature: signature, for: message + [0]))
        }
        #expect(key.signature(for: [1]) != key.signature(for: [1]))
    }

    @Test func `text that is no such key is rejected with the reason`() {
        for (text, problem) in [
            ("", .notPEM), (Self.publicKey, .notPEM), (Self.encrypted, .encrypted), (Self.otherCurve, .notP256),
            (Self.traditional.replacing("MHc", with: "MHd"), .notPEM),
            (String(repeating: " ", count: 9_000) + Self.modern, .notPEM),
        ] as [(String, P256PrivateKey.Problem)] {
            #expect(throws: problem, "\(text)") { try P256PrivateKey(pem: text) }
        }
    }
}
