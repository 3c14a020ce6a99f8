/// Three states of one record whose versions have parted, for a merge.
public struct Conflict: Hashable, Sendable {
    /// The record as the app wanted to have it.
    public var client: Record?
    /// The record as it is; `nil` if the app may not read it.
    public var server: Record?
    /// The record as the app had read it before it changed it; `nil` if it had not.
    public var ancestor: Record?

    /// The three states; for tests of a merge.
    public init(client: Record? = nil, server: Record? = nil, ancestor: Record? = nil) {
        self.client = client
        self.server = server
        self.ancestor = ancestor
    }
}
