internal import CTLS

/// A server's certificate with its private key, and the versions and ciphers of its connections: TLS 1.2 and 1.3 as in
/// Mozilla's intermediate configuration, with `http/1.1` as the only protocol (ALPN).
///
/// Sessions are resumed by tickets, whose key lives as long as this object. So a reload of the certificate also rotates
/// that key.
///
/// Unchecked: libssl synchronizes the use of its contexts, which nothing changes after they were made.
package final class TLSIdentity: @unchecked Sendable {
    /// From when and until when the certificate is valid, in seconds since 1970.
    package let validity: Range<Int64>

    let context: OpaquePointer

    /// Creates an identity from PEM texts.
    ///
    /// - Parameters:
    ///   - certificates: The server's certificate, followed by those of its issuers.
    ///   - key: The private key of the first certificate, without a passphrase.
    /// - Throws: `TLSProblem`.
    package init(certificates: [UInt8], key: [UInt8]) throws(TLSProblem) {
        guard !certificates.isEmpty else { throw .noCertificate }
        guard !key.isEmpty else { throw .noKey }
        var validity = fogbase_tls_validity()
        var problem = FOGBASE_TLS_NO_PROBLEM
        var reason: UnsafePointer<CChar>?
        guard
            let context = fogbase_tls_server(
                certificates, certificates.count, key, key.count, &validity, &problem, &reason)
        else {
            switch problem {
            case FOGBASE_TLS_NO_CERTIFICATE: throw .noCertificate
            case FOGBASE_TLS_BAD_CERTIFICATE: throw .damagedCertificate
            case FOGBASE_TLS_NO_KEY: throw .noKey
            case FOGBASE_TLS_ENCRYPTED_KEY: throw .encryptedKey
            case FOGBASE_TLS_BAD_KEY: throw .damagedKey
            case FOGBASE_TLS_OTHER_KEY: throw .otherKey
            case FOGBASE_TLS_REJECTED: throw .rejected(reason.map { String(cString: $0) } ?? "unknown reason")
            default: throw .unavailable
            }
        }
        self.context = context
        self.validity = validity.begin..<max(validity.begin, validity.end)
    }

    deinit {
        fogbase_tls_context_free(context)
    }
}
