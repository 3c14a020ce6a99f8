import FogbaseClient
import Foundation

/// A post of a blog. The macro writes what is between the struct and the record's fields.
@RecordCodable("BlogPost")
struct Post {
    /// How far a post is, as a field with a text.
    enum State: String, FieldConvertible {
        case draft, published
    }

    /// The record name of the user.
    var author: String
    var title: String
    var text: String
    var topics: [String]
    var state = State.published
    /// A default: records that lack the field are read all the same.
    var good = 0
    /// Optional: absent is nil, and nil takes the field away.
    var subtitle: String?
    /// The field has another name.
    @Field("publishedAt") var date: Date
    /// No field.
    @Transient var isSelected = false
}

/// The same records with fewer fields: only these are sent.
@RecordDecodable("BlogPost")
struct PostTitle {
    var author: String
    var title: String
}
