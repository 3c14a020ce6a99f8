/// An upload that has begun, and that can go on after a lost connection and in a later run of the app.
///
/// Only whoever began it can go on with it; the server forgets it after a day (`/limits`, `unreferencedAssetSeconds`).
public struct ResumableUpload: Hashable, Sendable, Codable {
    /// Its path on the server.
    public var address: String
    /// The length of the file, in bytes.
    public var length: Int64

    /// An upload as an app has kept it.
    public init(address: String, length: Int64) {
        self.address = address
        self.length = length
    }
}
