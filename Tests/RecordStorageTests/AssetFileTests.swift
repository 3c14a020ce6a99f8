import Cryptography
import Foundation
import RecordStorage
import Testing

/// The files of assets: their names, and how they are filled, kept and given up.
@Suite struct AssetFileTests {
    private static func withDirectory(_ body: (AssetDirectory) throws -> Void) throws {
        let path = NSTemporaryDirectory() + "fogbase-" + UUID().uuidString
        try DataDirectory.makeDirectory(path)
        defer { try? FileManager.default.removeItem(atPath: path) }
        try body(AssetDirectory(database: path))
    }

    @Test(arguments: [0, 1, -1, Int64.max, .min, 0x0123_4567_89AB_CDEF]) func `a file's name is read as it was written`(
        number: Int64
    ) throws {
        let name = AssetFileName(hash: SHA256.hash([1, 2, 3]), file: number)
        #expect(name.directory.utf8.count == 2 && name.text.utf8.count == 62 + 1 + 16)
        #expect(AssetFileName(directory: name.directory, text: name.text) == name)
        let wrong = [
            name.text.uppercased(), name.text + "0", String(name.text.dropLast()), name.text + ".tmp",
            "." + name.text, name.text.replacingOccurrences(of: ".", with: "-"), "",
            name.text.dropLast() + "g", name.text.dropLast() + "+",
        ]
        for text in wrong where text != name.text {
            #expect(AssetFileName(directory: name.directory, text: text) == nil, "\(text)")
        }
        for directory in ["", "0", "0g", "000", "AA", ".."] {
            #expect(AssetFileName(directory: directory, text: name.text) == nil, "\(directory)")
        }
    }

    @Test func `a file is hashed as it comes, and kept under its name`() throws {
        try Self.withDirectory { directory in
            let writer = AssetFileWriter(new: "upload", in: directory)
            let content = (0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 7) }
            for start in stride(from: 0, to: content.count, by: 70_001) {
                try writer.append(Array(content[start..<min(start + 70_001, content.count)]))
            }
            try writer.append([])
            #expect(writer.size == 300_000)
            let name = AssetFileName(hash: try writer.digest(), file: 5)
            #expect(name.hash == SHA256.hash(content))
            #expect(try writer.read(at: 299_990, count: 100) == Array(content[299_990...]))
            try writer.keep(as: name)
            #expect(directory.names(in: "uploads").isEmpty)
            #expect(directory.names(in: name.directory) == [name.text])
            // A kept file is not removed.
            writer.discard()
            #expect(directory.size(of: name) == 300_000)
            #expect(try directory.open(name)?.size == 300_000)
            directory.remove(name)
            #expect(try directory.open(name) == nil)
            #expect(directory.size(of: name) == nil)
        }
    }

    @Test func `an abandoned file is gone, and names are not reused`() throws {
        try Self.withDirectory { directory in
            let writer = AssetFileWriter(new: "upload", in: directory)
            try writer.append([1])
            try writer.sync()
            #expect(directory.names(in: "uploads") == ["upload"])
            let other = AssetFileWriter(new: "upload", in: directory)
            try other.append([2])
            #expect(throws: AssetFileError(call: "open", code: EEXIST)) { try other.sync() }
            other.discard()
            #expect(directory.names(in: "uploads") == ["upload"])
            writer.discard()
            #expect(directory.names(in: "uploads").isEmpty)
        }
    }

    @Test(arguments: [0, 1, 131_072, 131_073, 400_000])
    func `a small file is created when it is kept, a large one while it arrives`(_ size: Int) throws {
        try Self.withDirectory { directory in
            let content = (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 13) }
            let writer = AssetFileWriter(new: "upload", in: directory)
            for start in stride(from: 0, to: size, by: 50_000) {
                try writer.append(Array(content[start..<min(start + 50_000, size)]))
            }
            #expect(directory.names(in: "uploads").isEmpty == (size <= 131_072))
            #expect(writer.size == Int64(size))
            #expect(try writer.read(at: 0, count: size + 1) == content)
            #expect(try writer.read(at: Int64(size / 2), count: 3) == Array(content[(size / 2)...].prefix(3)))
            let name = AssetFileName(hash: try writer.digest(), file: 1)
            #expect(name.hash == SHA256.hash(content))
            try writer.keep(as: name)
            #expect(directory.names(in: "uploads").isEmpty && directory.size(of: name) == Int64(size))
            let given = AssetFileWriter(new: "given-up", in: directory)
            try given.append(content)
            given.discard()
            #expect(directory.names(in: "uploads").isEmpty)
        }
    }

    @Test func `a file continues where its acknowledged bytes end`() throws {
        try Self.withDirectory { directory in
            let first = AssetFileWriter(new: "upload", in: directory)
            try first.append([1, 2, 3, 4, 5])
            try first.sync()
            let writer = try AssetFileWriter(resuming: "upload", at: 3, in: directory)
            try writer.append([9])
            #expect(writer.size == 4)
            #expect(try writer.digest() == SHA256.hash([1, 2, 3, 9]))
            // Nothing can be appended to an existing file, which stays unchanged.
            for (name, offset) in [("upload", Int64(5)), ("other", 1)] {
                let error = #expect(throws: AssetFileError.self) {
                    _ = try AssetFileWriter(resuming: name, at: offset, in: directory)
                }
                #expect(error?.isMissing == true, "\(name)")
            }
            #expect(
                try AssetFileWriter(resuming: "upload", at: 4, in: directory).digest() == SHA256.hash([1, 2, 3, 9]))
            // An upload of which nothing is acknowledged may have lost its file.
            #expect(try AssetFileWriter(resuming: "other", at: 0, in: directory).size == 0)
        }
    }

    @Test func `foreign directories are not taken for asset directories`() throws {
        try Self.withDirectory { directory in
            try directory.prepare()
            for name in ["ab", "AB", "abc", "thumbnails", ".x", "g0"] {
                try FileManager.default.createDirectory(
                    atPath: directory.path + "/" + name, withIntermediateDirectories: true)
            }
            #expect(directory.directories == ["ab"])
            #expect(directory.names(in: "nowhere").isEmpty)
        }
    }
}
