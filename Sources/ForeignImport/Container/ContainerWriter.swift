internal import Cryptography
internal import Encodings
internal import RecordWire

/// Writes the file of a container: one JSON object in each line.
///
/// ```
/// {"fogbase":…}  {"schema":…}  {"account":…}…  {"role":…}…  {"file":…} {"data":…}…  {"record":…}…  {"end":…}
/// ```
package final class ContainerWriter {
    /// What the first line says.
    package struct Head: Sendable {
        /// The container, such as `iCloud.org.example.App`.
        package let container: String
        /// `development` or `production`.
        package let environment: String
        /// The time of the conversion in milliseconds since 1970.
        package let time: Int64
        /// The program, such as `Fogbase 0.1.0`.
        package let program: String

        /// Describes the file.
        package init(container: String, environment: String, time: Int64, program: String) {
            self.container = container
            self.environment = environment
            self.time = time
            self.program = program
        }
    }

    /// The most bytes of a file in one line. Base64 makes 262,144 of them.
    private static let dataBytes = 196_608
    /// The size at which lines are passed on.
    private static let bufferBytes = 256 << 10

    private var buffer: [UInt8] = []
    private let write: ([UInt8]) throws(ConversionError) -> Void
    private let keepsData: Bool
    private var known: Set<Digest> = []
    private var counts: [(name: String, count: Int64)] = ["accounts", "roles", "zones", "files", "records"].map {
        ($0, 0)
    }

    /// Creates a writer.
    ///
    /// - Parameters:
    ///   - keepsData: Whether the content of files is written. Without it, files are only read.
    ///   - write: Called with whole lines.
    package init(
        _ head: Head, keepsData: Bool = true, write: @escaping ([UInt8]) throws(ConversionError) -> Void
    ) throws(ConversionError) {
        self.write = write
        self.keepsData = keepsData
        try line(
            "fogbase",
            [
                "version": 1, "container": .string(head.container), "environment": .string(head.environment),
                "exported": .integer(head.time), "by": .string(head.program),
            ])
    }

    func schema(_ document: JSONValue) throws(ConversionError) {
        try line("schema", document)
    }

    func account(_ account: JSONObject) throws(ConversionError) {
        counts[0].count += 1
        try line("account", .object(account))
    }

    func role(_ name: String, members: [String]) throws(ConversionError) {
        counts[1].count += 1
        try line("role", ["name": .string(name), "members": .array(members.map(JSONValue.string))])
    }

    func record(_ record: JSONObject) throws(ConversionError) {
        counts[4].count += 1
        try line("record", .object(record))
    }

    /// Writes the content of a file, unless a file with the same content was written before.
    ///
    /// - Returns: The value of an asset: `fileChecksum` and `size`, and whether the content is new.
    /// - Throws: `ConversionError`, also if the file changes meanwhile.
    func file(_ path: String) throws(ConversionError) -> (asset: JSONObject, isNew: Bool) {
        let reader = try FileReader(path, followsLinks: false)
        let (digest, size) = try Self.digest(reader)
        let asset = JSONObject([("fileChecksum", .string(digest.base64)), ("size", .integer(size))])
        guard known.insert(digest).inserted else { return (asset, false) }
        counts[3].count += 1
        try line("file", .object(asset))
        guard keepsData else { return (asset, true) }
        reader.rewind()
        let hasher = SHA256Hasher()
        while true {
            let bytes = try reader.read(Self.dataBytes)
            if bytes.isEmpty { break }
            hasher.update(bytes)
            buffer.appendLiteral("{\"data\":\"")
            Base64.encode(bytes, into: &buffer)
            buffer.appendLiteral("\"}\n")
            try flush(from: Self.bufferBytes)
        }
        guard hasher.finalize() == digest else {
            throw ConversionError(path, "The file changed while it was read. Stop the program that writes it")
        }
        return (asset, true)
    }

    private static func digest(_ reader: FileReader) throws(ConversionError) -> (Digest, Int64) {
        let hasher = SHA256Hasher()
        var size: Int64 = 0
        while true {
            let bytes = try reader.read(1 << 20)
            if bytes.isEmpty { return (hasher.finalize(), size) }
            size += Int64(bytes.count)
            hasher.update(bytes)
        }
    }

    /// Writes the last line.
    func end() throws(ConversionError) {
        try line("end", .object(JSONObject(counts.map { ($0.name, .integer($0.count)) })))
        try flush(from: 0)
    }

    private func line(_ kind: String, _ value: JSONValue) throws(ConversionError) {
        JSONValue.object(JSONObject([(kind, value)])).write(to: &buffer)
        buffer.append(UInt8(ascii: "\n"))
        try flush(from: Self.bufferBytes)
    }

    private func flush(from size: Int) throws(ConversionError) {
        guard buffer.count >= size, !buffer.isEmpty else { return }
        try write(buffer)
        buffer.removeAll(keepingCapacity: true)
    }
}
