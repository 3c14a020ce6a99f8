public import Foundation

/// A token store that keeps the token in a file, so that the user stays signed in when the program restarts.
///
/// Only the owner can read the file. Use this store for tools and services. On platforms with a keychain, prefer the
/// keychain.
public actor FileTokenStore: TokenStore {
    private let file: URL
    private var current: String?
    private var isRead = false

    /// Creates a store for a token file.
    ///
    /// - Parameter file: The token file. Its directory is created when the first token is stored.
    public init(_ file: URL) {
        self.file = file
    }

    public func token() -> String? {
        if !isRead {
            isRead = true
            let text = (try? Data(contentsOf: file)).map { String(decoding: $0, as: UTF8.self) } ?? ""
            let token = text.trimmingCharacters(in: .whitespacesAndNewlines)
            current = token.isEmpty ? nil : token
        }
        return current
    }

    public func setToken(_ token: String?) {
        isRead = true
        current = token
        if let token { write(token) } else { try? FileManager.default.removeItem(at: file) }
    }

    public func forgetToken(_ token: String) {
        if self.token() == token { setToken(nil) }
    }

    /// Writes the token to a temporary file in the same directory and renames it.
    ///
    /// The file always contains either the old or the new token, and other users can never read the file. If writing
    /// fails, the store keeps the token in memory until the program ends.
    private func write(_ token: String) {
        let files = FileManager.default
        let directory = file.deletingLastPathComponent()
        try? files.createDirectory(at: directory, withIntermediateDirectories: true)
        let new = directory.appendingPathComponent(".\(file.lastPathComponent).\(UUID().uuidString)")
        guard files.createFile(atPath: new.path, contents: nil, attributes: [.posixPermissions: 0o600]) else { return }
        do {
            // Do not use `.atomic`: it would create another file with other permissions.
            try Data(token.utf8).write(to: new, options: [])
            if rename(new.path, file.path) == 0 { return }
        } catch {}
        try? files.removeItem(at: new)
    }
}
