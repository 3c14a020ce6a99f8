import FogbaseClient
import Foundation

/// A post. Everyone can read it, and only its author can change it; these are the default grants of a new record type.
@RecordCodable
struct Post {
    var thread: String
    var title: String
    var text: String
    /// A small picture that is read with each post of a list.
    var image: Data?
    /// A picture of any size. The record only refers to it; the app downloads it when it shows the picture.
    var photo: Asset?

    /// The name of the record. Record names are unique, so a thread cannot have two posts with the same title.
    var name: String { "\(thread): \(title)" }
}
