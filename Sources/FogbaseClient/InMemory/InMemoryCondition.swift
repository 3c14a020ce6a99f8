internal import RecordModel
internal import RecordWire

/// The condition and the sort of a query. Accounts that it names are found.
struct InMemoryCondition {
    private let bound: BoundQuery
    private let accounts: InMemoryAccounts

    /// - Parameter now: What `now()` means in it.
    init(
        _ input: QueryInput, of type: RecordTypeDefinition, now: Int64, _ accounts: InMemoryAccounts
    ) throws(RecordError) {
        self.accounts = accounts
        bound = try input.bind(to: type, now: now) { name throws(RecordError) in
            if name == InMemoryAccounts.deletedUser { return .gone }
            for id in [UserID.nobody, .administrator] where accounts.name(of: id) == name { return id }
            return accounts.id(named: name)
        }
    }

    func holds(for record: KeptRecord) -> Bool { bound.predicate.evaluate(subject(record)) }

    func isBefore(_ left: KeptRecord, _ right: KeptRecord) -> Bool {
        bound.sort.areInIncreasingOrder(subject(left), id: left.id, subject(right), id: right.id)
    }

    private func subject(_ record: KeptRecord) -> KeptRecord.Subject {
        record.subject { accounts.name(of: $0) == InMemoryAccounts.deletedUser ? .gone : $0 }
    }
}
