/// Something about a record that differs here from the source, although the record was carried over.
package struct ImportNote: Hashable, Sendable {
    /// The kinds of differences.
    package enum Kind: String, CaseIterable, Sendable {
        /// A field that is encrypted at the source. Here it is not.
        case encrypted
        /// A field with a type that this server does not know. It is left out.
        case unknownType
        /// A reference to a record of another zone. It is left out.
        case otherZone
        /// The parent of a record. It is left out.
        case parent
        /// The share of a record. It is left out.
        case share
        /// A reference with the action VALIDATE whose target is missing here. It has the action NONE.
        case notValidated
        /// A record that was here already with another creation date or creator, which stays.
        case otherCreation
        /// A reference to a user without an account here. It is kept as it is.
        case userReference
        /// A user of the source without an account here. `subject` is the user's record name.
        case unmappedUser
    }

    /// The kind.
    package var kind: Kind
    /// The type of the record; empty for a user.
    package var type: String
    /// The field, or the record name of a user; empty for a difference of the whole record.
    package var subject: String

    /// Describes a difference.
    package init(_ kind: Kind, type: String = "", subject: String = "") {
        self.kind = kind
        self.type = type
        self.subject = subject
    }
}
