import CZlib

/// The zlib library that the process loaded.
package enum CompressionLibrary {
    /// The version of zlib, such as `1.2.13`.
    package static var version: String {
        guard let text = zlibVersion() else { return "unknown" }
        return String(cString: text)
    }
}
