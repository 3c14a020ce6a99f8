import FogbaseClient
import Foundation

/// What somebody has written. Everybody reads it, and its author alone changes it: new record types are so by themselves.
@RecordCodable
struct Post {
    var thread: String
    var title: String
    var text: String
    /// A small picture, which comes with each post of a list.
    var image: Data?
    /// A picture of any size: the record says where it is, and it is read when it is shown.
    var photo: Asset?

    /// The name of the record: there cannot be two, so a thread has each title once, however many post at once.
    var name: String { "\(thread): \(title)" }
}

/// How many like a post. It is a record of its own, since the post is its author's, and this is for all users to change.
@RecordCodable
struct Likes {
    var thread: String
    /// The post; when it is deleted, this goes with it.
    var post: Reference
    var count = 0

    static func name(for post: Stored<Post>) -> String { "Likes of \(post.id)" }

    /// Whoever is signed in may write. Guests may not: what the type grants stays the fence around the list.
    static let access = {
        var access = RecordAccess()
        access["*"] = [.read, .write]
        return access
    }()
}
