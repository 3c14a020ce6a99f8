public import Foundation
public import RecordModel

/// A file that a record has (`CKAsset`): set with a file's URL, it is uploaded when the record is saved. Reading a record does
/// not load its files; `FBDatabase.fileURL(of:)` does.
public final class FBAsset: Sendable {
    /// The file to upload; `nil` for one that the server has.
    public let fileURL: URL?
    /// What the server knows of the file; `nil` before it was uploaded.
    public let asset: Asset?

    /// - Parameter fileURL: The file that is uploaded when the record is saved; it must be there until then.
    public init(fileURL: URL) {
        self.fileURL = fileURL
        asset = nil
    }

    init(_ asset: Asset) {
        self.asset = asset
        fileURL = nil
    }
}
