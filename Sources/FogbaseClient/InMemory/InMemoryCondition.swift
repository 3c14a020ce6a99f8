internal import RecordModel
internal import RecordWire

/// The predicate and sort of a query, bound to a record type and to accounts.
struct InMemoryCondition {
    private let bound: BoundQuery
    private let accounts: InMemoryAccounts

    /// Binds a query.
    ///
    /// - Parameter now: The value of `now()`, in milliseconds since 1970.
    init(
        _ input: QueryInput, of type: RecordTypeDefinition, now: Int64, _ accounts: InMemoryAccounts
    ) throws(RecordError) {
        self.accounts = accounts
        // Every field is indexed here, so every text can be searched.
        bound = try input.bind(to: type.withSearchableTexts, now: now) { name throws(RecordError) in
            if name == InMemoryAccounts.deletedUser { return .gone }
            for id in [UserID.nobody, .administrator] where accounts.name(of: id) == name { return id }
            return accounts.id(named: name)
        }
    }

    func holds(for record: InMemoryRecord) -> Bool { bound.predicate.evaluate(subject(record)) }

    func isBefore(_ left: InMemoryRecord, _ right: InMemoryRecord) -> Bool {
        bound.sort.areInIncreasingOrder(subject(left), id: left.id, subject(right), id: right.id)
    }

    /// The aggregate of the query; `nil` for a query of records.
    var aggregation: Aggregation? { bound.aggregation }

    /// Returns the groups of the records that match, as JSON without the last brace.
    ///
    /// - Throws: BAD_REQUEST with cause TOO_LARGE, as the server.
    func groups(of records: [InMemoryRecord], _ aggregation: Aggregation) throws(RecordError) -> [UInt8] {
        let table = GroupTable(aggregation, in: .utc)
        let fields = aggregation.fields
        for record in records where holds(for: record) {
            let subject = subject(record)
            try table.add(fields.map(subject.value(of:)))
        }
        let (groups, hasMore) = try table.finish()
        var document = AggregateDocument(aggregation) { id throws(RecordError) in accounts.name(of: id) }
        for group in groups { try document.append(group) }
        document.finish(hasMore: hasMore)
        return document.json
    }

    private func subject(_ record: InMemoryRecord) -> InMemoryRecord.Subject {
        record.subject { accounts.name(of: $0) == InMemoryAccounts.deletedUser ? .gone : $0 }
    }
}
