/// Where a store stands. Each transaction of the writer begins with it and moves it on, so it orders all writes.
package struct Head: Hashable, Sendable {
    /// The last number of the one sequence that was given. Numbers ascend in the order of commits; some may be left out.
    package var sequence: Int64
    /// The version of what decides about callers: schema, grants, roles, sessions that end.
    package var rights: UInt64
    /// The newest time that was given, in milliseconds since 1970.
    package var clock: Int64
}
