import Glibc
import TLS
import TestSupport
import Testing

@testable import fogbase

/// The files of the certificate and the key, and the sentences about them.
@Suite struct TLSFilesTests {
    private static func write(_ text: String, to path: String, mode: mode_t = 0o600) throws {
        try TextFile.write(text, to: path)
        #expect(chmod(path, mode) == 0)
    }

    private static func files(in directory: TemporaryDirectory) throws -> TLSFiles {
        let files = TLSFiles(certificate: directory.path + "/c.pem", key: directory.path + "/k.pem")
        try write(TestCertificates.certificate, to: files.certificate)
        try write(TestCertificates.key, to: files.key)
        return files
    }

    private static func sentence(_ files: TLSFiles) -> String {
        do throws(Failure) {
            _ = try files.load()
            return ""
        } catch {
            #expect(error.code == .configuration)
            return error.sentences.joined(separator: " ")
        }
    }

    struct Case: Sendable {
        /// The contents of the files; `nil` for none.
        let certificate: String?
        let key: String?
        let says: String
    }

    @Test(arguments: [
        Case(certificate: nil, key: "", says: "tls.certificate: DIR/c.pem does not exist."),
        Case(certificate: TestCertificates.certificate, key: nil, says: "tls.key: DIR/k.pem does not exist."),
        Case(certificate: "x", key: "x", says: "tls.key: DIR/k.pem has no private key in PEM"),
        Case(certificate: "x", key: TestCertificates.key, says: "tls.certificate: DIR/c.pem has no certificate in PEM"),
        Case(
            certificate: TestCertificates.certificate, key: TestCertificates.encryptedKey,
            says: "openssl pkey -in DIR/k.pem"),
        Case(
            certificate: TestCertificates.certificate, key: TestCertificates.otherKey,
            says: "the key in DIR/k.pem does not belong to the first certificate in DIR/c.pem"),
        Case(
            certificate: TestCertificates.weakCertificate, key: TestCertificates.weakKey, says: "ee key too small"),
        Case(
            certificate: String(repeating: " ", count: 1 << 20 | 1), key: "", says: "DIR/c.pem has more than 1 MiB"),
    ])
    func `each problem has a sentence that names the setting and the file`(_ row: Case) throws {
        let directory = TemporaryDirectory()
        let files = TLSFiles(certificate: directory.path + "/c.pem", key: directory.path + "/k.pem")
        if let text = row.certificate { try Self.write(text, to: files.certificate) }
        if let text = row.key { try Self.write(text, to: files.key) }
        let says = row.says.split(separator: "DIR").joined(separator: directory.path)
        #expect(Self.sentence(files).contains(says), "\(Self.sentence(files))")
    }

    @Test func `a directory instead of a file is a sentence`() {
        let directory = TemporaryDirectory()
        let files = TLSFiles(certificate: directory.path, key: directory.path)
        #expect(Self.sentence(files).contains("\(directory.path) cannot be read: Is a directory"))
    }

    @Test func `a certificate outside of its time, and a key that all can read, are warnings`() throws {
        let directory = TemporaryDirectory()
        let files = try Self.files(in: directory)
        let good = try files.load()
        #expect(files.warnings(good, now: good.validity.lowerBound).isEmpty)
        #expect(files.warnings(good, now: good.validity.upperBound - 1).isEmpty)
        #expect(
            files.warnings(good, now: good.validity.upperBound) == [
                "The certificate of \(files.certificate) has expired on Sat, 01 Jan 2124 00:00:00 GMT. Clients reject it"
            ])
        #expect(files.warnings(good, now: good.validity.lowerBound - 1).first?.contains("is not valid yet") == true)
        for (mode, isOpen) in [(0o640, false), (0o644, true), (0o604, true)] as [(mode_t, Bool)] {
            #expect(chmod(files.key, mode) == 0)
            let warnings = files.warnings(good, now: good.validity.lowerBound)
            #expect(warnings.count == (isOpen ? 1 : 0))
            #expect(!isOpen || warnings[0].hasSuffix("Run: chmod o-r \(files.key)"))
        }
    }

    @Test func `a new pair is used, and a bad one leaves the old one in use`() throws {
        let directory = TemporaryDirectory()
        let files = try Self.files(in: directory)
        let server = TLSServer(try files.load())
        let first = server.identity
        var reports: [String] = []
        try Self.write(TestCertificates.otherCertificate, to: files.certificate)
        files.reload(server) { reports.append($0) }
        #expect(server.identity === first)
        #expect(reports.count == 1 && reports[0].hasSuffix("The server keeps the certificate that it has"))
        #expect(reports[0].contains("does not belong to the first certificate"))
        try Self.write(TestCertificates.otherKey, to: files.key)
        files.reload(server) { reports.append($0) }
        #expect(server.identity !== first)
        #expect(reports.count == 2 && reports[1].contains("It is valid until Sat, 01 Jan 2124"))
        try Self.write(TestCertificates.expired, to: files.certificate)
        try Self.write(TestCertificates.key, to: files.key)
        files.reload(server) { reports.append($0) }
        #expect(reports.count == 4 && reports[3].contains("has expired on"))
    }
}
