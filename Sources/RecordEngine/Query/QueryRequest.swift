package import RecordModel
package import RecordWire

/// A query as a route understood it.
package struct QueryRequest: Sendable {
    package var caller: Caller
    package var address: DatabaseAddress
    package var typeName: RecordTypeName
    package var input: QueryInput
    let opening: StaticString

    /// - Parameters:
    ///   - input: Its `limit`, if there is one, is within the configured page size.
    ///   - opening: What the protocol puts in front of the records.
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

    /// The most records of its page.
    func limit(_ limits: DatabaseLimits) -> Int {
        input.limit ?? min(limits.defaultPageSize, limits.pageSize)
    }

    /// The answer where there can be no records.
    var emptyPage: RecordPage {
        var page = RecordPage(opening)
        if input.count { page.count = 0 }
        return page
    }
}
