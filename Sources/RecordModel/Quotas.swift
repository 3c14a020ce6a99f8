/// The quotas of users and of a container's environment. A limit of 0 means no limit.
package struct Quotas: Hashable, Sendable {
    /// The quota of each user. It covers the data that the user created in the public database, and the user's private
    /// database.
    package var user: Usage
    /// The combined quota of all databases of a container's environment.
    package var container: Usage

    /// Creates quotas. By default, there are no limits.
    package init(user: Usage = Usage(), container: Usage = Usage()) {
        self.user = user
        self.container = container
    }

    /// Whether at least one quota has a limit.
    package var areSet: Bool { self != Quotas() }
}
