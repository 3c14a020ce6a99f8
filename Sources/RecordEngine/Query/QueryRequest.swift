package import RecordModel
package import RecordWire

/// A parsed query request from any route.
package struct QueryRequest: Sendable {
    /// The sender of the request.
    package var caller: Caller
    /// The database and zone to search.
    package var address: DatabaseAddress
    /// The record type to search.
    package var typeName: RecordTypeName
    /// The predicate, sort and page options.
    package var input: QueryInput
    /// The network of the request, if known; see `PoolUser`.
    package var network: ClientNetwork?
    let opening: StaticString
    /// Whether all zones of the private database are searched, instead of the one in `address`.
    package var isZoneWide = false
    /// The protocol of the response.
    package var face = RecordFace.native
    /// Whether the request is a listing in creation order, whose cursors are those of `ListRequest`.
    package var isListing = false

    /// Creates a request.
    ///
    /// - Parameters:
    ///   - input: The predicate, sort and page options. `limit`, if set, must be within the configured page size.
    ///   - opening: The protocol's text before the records.
    package init(
        caller: Caller, address: DatabaseAddress, typeName: RecordTypeName, input: QueryInput,
        opening: StaticString = ""
    ) {
        self.caller = caller
        self.address = address
        self.typeName = typeName
        self.input = input
        self.opening = opening
    }

    /// Whose turn the query takes in the pool.
    var poolUser: PoolUser { PoolUser(caller, network) }

    /// The maximum number of records on the page.
    func limit(_ limits: DatabaseLimits) -> Int {
        input.limit ?? min(limits.defaultPageSize, limits.pageSize)
    }

    /// A page without records.
    var emptyPage: RecordPage {
        var page = RecordPage(opening)
        if input.aggregate != nil { page.groups = Array(#"{"groups":[]"#.utf8) }
        if input.count { page.count = 0 }
        if input.estimatesTotal { page.total = RecordTotal(value: 0, relation: .exact) }
        if !input.highlight.isEmpty { page.highlights = .array([]) }
        if !input.expand.isEmpty { page.expanded = Array(#"{"records":[]}"#.utf8) }
        return page
    }
}
