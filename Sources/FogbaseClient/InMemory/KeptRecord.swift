internal import RecordModel
internal import RecordWire

/// Where a record is kept: its zone, and its name there.
struct RecordKey: Hashable {
    /// 0 for the public database, the number of its owner for a private one.
    let zone: Int64
    let name: RecordName
}

/// A record of `InMemoryServer`, or what is left of a deleted one.
struct KeptRecord {
    /// The sequence number of its making, by which lists are ordered.
    let id: Int64
    let key: RecordKey
    /// The number of its type.
    let type: TypeID
    let creator: UserID
    /// Milliseconds since 1970, as all times.
    let created: Int64
    var modifier: UserID
    var modified: Int64
    /// That of its last change, by which the feed is ordered.
    var sequence: Int64
    var revision: Int64
    var isDeleted = false
    /// The access list in its stored form.
    var access: [UInt8]?
    /// Who could read it before its list was changed, in stored form.
    var formerReaders: [UInt8]?
    private(set) var fields = StoredFields.empty
    /// The long values of BYTES fields, by field.
    private(set) var externals: [Int: [UInt8]] = [:]
    /// The references that bind.
    private(set) var references: [(field: Int, reference: Reference)] = []
    /// What conditions compare, by field: one value, or the members of a list. Fields that they do not compare have none.
    private var values: [Int: [QueryValue]] = [:]

    /// A new record.
    init(id: Int64, key: RecordKey, type: TypeID, creator: UserID, created: Int64) {
        self.id = id
        self.key = key
        self.type = type
        self.creator = creator
        self.created = created
        modifier = creator
        modified = created
        sequence = id
        // Another one for a name that is used again: an old tag, or another record's, is none of its.
        revision = .random(in: 1 << 32..<1 << 40)
    }

    var facts: RecordFacts { RecordFacts(creator: creator, access: access) }
    var tag: String { RecordTag.text(revision) }

    /// Takes the fields as a write leaves them.
    mutating func take(_ merge: FieldMerge) throws(RecordError) {
        fields = merge.stored
        for field in merge.externalRemovals { externals[field] = nil }
        for put in merge.externalPuts { externals[put.fieldID] = put.json }
        var values: [Int: [QueryValue]] = [:]
        references = try fields.withView { view throws(RecordError) in
            for entry in view.entries {
                guard !entry.isExternal else {
                    values[entry.fieldID] = []
                    continue
                }
                switch try CanonicalValue.decode(view.valueText(of: entry), as: entry.type) {
                case .list(_, let members): values[entry.fieldID] = members.compactMap(QueryValue.init)
                case let value: values[entry.fieldID] = [value].compactMap(QueryValue.init)
                }
            }
            return try view.references(includingNone: false).map { ($0.fieldID, $0.reference) }
        }
        self.values = values
    }

    /// Notes who could read the record until now and cannot any more, for the feed.
    mutating func noteFormerReaders(before: [UInt8]?) {
        guard access != before else { return }
        let former = StoredFormerReaders.losses(formerReaders, before: before, after: access, at: sequence)
        formerReaders = former.isEmpty ? nil : StoredFormerReaders.encode(former)
    }

    func refers(to name: RecordName, with action: ReferenceAction) -> Bool {
        references.contains { $0.reference.recordName == name && $0.reference.action == action }
    }

    /// Leaves nothing of it but that it is gone.
    mutating func clear() {
        isDeleted = true
        fields = .empty
        externals = [:]
        references = []
        values = [:]
    }

    /// What a condition sees of it.
    ///
    /// - Parameter account: The number by which conditions know a writer.
    func subject(account: (UserID) -> UserID) -> Subject {
        Subject(record: self, creator: account(creator), modifier: account(modifier))
    }

    /// A record before a condition.
    struct Subject: PredicateSubject {
        let record: KeptRecord
        let creator: UserID
        let modifier: UserID

        func value(of field: QueryField) -> QueryValue? {
            switch field {
            case .field(let field): record.values[field.id]?.first
            case .system(.recordName): .text(Array(record.key.name.text.utf8))
            case .system(.createdTimestamp): .integer(record.created)
            case .system(.modifiedTimestamp): .integer(record.modified)
            case .system(.createdUserRecordName): .account(creator)
            case .system(.modifiedUserRecordName): .account(modifier)
            case .system: nil
            }
        }

        func members(of field: QueryField) -> [QueryValue] {
            guard case .field(let field) = field else { return [] }
            return record.values[field.id] ?? []
        }

        func isPresent(_ field: QueryField) -> Bool {
            guard case .field(let field) = field else { return true }
            return record.values[field.id] != nil
        }
    }
}
