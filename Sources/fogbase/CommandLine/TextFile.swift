import Glibc

/// Reads small text files: configuration and secrets.
enum TextFile {
    /// The reason why a file could not be read, as a sentence.
    struct Problem: Error, Hashable, CustomStringConvertible {
        let description: String
    }

    private static let maxBytes = 1 << 20

    /// Returns the text of a file, or `nil` if it does not exist.
    ///
    /// - Parameter maxBytes: The largest size of a file, 1 MiB by default.
    /// - Throws: `Problem` if the file cannot be read, is larger or is not UTF-8.
    static func read(_ path: String, upTo maxBytes: Int = maxBytes) throws -> String? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            if errno == ENOENT { return nil }
            throw Problem(description: "\(path) cannot be read: \(SystemError.text).")
        }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 16 << 10)
        while true {
            let count = piece.withUnsafeMutableBytes { Glibc.read(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw Problem(description: "\(path) cannot be read: \(SystemError.text).") }
            if count == 0 { break }
            bytes += piece.prefix(count)
            guard bytes.count <= maxBytes else {
                throw Problem(description: "\(path) has more than \(maxBytes >> 20) MiB.")
            }
        }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw Problem(description: "\(path) is not UTF-8 text.")
        }
        return text
    }

    /// Writes a text to a file, and replaces the file if it exists.
    ///
    /// - Throws: `Problem` if the file cannot be written.
    static func write(_ text: String, to path: String) throws(Problem) {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else { throw Problem(description: "\(path) cannot be written: \(SystemError.text).") }
        let bytes = Array(text.utf8)
        var written = 0
        while written < bytes.count {
            let count = bytes[written...].withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else {
                let reason = SystemError.text
                close(descriptor)
                throw Problem(description: "\(path) cannot be written: \(reason).")
            }
            written += count
        }
        guard close(descriptor) == 0 else {
            throw Problem(description: "\(path) cannot be written: \(SystemError.text).")
        }
    }
}

/// The message of the last failed system call.
enum SystemError {
    static var text: String {
        String(cString: strerror(errno))
    }
}
