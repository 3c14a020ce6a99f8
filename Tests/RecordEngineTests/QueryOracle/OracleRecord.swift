import Geography
import RecordModel

/// A record as the oracle stores it: the written fields, and the system fields from the server.
struct OracleRecord: PredicateSubject {
    /// Its place in the creation order.
    var id: Int64 = 0
    var name: String
    var isPrivate = false
    /// By field name; a scalar has one value. A field that is not here is absent.
    var values: [String: [QueryValue]]
    /// Fields that conditions can only test for presence.
    var others: Set<String> = []
    /// The places of locations, by field name; a scalar has one.
    var places: [String: [Place]] = [:]
    /// Numbers of accounts, and milliseconds.
    var creator: UserID
    var modifier: UserID
    var created: Int64 = 0
    var modified: Int64 = 0

    func value(of field: QueryField) -> QueryValue? {
        switch field {
        case .field(let field): values[field.name.text]?.first
        case .system(.recordName): .text(Array(name.utf8))
        case .system(.createdTimestamp): .integer(created)
        case .system(.modifiedTimestamp): .integer(modified)
        case .system(.createdUserRecordName): .account(creator)
        case .system(.modifiedUserRecordName): .account(modifier)
        case .system, .distance, .rank: nil
        }
    }

    func places(of field: QueryField) -> [Place] { places[field.name] ?? [] }

    func members(of field: QueryField) -> [QueryValue] {
        if case .field(let field) = field { values[field.name.text] ?? [] } else { [] }
    }

    func memberCount(of field: QueryField) -> Int { members(of: field).count }

    func isPresent(_ field: QueryField) -> Bool {
        guard case .field(let field) = field else { return true }
        return values[field.name.text] != nil || others.contains(field.name.text) || places[field.name.text] != nil
    }
}

/// The expected result of a query: slow and obvious.
struct Oracle {
    var records: [OracleRecord]

    /// All matches in the order of the sort, those of equal places in creation order.
    func respond(
        _ predicate: Predicate, sort: [SortTerm], isPrivate: Bool, visibleTo creator: UserID?
    ) -> [OracleRecord] {
        records
            .filter { record in
                record.isPrivate == isPrivate && (creator == nil || record.creator == creator)
                    && predicate.evaluate(record)
            }
            .sorted { sort.areInIncreasingOrder($0, id: $0.id, $1, id: $1.id) }
    }
}
