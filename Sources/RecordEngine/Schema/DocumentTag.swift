internal import Cryptography
package import RecordModel
package import RecordWire
internal import Encodings

/// The change tags of documents that are replaced as a whole: the schema, the grants of a type, a role.
package enum DocumentTag {
    /// Returns the tag of a document: 15 bytes of its SHA-256 digest in base64url, 20 characters. Equal documents have
    /// equal tags.
    package static func text(of document: JSONValue) -> String {
        Base64URL.encode(Array(SHA256.hash(document.bytes).bytes.prefix(15)))
    }

    /// Returns the tag of a schema. The progress of index building does not affect it.
    package static func text(of schema: Schema) -> String {
        text(of: SchemaDocument(schema).withoutProgress.json)
    }
}

extension WritePrecondition {
    /// Checks a precondition against a document's current state in the transaction, so that no other write can change
    /// the document between the check and the write.
    ///
    /// - Parameter tag: Returns the document's tag; `nil` if there is no document.
    /// - Throws: CONFLICT or NOT_FOUND with cause PRECONDITION_FAILED.
    func check(documentTag tag: () throws(RecordError) -> String?) throws(RecordError) {
        switch self {
        case .none: return
        case .exists:
            guard try tag() != nil else { throw .documentMissing }
        case .absent:
            guard try tag() == nil else {
                throw RecordError(
                    .conflict, "There is one already, and If-None-Match: * demands that there is none",
                    cause: .preconditionFailed)
            }
        case .tags(let tags):
            guard let current = try tag() else { throw .documentMissing }
            guard tags.contains(current) else { throw .documentChanged }
        }
    }
}

extension RecordError {
    /// The error if the tag in `If-Match` is not the document's current tag.
    package static let documentChanged = RecordError(
        .conflict,
        "Somebody has changed this since: its tag differs from If-Match. Read it again, and apply your change to it",
        cause: .preconditionFailed)

    /// The error if a request with `If-Match` names a missing document.
    static let documentMissing = RecordError(
        .notFound, "If-Match demands one that exists, and there is none", cause: .preconditionFailed)
}
