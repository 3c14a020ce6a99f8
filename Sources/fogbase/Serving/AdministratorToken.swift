import Cryptography
import Encodings
import RecordStorage

/// The administrator's token. It comes from the configuration, or is created at the first start and stored as a hash.
///
/// A new token is valid immediately, but it is stored and printed only after the server listens. If a start failed
/// after printing the token, the token would be lost among the errors, and the next start would not print it again.
///
/// ```
/// file administrator:  SHA-256 of the token in hexadecimal, 64 bytes | LF
/// ```
struct AdministratorToken {
    /// The SHA-256 hash of the token.
    let hash: Digest
    /// The token if it is new; otherwise `nil`. Store a new token with `keep`, then print it once.
    let newToken: String?

    /// Returns the path of the file in the data directory that contains the hash.
    static func path(in directory: String) -> String { directory + "/administrator" }

    /// Finds the token, or creates one.
    ///
    /// - Parameters:
    ///   - configured: The token in the configuration; empty if none is configured. It has precedence over the file,
    ///     which does not change.
    ///   - directory: The data directory. It is created if it does not exist.
    /// - Throws: `DataDirectory.Problem`; `Failure` for a damaged file.
    init(configured: String, directory: String) throws {
        guard configured.isEmpty else {
            hash = SHA256.hash(utf8: configured)
            newToken = nil
            return
        }
        try DataDirectory.makeDirectory(directory)
        let path = Self.path(in: directory)
        if let bytes = try DataDirectory.read(path) {
            let text = String(decoding: bytes, as: UTF8.self).trimmed
            guard let hash = Digest(hex: String(text)) else {
                throw Failure(
                    "\(path) is damaged: it must hold the SHA-256 of the administrator's token in hexadecimal. Delete it to create a new token."
                )
            }
            self.hash = hash
            newToken = nil
            return
        }
        let token = "fogadm_" + Base64URL.encode(RandomBytes.make(32))
        hash = SHA256.hash(utf8: token)
        newToken = token
    }

    /// Writes the hash of a new token to the data directory for later starts. Does nothing for an existing token.
    ///
    /// - Throws: `DataDirectory.Problem`.
    func keep(in directory: String) throws {
        guard newToken != nil else { return }
        try DataDirectory.writeDurably(Array((hash.hex + "\n").utf8), to: Self.path(in: directory), in: directory)
    }
}
