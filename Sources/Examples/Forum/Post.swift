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
