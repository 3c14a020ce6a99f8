import FogbaseClient

/// The number of likes of a post. It is a separate record, since only the author may change the post, but all users may
/// like it.
@RecordCodable
struct Likes {
    var thread: String
    /// The post. The server deletes this record together with it.
    var post: Reference
    var count = 0

    /// The name of the record, derived from the name of the post.
    static func name(for post: String) -> String { "Likes of \(post)" }

    /// All users may write. Guests may not: an access list never grants more than the grants of the record type.
    static let access = RecordAccess.everyone(.readWrite)
}
