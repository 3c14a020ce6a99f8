import Cryptography
import Encodings
import RecordStorage

/// The administrator's token: given by the configuration, or made at the first start and known by its hash from then on.
///
/// A new one counts from the start on, and is kept and shown only once the server listens: what a start prints that fails
/// later is lost among its errors, and the next start would show none.
struct AdministratorToken {
    /// The SHA-256 of the token.
    let hash: Digest
    /// The token, if it was made just now: to be kept by `keep`, and then to be shown once.
    let newToken: String?

    /// The file with the hash, in the data folder.
    static func path(in folder: String) -> String { folder + "/administrator" }

    /// Finds the token, or makes one.
    ///
    /// - Parameters:
    ///   - configured: From the configuration; empty for none. It goes before the file, which stays as it is.
    ///   - folder: The data folder, which is made if it is missing.
    /// - Throws: `DataFolder.Problem`; a sentence for a damaged file.
    init(configured: String, folder: String) throws {
        guard configured.isEmpty else {
            hash = SHA256.hash(utf8: configured)
            newToken = nil
            return
        }
        try DataFolder.makeFolder(folder)
        let path = Self.path(in: folder)
        if let bytes = try DataFolder.read(path) {
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

    /// Writes the hash of a new token into the data folder, for the next starts; nothing for one that was there.
    ///
    /// - Throws: `DataFolder.Problem`.
    func keep(in folder: String) throws {
        guard newToken != nil else { return }
        try DataFolder.writeDurably(Array((hash.hex + "\n").utf8), to: Self.path(in: folder), in: folder)
    }
}
