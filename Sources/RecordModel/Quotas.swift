/// What accounts, and a container's environment as a whole, may take.
public struct Quotas: Hashable, Sendable {
    /// How much of each; 0 for any amount.
    public struct Amounts: Hashable, Sendable {
        public var records: Int
        /// The stored bytes of fields.
        public var bytes: Int
        /// The bytes of files in records.
        public var assetBytes: Int

        public init(records: Int = 0, bytes: Int = 0, assetBytes: Int = 0) {
            self.records = records
            self.bytes = bytes
            self.assetBytes = assetBytes
        }
    }

    /// Of each user: what it created in the public database, and all of its private one.
    public var user: Amounts
    /// Of all databases of a container's environment together.
    public var container: Amounts

    public init(user: Amounts = Amounts(), container: Amounts = Amounts()) {
        self.user = user
        self.container = container
    }

    /// Whether anything is bounded.
    public var areSet: Bool { self != Quotas() }
}
