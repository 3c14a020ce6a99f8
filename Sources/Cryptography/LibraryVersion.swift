import CCrypto

/// The versions of the cryptographic libraries that the process loaded at run time.
package enum LibraryVersion {
    /// The version of libcrypto, such as "OpenSSL 3.0.19 27 Jan 2026".
    package static var openSSL: String {
        guard let text = OpenSSL_version(OPENSSL_VERSION) else { return "OpenSSL" }
        return String(cString: text)
    }
}
