import TLS
import TestSupport
import Testing

@Suite struct TLSIdentityTests {
    private static func load(_ certificates: String, _ key: String) throws(TLSProblem) -> TLSIdentity {
        try TLSIdentity(certificates: Array(certificates.utf8), key: Array(key.utf8))
    }

    struct Case: Sendable, CustomTestStringConvertible {
        let name: String
        let certificates: String
        let key: String
        let problem: TLSProblem

        var testDescription: String { name }
    }

    private static let (certificate, key) = (TestCertificates.certificate, TestCertificates.key)
    private static let der = "0\u{1}binary"
    /// A PEM text whose content is cut.
    private static func cut(_ text: String) -> String {
        var lines = text.split(separator: "\n")
        lines.remove(at: 1)
        return lines.joined(separator: "\n") + "\n"
    }

    @Test(arguments: [
        Case(name: "empty certificate", certificates: "", key: key, problem: .noCertificate),
        Case(name: "no PEM", certificates: der, key: key, problem: .noCertificate),
        Case(name: "key instead of a certificate", certificates: key, key: key, problem: .noCertificate),
        Case(name: "damaged certificate", certificates: cut(certificate), key: key, problem: .damagedCertificate),
        Case(
            name: "damaged issuer", certificates: certificate + cut(TestCertificates.authority), key: key,
            problem: .damagedCertificate),
        Case(name: "empty key", certificates: certificate, key: "", problem: .noKey),
        Case(name: "certificate instead of a key", certificates: certificate, key: certificate, problem: .noKey),
        Case(name: "damaged key", certificates: certificate, key: cut(key), problem: .damagedKey),
        Case(
            name: "key with a passphrase", certificates: certificate, key: TestCertificates.encryptedKey,
            problem: .encryptedKey),
        Case(
            name: "key of another certificate", certificates: certificate, key: TestCertificates.otherKey,
            problem: .otherKey),
        Case(
            name: "issuer first", certificates: TestCertificates.authority + certificate, key: key, problem: .otherKey),
        Case(
            name: "weak key", certificates: TestCertificates.weakCertificate, key: TestCertificates.weakKey,
            problem: .rejected("ee key too small")),
    ])
    func `what cannot be used has its own problem`(_ row: Case) {
        #expect(throws: row.problem) { try Self.load(row.certificates, row.key) }
    }

    @Test func `the validity is that of the first certificate`() throws {
        let identity = try Self.load(Self.certificate + TestCertificates.authority, Self.key)
        #expect(identity.validity == 1_704_067_200..<4_859_740_800)
        let expired = try Self.load(TestCertificates.expired, Self.key)
        #expect(expired.validity == 1_577_836_800..<1_609_459_200)
    }

    @Test func `a file can have both, in any order, with comments`() throws {
        let text = "Bag attributes\n" + Self.key + "subject=CN = localhost\n" + Self.certificate
        #expect(throws: Never.self) { try Self.load(text, text) }
    }
}
