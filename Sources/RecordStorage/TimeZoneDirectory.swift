internal import Glibc

/// The time zones of the system, which its package tzdata installs.
package enum TimeZoneDirectory {
    private static let path = "/usr/share/zoneinfo"
    /// The largest file of the database has 4 KB.
    private static let maxBytes = 65_536

    /// Returns the file of a time zone; `nil` if there is none.
    ///
    /// - Parameter name: A name of the IANA database, such as `Europe/Berlin`.
    package static func file(_ name: String) -> [UInt8]? {
        let isName = name.utf8.allSatisfy { byte in
            (byte | 0x20) &- UInt8(ascii: "a") < 26 || byte &- UInt8(ascii: "0") < 10 || "/_+-".utf8.contains(byte)
        }
        guard isName, (1...64).contains(name.utf8.count), !name.hasPrefix("/") else { return nil }
        let descriptor = open("\(path)/\(name)", O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        let bytes = [UInt8](unsafeUninitializedCapacity: maxBytes) { buffer, count in
            count = max(0, read(descriptor, buffer.baseAddress, maxBytes))
        }
        return bytes.isEmpty || bytes.count == maxBytes ? nil : bytes
    }
}
