/// How much one request may hold.
struct RequestSizes: Hashable, Sendable {
    /// The operations of a batch.
    var operations: Int
    /// The bytes of a body.
    var bodyBytes: Int
    /// The members of a list in a condition.
    var listMembers: Int
    /// The records of a page that is asked for.
    var pageSize: Int

    /// What servers take unless their operators say otherwise.
    static let usual = RequestSizes(operations: 200, bodyBytes: 8 << 20, listMembers: 1_000, pageSize: 1_000)
    /// What the body of a query may have; no setting changes it.
    static let queryBytes = 256 << 10
    /// The records of a page for which nobody has asked.
    static let shortPage = 100
}

extension RequestSizes {
    /// The sizes of a server, by what it says of itself.
    init(_ limits: ServerLimits) {
        let usual = Self.usual
        func size(_ limit: Int64?, _ usual: Int) -> Int { max(1, limit.flatMap { Int(exactly: $0) } ?? usual) }
        operations = size(limits.batchOperations, usual.operations)
        bodyBytes = size(limits.bodyBytes, usual.bodyBytes)
        listMembers = size(limits.all["queryListMembers"], usual.listMembers)
        pageSize = size(limits.pageSize, usual.pageSize)
    }
}

/// The sizes of one server, once somebody has had to ask for them; all copies of a client share them.
actor KnownSizes {
    private(set) var sizes: RequestSizes?

    func remember(_ sizes: RequestSizes) {
        self.sizes = sizes
    }
}
