/// The three states of a record after a conflict, for merging the changes.
public struct Conflict: Hashable, Sendable {
    /// The record that the app tried to save; `nil` if unknown.
    public var client: Record?
    /// The current record on the server; `nil` if the caller cannot read the record.
    public var server: Record?
    /// The record as the app had read it before the changes; `nil` if the app had not read the record.
    public var ancestor: Record?

    /// Creates a conflict for tests.
    public init(client: Record? = nil, server: Record? = nil, ancestor: Record? = nil) {
        self.client = client
        self.server = server
        self.ancestor = ancestor
    }
}
