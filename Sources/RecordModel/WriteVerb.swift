/// The kind of a write to one record. CloudKit's seven operation types and the native verbs map to these kinds.
package enum WriteVerb: Hashable, Sendable {
    case create
    /// Updates a record. If `createsMissing` is true, a missing record is created. If `replacesAll` is true, fields
    /// that the request does not contain are removed.
    case modify(createsMissing: Bool, replacesAll: Bool)
    /// Deletes a record. If `ignoresMissing` is true, deleting a missing record succeeds.
    case delete(ignoresMissing: Bool)
}

/// The precondition of a write on a record or document.
package enum WritePrecondition: Hashable, Sendable {
    case none
    /// The record has one of these change tags: `If-Match: "a", "b"`, or the `recordChangeTag` of a batch operation.
    case tags([String])
    /// The record must exist: `If-Match: *`.
    case exists
    /// The record must not exist: `If-None-Match: *`.
    case absent

    /// Whether the precondition is a change tag.
    package var hasTags: Bool { if case .tags = self { true } else { false } }
}
