/// The state of a store's writer. Each transaction starts with the current state and advances it. So the state orders
/// all writes.
package struct StoreHead: Hashable, Sendable {
    /// The last issued sequence number. Sequence numbers ascend in the order of commits; some numbers are skipped.
    package var sequence: Int64
    /// The version of the schema, grants, roles and ended sessions.
    package var rights: UInt64
    /// The time of the running group, in milliseconds since 1970.
    package var clock: Int64
}
