internal import Foundation

/// A temporary file for the bytes of a download, in the directory of the destination. When complete, it replaces the
/// destination.
///
/// Sendable is unchecked, because only one task at a time uses an instance.
final class DownloadFile: @unchecked Sendable {
    private let place: URL
    private let part: URL
    private let handle: FileHandle
    private(set) var count: Int64 = 0
    /// The ETag of the server's file; `nil` before the first response and after a restart.
    var version: String?

    /// Creates the temporary file.
    ///
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
        // If the download has failed, the temporary file still exists.
        try? FileManager.default.removeItem(at: part)
    }

    func append(_ data: Data) throws {
        try writing { try handle.write(contentsOf: data) }
        count += Int64(data.count)
    }

    /// Deletes the received bytes, so that the download restarts at offset 0.
    func startOver() throws {
        version = nil
        guard count > 0 else { return }
        try writing {
            try handle.truncate(atOffset: 0)
            try handle.seek(toOffset: 0)
        }
        count = 0
    }

    /// Renames the temporary file to the destination.
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
