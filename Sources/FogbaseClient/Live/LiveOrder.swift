internal import Foundation
internal import Geography
internal import RecordModel
internal import RecordWire

/// The order of a query's records, as the server sorts them.
///
/// The server sorts records that are equal in all sort fields by their record numbers, which a client does not know.
/// Here their creation times decide. If these are equal too, the order is unknown.
struct LiveOrder: Sendable {
    private let terms: [SortTerm]
    /// The terms whose fields have a DOUBLE in some record. A field that was widened has integers in older records.
    private var doubles: Set<Int> = []
    /// The places from which the terms measure distances. Such a term compares the distances like a DOUBLE field.
    private let origins: [Int: Place]

    /// What the order compares of one record: the value of each term, and the creation time in milliseconds.
    struct Key: Hashable, Sendable {
        var values: [QueryValue?]
        var created: Int64
    }

    /// - Parameter sorts: The terms of the sort, as a query has them, such as `-timestamp` and `title[c] nulls last`.
    init(_ sorts: [String]) {
        var origins: [Int: Place] = [:]
        terms = sorts.enumerated().compactMap { index, sort in
            guard let input = try? QueryInput.sort(sort).first, let column = ColumnName(parsing: input.name) else {
                return nil
            }
            if let distance = try? SortedDistance(parsing: input.name) {
                origins[index] = distance.origin
                return FieldName(distance.name).map {
                    SortTerm(
                        .field(FieldDefinition(id: index, name: $0, type: .double)), isAscending: input.isAscending,
                        nulls: input.nulls ?? .last)
                }
            }
            if let system = SystemField(column.name) {
                return SortTerm(.system(system), isAscending: input.isAscending)
            }
            // The number only distinguishes the fields here.
            return FieldName(column.name).map {
                SortTerm(
                    .field(FieldDefinition(id: index, name: $0, type: .string)), form: column.form,
                    isAscending: input.isAscending, nulls: input.nulls)
            }
        }
        self.origins = origins
    }

    /// The names of the fields to compare, without system fields.
    var fields: [String] {
        terms.compactMap { term in
            if case .field(let field) = term.field { field.name.text } else { nil }
        }
    }

    /// Reads what the order compares from the scanner's current record.
    mutating func key(of scanner: inout RecordScanner) -> Key {
        let head = scanner.head
        var fields = scanner.fields
        var key = Key(values: [], created: head.created?.timestamp ?? 0)
        for (index, term) in terms.enumerated() {
            var value: QueryValue?
            switch term.field {
            case .system(.recordName): value = .text(Array(head.recordName.utf8))
            case .system(.createdTimestamp): value = .integer(key.created)
            case .system(.modifiedTimestamp): value = .integer(head.modified?.timestamp ?? 0)
            case .system, .distance, .rank: value = nil
            case .field(let field):
                let stored = fields.find(field.name.text).flatMap { fields.value(of: $0) }
                value =
                    if let origin = origins[field.id] {
                        QueryValue(distanceFrom: origin, to: stored?.places ?? [])
                    } else {
                        stored.flatMap(QueryValue.init)
                    }
            }
            if case .double? = value { doubles.insert(index) }
            key.values.append(value)
        }
        return key
    }

    /// Adds what another order of the same query knows of the fields' types.
    mutating func learn(from other: LiveOrder) {
        doubles.formUnion(other.doubles)
    }

    /// Returns whether one record sorts before another. If neither does, their order is unknown.
    func isBefore(_ left: Key, _ right: Key) -> Bool {
        terms.areInIncreasingOrder(subject(left), id: left.created, subject(right), id: right.created)
    }

    private func subject(_ key: Key) -> Subject { Subject(key: key, terms: terms, doubles: doubles) }

    private struct Subject: PredicateSubject {
        let key: Key
        let terms: [SortTerm]
        let doubles: Set<Int>

        func value(of field: QueryField) -> QueryValue? {
            guard let index = terms.firstIndex(where: { $0.field == field }) else { return nil }
            if case .integer(let integer)? = key.values[index], doubles.contains(index) {
                return .double(Double(integer))
            }
            return key.values[index]
        }

        func members(of field: QueryField) -> [QueryValue] { [] }
        func places(of field: QueryField) -> [Place] { [] }
        func memberCount(of field: QueryField) -> Int { 0 }
        func isPresent(_ field: QueryField) -> Bool { value(of: field) != nil }
    }
}
