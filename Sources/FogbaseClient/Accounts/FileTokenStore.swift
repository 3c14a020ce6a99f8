public import Foundation

/// Keeps the token in a file that only its owner may read, so that somebody is still signed in when the program starts again.
///
/// It suits tools and services. Where there is a keychain, that is the better place.
public actor FileTokenStore: TokenStore {
    private let file: URL
    private var current: String?
    private var isRead = false

    /// - Parameter file: Its folder is made when there is something to keep.
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

    /// Writes a file beside it and puts that in its place: a reader finds one token or the other, and at no moment is there
    /// one that others may read. Where that fails the token is kept until the program ends.
    private func write(_ token: String) {
        let files = FileManager.default
        let folder = file.deletingLastPathComponent()
        try? files.createDirectory(at: folder, withIntermediateDirectories: true)
        let new = folder.appendingPathComponent(".\(file.lastPathComponent).\(UUID().uuidString)")
        guard files.createFile(atPath: new.path, contents: nil, attributes: [.posixPermissions: 0o600]) else { return }
        do {
            // Not atomically: that would make another file, with other permissions.
            try Data(token.utf8).write(to: new, options: [])
            if rename(new.path, file.path) == 0 { return }
        } catch {}
        try? files.removeItem(at: new)
    }
}
