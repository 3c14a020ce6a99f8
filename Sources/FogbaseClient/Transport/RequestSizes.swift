/// The limits of one request.
struct RequestSizes: Hashable, Sendable {
    /// The maximum number of operations in a batch.
    var operations: Int
    /// The maximum number of bytes in a body.
    var bodyBytes: Int
    /// The maximum number of list members in a condition.
    var listMembers: Int
    /// The maximum page size that a query can request.
    var pageSize: Int

    /// The limits of a server with default settings.
    static let usual = RequestSizes(operations: 200, bodyBytes: 8 << 20, listMembers: 1_000, pageSize: 1_000)
    /// The maximum number of bytes in the body of a query. This limit is the same for all servers.
    static let queryBytes = 256 << 10
    /// The page size of a query without a limit, in records.
    static let shortPage = 100
}

extension RequestSizes {
    /// Creates the request limits from the limits that a server reports.
    init(_ limits: ServerLimits) {
        let usual = Self.usual
        func size(_ limit: Int64?, _ usual: Int) -> Int { max(1, limit.flatMap { Int(exactly: $0) } ?? usual) }
        operations = size(limits.batchOperations, usual.operations)
        bodyBytes = size(limits.bodyBytes, usual.bodyBytes)
        listMembers = size(limits.all["queryListMembers"], usual.listMembers)
        pageSize = size(limits.pageSize, usual.pageSize)
    }
}

/// A cache of one server's request limits. All copies of a client share the cache.
actor RequestSizeCache {
    private(set) var sizes: RequestSizes?

    func remember(_ sizes: RequestSizes) {
        self.sizes = sizes
    }
}
