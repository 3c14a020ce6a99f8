package import RecordModel

/// A database as a client follows it: with subscriptions, or with the changes of its zones.
package enum FollowedDatabase: Hashable, Sendable {
    /// The public database, or the private database of an account.
    case scope(DatabaseScope)
    /// The shared database of the caller: the zones that other users share with it.
    case shared
}
