import FogbaseClient

/// How many like a post. It is a record of its own, since the post is its author's, and this is for all users to change.
@RecordCodable
struct Likes {
    var thread: String
    /// The post; when it is deleted, this goes with it.
    var post: Reference
    var count = 0

    /// The name of the record, by the name of the post's.
    static func name(for post: String) -> String { "Likes of \(post)" }

    /// Whoever is signed in may write. Guests may not: what the type grants stays the fence around the list.
    static let access = RecordAccess.everyone(.readWrite)
}
