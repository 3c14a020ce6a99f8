import FogbaseClient
import Foundation

/// A post of a blog. The macro generates the conversion between the struct and the record's fields.
@RecordCodable("BlogPost")
struct Post {
    /// The state of a post, stored as a string.
    enum State: String, FieldConvertible {
        case draft, published
    }

    /// The user's record name.
    var author: String
    var title: String
    var text: String
    var topics: [String]
    var state = State.published
    /// A default: records that lack the field can still be read.
    var good = 0
    /// Optional: an absent field is nil, and nil removes the field.
    var subtitle: String?
    /// The field has a different name.
    @Field("publishedAt") var date: Date
    /// Not a field.
    @Transient var isSelected = false
}

/// The same records with fewer fields. The server sends only these.
@RecordDecodable("BlogPost")
struct PostTitle {
    var author: String
    var title: String
}
