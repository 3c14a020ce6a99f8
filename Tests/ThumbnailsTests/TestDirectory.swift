import Glibc
import Testing

@testable import Thumbnails

/// A directory for one test, removed with it, and programs in it that play `vipsthumbnail`.
final class TestDirectory: Sendable {
    let path: String

    init() throws {
        var template = Array("/tmp/fogbase-test-XXXXXX".utf8CString)
        path = try template.withUnsafeMutableBufferPointer { buffer in
            String(cString: try #require(buffer.baseAddress.flatMap { mkdtemp($0) }))
        }
    }

    deinit {
        FileTree.remove(path)
    }

    func write(_ bytes: [UInt8], to name: String) throws {
        let file = try #require(fopen(path + "/" + name, "we"))
        defer { fclose(file) }
        try #require(fwrite(bytes, 1, bytes.count, file) == bytes.count)
    }

    func read(_ name: String) throws -> [UInt8] {
        try Self.read(path + "/" + name)
    }

    static func read(_ path: String) throws -> [UInt8] {
        guard let file = fopen(path, "re") else { throw Failure(what: path) }
        defer { fclose(file) }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65536)
        while case let count = fread(&buffer, 1, buffer.count, file), count > 0 { bytes += buffer[..<count] }
        return bytes
    }

    /// The lines of a text file; none if there is no file.
    func lines(of name: String) -> [String] {
        let text = (try? read(name)).map { String(decoding: $0, as: UTF8.self) } ?? ""
        return text.split(separator: "\n").map(String.init)
    }

    /// Makes a shell script and returns its path. `$here` is this directory.
    ///
    /// Another process writes the file: as long as a child of some other test has it open for writing, which it takes
    /// over at a fork, it cannot be run.
    func script(_ body: String, named name: String = "fake") throws -> String {
        try write(Array("#!/bin/sh\nhere='\(path)'\n\(body)\n".utf8), to: name + ".text")
        try run("cat \(path)/\(name).text >\(path)/\(name).new && chmod 700 \(path)/\(name).new")
        try run("mv \(path)/\(name).new \(path)/\(name)")
        return path + "/" + name
    }

    func run(_ command: String) throws {
        guard system("cd \(path) && { \(command); } 2>/dev/null") == 0 else { throw Failure(what: command) }
    }

    /// The failed step.
    struct Failure: Error {
        let what: String
    }

    /// The names of all files below a directory.
    func tree(_ name: String) -> [String] {
        FileTree.names(in: path + "/" + name).sorted().flatMap { (entry: String) -> [String] in
            let inner = tree(name + "/" + entry)
            return inner.isEmpty ? [entry] : inner.map { entry + "/" + $0 }
        }
    }

    /// Descriptors of this process that point into this directory or at a thumbnail in memory.
    var openFiles: [String] {
        FileTree.names(in: "/proc/self/fd").compactMap { number in
            var buffer = [CChar](repeating: 0, count: 512)
            let count = readlink("/proc/self/fd/" + number, &buffer, buffer.count)
            guard count > 0 else { return nil }
            let target = String(decoding: buffer[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
            return target.hasPrefix(path) || target.hasPrefix("/memfd:thumbnail") ? target : nil
        }
    }

    /// Children of this process, running or zombies, whose program has this name.
    func children(named name: String = "fake") -> [String] {
        FileTree.names(in: "/proc").filter { number in
            guard Int32(number) != nil, let bytes = try? Self.read("/proc/\(number)/stat") else { return false }
            let fields = String(decoding: bytes, as: UTF8.self).split(separator: " ")
            return fields.count > 3 && fields[1] == "(\(name))" && Int32(fields[3]) == getpid()
        }
    }
}

/// The first bytes of a file of each kind, which is all that the pool itself looks at.
enum Beginnings {
    static let jpeg: [UInt8] = [0xFF, 0xD8, 0xFF, 0xE0] + Array("........".utf8)
    /// For `printf` of a script.
    static let printedJPEG = #"printf '\377\330\377\340........'"#
}

/// Lets other tasks run until something holds; an issue after a minute.
func eventually(_ what: Comment, _ holds: () -> Bool, sourceLocation: SourceLocation = #_sourceLocation) async {
    var start = timespec()
    clock_gettime(CLOCK_MONOTONIC, &start)
    while !holds() {
        var now = timespec()
        clock_gettime(CLOCK_MONOTONIC, &now)
        guard now.tv_sec - start.tv_sec < 60 else {
            Issue.record(what, sourceLocation: sourceLocation)
            return
        }
        await Task.yield()
    }
}

/// Every test of this module: some count descriptors and processes, which others must not have at the same time.
@Suite(.serialized) struct ThumbnailTests {}
