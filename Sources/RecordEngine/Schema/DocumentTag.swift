internal import Cryptography
package import RecordModel
package import RecordWire
internal import Encodings

/// The entity tags of what is replaced as a whole: the schema, the grants of a type, a role.
package enum DocumentTag {
    /// A digest of the document's text, so that what is the same has the same tag, whoever made it.
    package static func text(of document: JSONValue) -> String {
        Base64URL.encode(Array(SHA256.hash(document.bytes).bytes.prefix(15)))
    }

    /// That of a schema, whatever of its indexes is built already.
    package static func text(of schema: Schema) -> String {
        text(of: SchemaDocument(schema).withoutProgress.json)
    }
}

extension WriteGuard {
    /// Compares what a request demands with the document as the transaction has it, so that nobody comes between.
    ///
    /// - Parameter tag: That of the document; `nil` if there is none.
    /// - Throws: CONFLICT with cause PRECONDITION_FAILED.
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
    /// `If-Match` on a document that has another tag.
    package static let documentChanged = RecordError(
        .conflict,
        "Somebody has changed this since: it has another tag than If-Match names. Read it again and decide anew",
        cause: .preconditionFailed)

    /// `If-Match` on a document that is not there.
    static let documentMissing = RecordError(
        .notFound, "If-Match demands one that exists, and there is none", cause: .preconditionFailed)
}
