internal import Foundation

/// A file that grows beside the one whose place it takes when it is whole.
///
/// Unchecked: used by one task at a time.
final class DownloadFile: @unchecked Sendable {
    private let place: URL
    private let part: URL
    private let handle: FileHandle
    private(set) var count: Int64 = 0
    /// The tag of what has come so far.
    var version: String?

    /// - Throws: `FogbaseError.invalidArgument` if the file cannot be written.
    init(_ place: URL) throws {
        self.place = place
        part = place.deletingLastPathComponent()
            .appendingPathComponent(".\(place.lastPathComponent).\(UUID().uuidString)")
        guard FileManager.default.createFile(atPath: part.path, contents: nil),
            let handle = try? FileHandle(forWritingTo: part)
        else { throw FogbaseError.invalidArgument("'\(place.path)' cannot be written") }
        self.handle = handle
    }

    deinit {
        try? handle.close()
        // It is there where the download has failed.
        try? FileManager.default.removeItem(at: part)
    }

    func append(_ data: Data) throws {
        try writing { try handle.write(contentsOf: data) }
        count += Int64(data.count)
    }

    /// Forgets what has come.
    func startOver() throws {
        version = nil
        guard count > 0 else { return }
        try writing {
            try handle.truncate(atOffset: 0)
            try handle.seek(toOffset: 0)
        }
        count = 0
    }

    /// Puts the file in its place.
    func finish() throws {
        try writing { try handle.synchronize() }
        guard rename(part.path, place.path) == 0 else {
            throw FogbaseError.invalidArgument("'\(place.path)' cannot be replaced")
        }
    }

    private func writing(_ body: () throws -> Void) throws {
        do { try body() } catch {
            throw FogbaseError.invalidArgument("'\(place.path)' cannot be written: \(error.localizedDescription)")
        }
    }
}
