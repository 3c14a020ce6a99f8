public import Foundation
public import RecordModel

/// A file of a record (`CKAsset`).
///
/// An asset with a file URL is uploaded when its record is saved. Fetching a record does not download its files. Use
/// ``FBDatabase/fileURL(of:)`` to download a file.
public final class FBAsset: Sendable {
    /// The file to upload; `nil` for a file on the server.
    public let fileURL: URL?
    /// The properties of the file on the server; `nil` before the upload.
    public let asset: Asset?

    /// Creates an asset from a file.
    ///
    /// - Parameter fileURL: The file to upload. The file must exist until the record is saved.
    public init(fileURL: URL) {
        self.fileURL = fileURL
        asset = nil
    }

    init(_ asset: Asset) {
        self.asset = asset
        fileURL = nil
    }
}
