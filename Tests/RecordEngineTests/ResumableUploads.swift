import Cryptography
import Foundation
import RecordEngine
import RecordModel
import RecordStorage
import TestSupport
import Testing

/// The actions of a client of uploads in several requests, with one reader.
struct ResumableClient {
    let reader: RecordReader
    var caller = Caller.administrator(.bootstrap)
    var address = DatabaseAddress.publicDefault

    init(
        _ test: TestDatabase, as caller: Caller = .administrator(.bootstrap),
        in address: DatabaseAddress = .publicDefault
    ) {
        reader = test.reader
        self.caller = caller
        self.address = address
    }

    /// A client with its own reader, for a task that runs parallel to the test's.
    init(_ database: RecordDatabase) throws {
        reader = try database.makeReader()
    }

    func create(_ length: Int64?, type: String? = nil, filename: String? = nil) async throws -> String {
        try await reader.uploads.create(
            NewResumableUpload(caller: caller, address: address, length: length, contentType: type, filename: filename)
        ).name
    }

    func named(_ name: String) -> ResumableAddress {
        ResumableAddress(name: name, caller: caller, address: address)
    }

    /// Sends pieces; then the part breaks off if requested.
    @discardableResult
    func send(
        _ name: String, at offset: Int64, _ pieces: [[UInt8]], length: Int64? = nil, count: Int64? = nil,
        checksum: ResumablePart.Checksum? = nil, breaksOff: Bool = false
    ) async throws -> ResumableStatus {
        var left = pieces[...]
        let part = ResumablePart(offset: offset, length: length, count: count, checksum: checksum)
        return try await reader.uploads.append(part, to: named(name)) {
            if let piece = left.popFirst() { return piece }
            if breaksOff { throw BrokenOff() }
            return nil
        }
    }

    func head(_ name: String) async throws -> ResumableStatus {
        try await reader.uploads.status(of: named(name), endsOthers: true)
    }

    func get(_ name: String) async throws -> ResumableStatus {
        try await reader.uploads.status(of: named(name), endsOthers: false)
    }

    func terminate(_ name: String) async throws {
        try await reader.uploads.terminate(named(name))
    }

    func isGone(_ name: String) async -> Bool {
        await rejection { _ = try await get(name) }?.code == .notFound
    }
}

/// The connection of a part is lost.
struct BrokenOff: Error {}

extension TestDatabase {
    /// The files of uploads that are not complete.
    var uploadFiles: [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: directory + "/assets/uploads")) ?? []).sorted()
    }

    /// How many bytes those have.
    var uploadBytes: Int {
        uploadFiles.reduce(0) { sum, name in
            let attributes = try? FileManager.default.attributesOfItem(atPath: directory + "/assets/uploads/" + name)
            return sum + ((attributes?[.size] as? Int) ?? 0)
        }
    }

    /// The bytes of every stored asset.
    var assetFiles: [[UInt8]] {
        let root = directory + "/assets"
        let directories = ((try? FileManager.default.contentsOfDirectory(atPath: root)) ?? []).filter { $0.count == 2 }
        return directories.flatMap { directory in
            ((try? FileManager.default.contentsOfDirectory(atPath: "\(root)/\(directory)")) ?? []).compactMap {
                FileManager.default.contents(atPath: "\(root)/\(directory)/\($0)").map { [UInt8]($0) }
            }
        }
    }

    /// Runs SQL on the closed file: changes that a crash, or time, may cause.
    func tamper(_ sql: String) throws {
        try Connection(path: directory + "/records.sqlite", role: .writer).execute(SQL(sql))
    }
}

/// Bytes that are random and the same every time.
func someBytes(_ count: Int, seed: UInt64 = 1) -> [UInt8] {
    var generator = SeededGenerator(seed: seed)
    return (0..<count).map { _ in UInt8(truncatingIfNeeded: generator.next()) }
}
