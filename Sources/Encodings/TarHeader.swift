/// The header of a file or directory in a tar archive in the pax format.
///
/// ```
/// header, 512 bytes: name 100 | mode 8 | owner 8 | group 8 | size 12 | time 12 | checksum 8 | kind 1 | … | "ustar" …
/// ```
///
/// Names of more than 100 bytes and sizes from 8 GiB on are in an extended header before it.
///
/// - Source: POSIX.1-2017, pax, "ustar Interchange Format" and "pax Extended Header".
package struct TarHeader: Hashable, Sendable {
    /// The path in the archive, with slashes; a directory's ends with one.
    package var name: String
    /// The size of the content in bytes; 0 for a directory.
    package var size: Int
    /// In seconds since 1970.
    package var modified: Int64
    /// Whether this is a directory.
    package var isDirectory: Bool

    /// Describes a file or a directory.
    package init(name: String, size: Int, modified: Int64, isDirectory: Bool = false) {
        self.name = name
        self.size = size
        self.modified = modified
        self.isDirectory = isDirectory
    }

    /// The length of a block. Headers are blocks, and contents are filled up to whole blocks.
    package static let blockBytes = 512
    /// The end of an archive.
    package static let end = [UInt8](repeating: 0, count: 2 * blockBytes)

    /// The number of zeros after a content of `size` bytes.
    package static func padding(after size: Int) -> Int { (blockBytes - size % blockBytes) % blockBytes }

    /// The most bytes of a name, and the size from which on it does not fit, in a header that is not extended.
    private static let (nameBytes, largeSize) = (100, 1 << 33)

    /// The blocks before the content. Files are accessible to their owner only.
    package var bytes: [UInt8] {
        var records: [UInt8] = []
        if name.utf8.count > Self.nameBytes { records += Self.record("path", name) }
        if size >= Self.largeSize { records += Self.record("size", String(size)) }
        var bytes: [UInt8] = []
        if !records.isEmpty {
            bytes += block("pax", size: records.count, kind: UInt8(ascii: "x"))
            bytes += records + [UInt8](repeating: 0, count: Self.padding(after: records.count))
        }
        return bytes
            + block(
                name, size: size < Self.largeSize ? size : 0, kind: UInt8(ascii: isDirectory ? "5" : "0"))
    }

    /// `24 path=a/long/name\n`: a record begins with its own length.
    private static func record(_ key: String, _ value: String) -> [UInt8] {
        let rest = " \(key)=\(value)\n"
        var length = rest.utf8.count
        while "\(length)".utf8.count + rest.utf8.count != length { length = "\(length)".utf8.count + rest.utf8.count }
        return Array("\(length)\(rest)".utf8)
    }

    private func block(_ name: String, size: Int, kind: UInt8) -> [UInt8] {
        var block = [UInt8](repeating: 0, count: Self.blockBytes)
        func put(_ text: some Sequence<UInt8>, at place: Int) {
            for (index, byte) in text.enumerated() { block[place + index] = byte }
        }
        func put(_ number: Int64, at place: Int, digits: Int) {
            let text = String(number, radix: 8)
            put((String(repeating: "0", count: max(0, digits - text.utf8.count)) + text).utf8, at: place)
        }
        put(name.utf8.prefix(Self.nameBytes), at: 0)
        put(isDirectory ? 0o700 : 0o600, at: 100, digits: 7)
        put(0, at: 108, digits: 7)
        put(0, at: 116, digits: 7)
        put(Int64(size), at: 124, digits: 11)
        put(max(0, modified), at: 136, digits: 11)
        put([UInt8](repeating: 0x20, count: 8), at: 148)
        block[156] = kind
        put("ustar\u{0}00".utf8, at: 257)
        put(block.reduce(0) { $0 + Int64($1) }, at: 148, digits: 6)
        block[154] = 0
        return block
    }
}
