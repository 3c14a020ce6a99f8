import Glibc

/// A socket operation that failed.
package enum SocketError: Error, Hashable, Sendable {
    /// A system call failed.
    case system(call: String, errno: Int32)
    /// The text is not a socket address.
    case invalidAddress(String)
    /// The path is longer than a Unix socket address can hold (107 bytes).
    case pathTooLong(String)

    /// Returns the failure of `call` with the current `errno`.
    static func last(_ call: String) -> SocketError {
        .system(call: call, errno: Glibc.errno)
    }
}

extension SocketError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .system(let call, let code): "\(call) failed: \(String(cString: strerror(code))) (errno \(code))"
        case .invalidAddress(let text): "\(text) is not an address of the form 127.0.0.1:80, [::1]:80 or unix:/path"
        case .pathTooLong(let path): "The path of a Unix socket has at most 107 bytes: \(path)"
        }
    }
}
