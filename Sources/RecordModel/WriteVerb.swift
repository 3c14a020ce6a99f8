/// What a write does to one record; CloudKit's seven operation types and the native verbs come down to these.
package enum WriteVerb: Hashable, Sendable {
    case create
    /// `createsMissing`: a missing record is made. `replacesAll`: fields that are not given go.
    case modify(createsMissing: Bool, replacesAll: Bool)
    /// `forgivesMissing`: deleting a record that is not there succeeds.
    case delete(forgivesMissing: Bool)
}

/// What must hold of a record, or of a document, before a write touches it.
package enum WriteGuard: Hashable, Sendable {
    case none
    /// `If-Match: "a", "b"`, or the `recordChangeTag` of a batch operation.
    case tags([String])
    /// `If-Match: *`: the record exists.
    case exists
    /// `If-None-Match: *`: it does not.
    case absent
}
