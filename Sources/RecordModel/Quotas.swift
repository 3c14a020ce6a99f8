/// What accounts, and a container's environment as a whole, may take: so much of each, and 0 for any amount.
package struct Quotas: Hashable, Sendable {
    /// Of each user: what it created in the public database, and all of its private one.
    package var user: Usage
    /// Of all databases of a container's environment together.
    package var container: Usage

    package init(user: Usage = Usage(), container: Usage = Usage()) {
        self.user = user
        self.container = container
    }

    /// Whether anything is bounded.
    package var areSet: Bool { self != Quotas() }
}
