import Glibc
import HTTP
import TLS
import Threads

/// The files of the server's certificate and its private key.
struct TLSFiles {
    /// The paths of the PEM files.
    let certificate: String
    let key: String

    /// The largest file in bytes. A certificate has about 2 KB, and a chain three of them.
    private static let maxBytes = 1 << 20

    /// Returns the files of the settings; `nil` for plain HTTP.
    init?(_ settings: Settings) {
        guard settings.hasTLS else { return nil }
        certificate = settings.tlsCertificate
        key = settings.tlsKey
    }

    init(certificate: String, key: String) {
        self.certificate = certificate
        self.key = key
    }

    /// Reads the files.
    ///
    /// - Throws: `Failure` with a sentence that names the setting, the file and what to do.
    func load() throws(Failure) -> TLSIdentity {
        let certificates = try read(
            certificate, "tls.certificate", "the server's certificate, followed by those of its issuers")
        let key = try read(key, "tls.key", "the private key of the certificate")
        do throws(TLSProblem) {
            return try TLSIdentity(certificates: certificates, key: key)
        } catch {
            throw Failure(sentence(for: error), code: .configuration)
        }
    }

    /// Loads the files again for new connections. Connections that exist keep their certificate.
    ///
    /// - Parameter report: Receives what happened, as a sentence without its full stop.
    func reload(_ server: TLSServer, report: (String) -> Void) {
        do throws(Failure) {
            let identity = try load()
            server.identity = identity
            report("New connections use the certificate of \(certificate). It is valid until \(Self.text(identity))")
            for warning in warnings(identity) { report(warning) }
        } catch {
            report("\(error.sentences.joined(separator: " ")) The server keeps the certificate that it has")
        }
    }

    /// Returns what the operator should know of files that can be used.
    ///
    /// - Parameter now: The time in seconds since 1970.
    /// - Returns: Sentences without their full stops.
    func warnings(_ identity: TLSIdentity, now: Int64 = WallClock.seconds) -> [String] {
        var warnings: [String] = []
        if now >= identity.validity.upperBound {
            warnings.append(
                "The certificate of \(certificate) has expired on \(Self.text(identity)). Clients reject it")
        } else if now < identity.validity.lowerBound {
            warnings.append("The certificate of \(certificate) is not valid yet. Clients reject it")
        }
        var status = stat()
        // Secrets of containers are often readable by all, in a file system of their own. So this is no error.
        if stat(key, &status) == 0, status.st_mode & 0o004 != 0 {
            warnings.append("All users of this machine can read the private key \(key). Run: chmod o-r \(key)")
        }
        return warnings
    }

    private static func text(_ identity: TLSIdentity) -> String {
        String(decoding: HTTPDate.text(unixSeconds: identity.validity.upperBound), as: UTF8.self)
    }

    private func read(_ path: String, _ setting: String, _ content: String) throws(Failure) -> [UInt8] {
        do {
            guard let text = try TextFile.read(path, upTo: Self.maxBytes) else {
                throw TextFile.Problem(
                    description: "\(path) does not exist. It must be a PEM file with \(content).")
            }
            return Array(text.utf8)
        } catch {
            let isDenied = access(path, R_OK) != 0 && errno == EACCES
            let remedy = isDenied ? " The server runs as the user with the number \(geteuid()), who must read it." : ""
            throw Failure("\(setting): \(error)\(remedy)", code: .configuration)
        }
    }

    private func sentence(for problem: TLSProblem) -> String {
        switch problem {
        case .noCertificate:
            "tls.certificate: \(certificate) has no certificate in PEM, which begins with '-----BEGIN CERTIFICATE-----'."
        case .damagedCertificate: "tls.certificate: a certificate in \(certificate) is damaged."
        case .noKey: "tls.key: \(key) has no private key in PEM, which begins with '-----BEGIN PRIVATE KEY-----'."
        case .encryptedKey:
            "tls.key: \(key) is protected by a passphrase, for which the server cannot ask. Remove it: openssl pkey -in \(key) -out NEW"
        case .damagedKey: "tls.key: the private key in \(key) is damaged."
        case .otherKey:
            "tls.key: the key in \(key) does not belong to the first certificate in \(certificate). The server's own certificate comes first, and those of its issuers follow."
        case .rejected(let reason):
            "tls.certificate: OpenSSL rejects \(certificate) with \(key): \(reason). A key on P-256, or of RSA with 2048 bits, can be used."
        case .unavailable: "OpenSSL cannot be used: libssl is damaged, or memory is exhausted."
        }
    }
}
