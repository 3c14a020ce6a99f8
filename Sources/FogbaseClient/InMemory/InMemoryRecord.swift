internal import Geography
internal import RecordModel
internal import RecordWire

/// The key of a record: its zone and its name.
struct RecordKey: Hashable {
    let zone: InMemoryZoneID
    let name: RecordName
}

/// A record of `InMemoryServer`, or the tombstone of a deleted record.
struct InMemoryRecord {
    /// The sequence number of the record's creation, which orders lists.
    let id: Int64
    let key: RecordKey
    /// The ID of the record type.
    let type: TypeID
    let creator: UserID
    /// The creation time, in milliseconds since 1970. All times have this unit.
    let created: Int64
    var modifier: UserID
    var modified: Int64
    /// The sequence number of the last change, which orders the change feed.
    var sequence: Int64
    var revision: Int64
    var isDeleted = false
    /// The access list in stored form.
    var access: [UInt8]?
    /// The principals that could read the record before its access list changed, in stored form.
    var formerReaders: [UInt8]?
    private(set) var fields = StoredFields.empty
    /// The long values of BYTES fields, by field ID.
    private(set) var externals: [Int: [UInt8]] = [:]
    /// The references with an action.
    private(set) var references: [(field: Int, reference: Reference)] = []
    /// The values that predicates compare, by field ID: one value, or the members of a list. A field has no values here
    /// if its type cannot be compared.
    private var values: [Int: [QueryValue]] = [:]
    /// The numbers of members of the lists, by field ID.
    private var memberCounts: [Int: Int] = [:]
    /// The places of the locations, by field ID.
    private var places: [Int: [Place]] = [:]

    /// Creates a record without fields.
    init(id: Int64, key: RecordKey, type: TypeID, creator: UserID, created: Int64) {
        self.id = id
        self.key = key
        self.type = type
        self.creator = creator
        self.created = created
        modifier = creator
        modified = created
        sequence = id
        // The revision starts at a random number, so that the change tag of an earlier record with the same name does
        // not match.
        revision = .random(in: 1 << 32..<1 << 40)
    }

    var facts: RecordFacts { RecordFacts(creator: creator, access: access) }
    var tag: String { RecordTag.text(revision) }

    /// Sets the fields to the result of a write.
    mutating func take(_ merge: FieldMerge) throws(RecordError) {
        fields = merge.stored
        for field in merge.externalRemovals { externals[field] = nil }
        for put in merge.externalPuts { externals[put.fieldID] = put.json }
        var values: [Int: [QueryValue]] = [:]
        var memberCounts: [Int: Int] = [:]
        var places: [Int: [Place]] = [:]
        references = try fields.withView { view throws(RecordError) in
            for entry in view.entries {
                guard !entry.isExternal else {
                    values[entry.fieldID] = []
                    continue
                }
                let value = try CanonicalValue.decode(view.valueText(of: entry), as: entry.type)
                if entry.type.element == .location { places[entry.fieldID] = value.places }
                switch value {
                case .list(_, let members):
                    values[entry.fieldID] = members.compactMap(QueryValue.init)
                    memberCounts[entry.fieldID] = members.count
                case let value: values[entry.fieldID] = [value].compactMap(QueryValue.init)
                }
            }
            return try view.references(includingNone: false).map { ($0.fieldID, $0.reference) }
        }
        self.values = values
        self.memberCounts = memberCounts
        self.places = places
    }

    /// Stores the principals that lose read access because of a change, for the change feed.
    mutating func noteFormerReaders(before: [UInt8]?) {
        guard access != before else { return }
        let former = StoredFormerReaders.losses(formerReaders, before: before, after: access, at: sequence)
        formerReaders = former.isEmpty ? nil : StoredFormerReaders.encode(former)
    }

    func refers(to name: RecordName, with action: ReferenceAction) -> Bool {
        references.contains { $0.reference.recordName == name && $0.reference.action == action }
    }

    /// Updates the system fields for a change.
    ///
    /// - Parameter now: The time in milliseconds since 1970.
    mutating func change(sequence: Int64, by account: UserID, at now: Int64) {
        self.sequence = sequence
        revision += 1
        modifier = account
        modified = now
    }

    /// Turns the record into a tombstone.
    mutating func clear() {
        isDeleted = true
        fields = .empty
        externals = [:]
        references = []
        values = [:]
        memberCounts = [:]
        places = [:]
    }

    /// Returns the record as the subject of a predicate.
    ///
    /// - Parameter account: Maps a user ID to the user ID that predicates compare.
    func subject(account: (UserID) -> UserID) -> Subject {
        Subject(record: self, creator: account(creator), modifier: account(modifier))
    }

    /// A record whose values a predicate compares.
    struct Subject: PredicateSubject {
        let record: InMemoryRecord
        let creator: UserID
        let modifier: UserID
        /// Returns the record with a name, if the caller may read it.
        var readTarget: ([UInt8]) -> Subject? = { _ in nil }

        func target(of field: QueryField) -> (type: TypeID, record: any PredicateSubject)? {
            guard case .text(let name)? = value(of: field), let target = readTarget(name) else { return nil }
            return (target.record.type, target)
        }

        func value(of field: QueryField) -> QueryValue? {
            switch field {
            case .field(let field): record.values[field.id]?.first
            case .system(.recordName): .text(Array(record.key.name.text.utf8))
            case .system(.createdTimestamp): .integer(record.created)
            case .system(.modifiedTimestamp): .integer(record.modified)
            case .system(.createdUserRecordName): .account(creator)
            case .system(.modifiedUserRecordName): .account(modifier)
            case .system, .distance, .rank: nil
            }
        }

        func places(of field: QueryField) -> [Place] {
            field.definition.flatMap { record.places[$0.id] } ?? []
        }

        func members(of field: QueryField) -> [QueryValue] {
            guard case .field(let field) = field else { return [] }
            return record.values[field.id] ?? []
        }

        func memberCount(of field: QueryField) -> Int {
            guard case .field(let field) = field else { return 0 }
            return record.memberCounts[field.id] ?? 0
        }

        func isPresent(_ field: QueryField) -> Bool {
            guard case .field(let field) = field else { return true }
            return record.values[field.id] != nil
        }
    }
}
