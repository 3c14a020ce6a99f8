/// An upload that can be resumed after a lost connection, and in a later run of the app.
///
/// Only the user who started an upload can resume it. The server deletes an unfinished upload after a day
/// (`unreferencedAssetSeconds` in `/limits`).
public struct ResumableUpload: Hashable, Sendable, Codable {
    /// The path of the upload on the server.
    public var address: String
    /// The length of the file, in bytes.
    public var length: Int64

    /// Creates an upload from values that an app has saved.
    public init(address: String, length: Int64) {
        self.address = address
        self.length = length
    }
}
