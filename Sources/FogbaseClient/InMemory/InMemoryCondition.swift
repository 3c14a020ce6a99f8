internal import RecordModel
internal import RecordWire

/// The predicate and sort of a query, bound to a record type and to accounts.
struct InMemoryCondition {
    private let bound: BoundQuery
    private let accounts: InMemoryAccounts
    /// The records to which references lead; `nil` if the predicate tests none of them.
    private let targets: InMemoryTargets?

    /// Binds a query.
    ///
    /// - Parameters:
    ///   - now: The value of `now()`, in milliseconds since 1970.
    ///   - targets: The records to which references lead.
    init(
        _ input: QueryInput, of type: RecordTypeDefinition, now: Int64, _ targets: InMemoryTargets
    ) throws(RecordError) {
        let accounts = targets.database.accounts
        self.accounts = accounts
        let types = { (name: String) throws(RecordError) in targets.types(with: name) }
        // Every field is indexed here, so every text can be searched.
        bound = try input.bind(to: type.withSearchableTexts, now: now, targets: types) { name throws(RecordError) in
            if name == InMemoryAccounts.deletedUser { return .gone }
            for id in [UserID.nobody, .administrator] where accounts.name(of: id) == name { return id }
            return accounts.id(named: name)
        }
        self.targets = bound.predicate.hasTargetTests ? targets : nil
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
        var subject = record.subject { accounts.name(of: $0) == InMemoryAccounts.deletedUser ? .gone : $0 }
        if let targets {
            subject.readTarget = { name in
                targets.record(named: name).map { target in
                    target.subject { accounts.name(of: $0) == InMemoryAccounts.deletedUser ? .gone : $0 }
                }
            }
        }
        return subject
    }
}

/// The records to which references lead, as far as a caller may read them.
struct InMemoryTargets {
    let call: InMemoryCall
    let database: InMemoryDatabase

    /// Returns the types with a field of a name to which a reference may lead.
    func types(with name: String) -> [RecordTypeDefinition] {
        database.schema.types.values
            .filter { (SystemField(name) != nil || $0[name] != nil) && call.permitted(.read, $0) != .none }
            .sorted { $0.id.rawValue < $1.id.rawValue }
    }

    func record(named name: [UInt8]) -> InMemoryRecord? {
        guard let name = RecordName(String(decoding: name, as: UTF8.self)),
            let record = database.find(name, zone: call.zone), let type = database.schema[id: record.type],
            call.permitted(.read, type) != .none, call.may(.read, record, type)
        else { return nil }
        return record
    }
}
