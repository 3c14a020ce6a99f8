import Foundation

/// A type whose values are records.
protocol Model: Sendable {
    static var recordType: String { get }
    /// The names of the fields.
    static var names: [PartialKeyPath<Self>: String] { get }
    /// - Throws: `FieldMissing`.
    init(_ fields: Fields) throws
    /// The fields by name. `FieldValue.missing` removes a field.
    var fields: [String: FieldValue] { get }
}

/// A type of the properties of models.
protocol FieldConvertible {
    init?(_ value: FieldValue)
    var fieldValue: FieldValue { get }
}

/// The fields of a record, for the initializer of a model.
struct Fields {
    let values: [String: FieldValue]

    func callAsFunction<Value: FieldConvertible>(_ name: String) throws -> Value {
        guard let value = Value(values[name] ?? .missing) else { throw FieldMissing(name: name) }
        return value
    }
}

/// A record without a field that its model needs, or with another type of it.
struct FieldMissing: Error {
    let name: String
}

/// A model with the name and the version of its record.
struct Stored<M: Model>: Sendable {
    let name: String
    let tag: String
    var model: M

    init(_ record: CloudRecord) throws {
        guard let name = record.recordName, let tag = record.recordChangeTag else {
            throw FieldMissing(name: "recordName")
        }
        (self.name, self.tag) = (name, tag)
        model = try M(Fields(values: record.fields ?? [:]))
    }
}

/// A typed query: filters, all of which must hold, and sorts.
struct Query<M: Model>: Sendable {
    enum Comparator: String, Encodable, Sendable {
        case equals = "EQUALS"
        case notEquals = "NOT_EQUALS"
        case lessThan = "LESS_THAN"
        case atMost = "LESS_THAN_OR_EQUALS"
        case greaterThan = "GREATER_THAN"
        case atLeast = "GREATER_THAN_OR_EQUALS"
        case beginsWith = "BEGINS_WITH"
        case contains = "LIST_CONTAINS"
        case containsAny = "LIST_CONTAINS_ANY"
    }

    private struct Filter: Encodable, Sendable {
        var fieldName: String
        var comparator: Comparator
        var fieldValue: FieldValue
    }

    private struct Sort: Encodable, Sendable {
        var fieldName: String?
        var systemFieldName: String?
        var ascending: Bool
    }

    private var filters: [Filter] = []
    private var sorts: [Sort] = []

    /// All records of the type.
    init() {}

    /// Compares a property with a value of its type.
    func filter<Value: FieldConvertible>(
        _ property: KeyPath<M, Value>, _ comparator: Comparator, _ value: Value
    ) -> Query {
        adding(property, comparator, value.fieldValue)
    }

    /// Requires that a property has a value in a range.
    func filter<Value: FieldConvertible>(_ property: KeyPath<M, Value>, in range: ClosedRange<Value>) -> Query {
        filter(property, .atLeast, range.lowerBound).filter(property, .atMost, range.upperBound)
    }

    /// Requires that a property has a value in a range without its end.
    func filter<Value: FieldConvertible>(_ property: KeyPath<M, Value>, in range: Range<Value>) -> Query {
        filter(property, .atLeast, range.lowerBound).filter(property, .lessThan, range.upperBound)
    }

    /// Requires that a list has a member.
    func filter(_ property: KeyPath<M, [String]>, contains member: String) -> Query {
        adding(property, .contains, .string(member))
    }

    /// Sorts by a property, after the sorts before.
    func sorted(by property: PartialKeyPath<M>, ascending: Bool = true) -> Query {
        var query = self
        query.sorts.append(Sort(fieldName: M.names[property], ascending: ascending))
        return query
    }

    /// Sorts by the time of creation, the newest first.
    func newestFirst() -> Query {
        var query = self
        query.sorts.append(Sort(systemFieldName: "createdTimestamp", ascending: false))
        return query
    }

    private func adding(_ property: PartialKeyPath<M>, _ comparator: Comparator, _ value: FieldValue) -> Query {
        var query = self
        query.filters.append(
            Filter(fieldName: M.names[property] ?? "", comparator: comparator, fieldValue: value))
        return query
    }
}

extension Query: Encodable {
    private enum Key: CodingKey { case recordType, filterBy, sortBy }

    func encode(to encoder: any Encoder) throws {
        var query = encoder.container(keyedBy: Key.self)
        try query.encode(M.recordType, forKey: .recordType)
        try query.encode(filters, forKey: .filterBy)
        try query.encode(sorts, forKey: .sortBy)
    }
}

// MARK: - Requests with models

/// A page of the results of a query.
struct Page<M: Model>: Sendable {
    var items: [Stored<M>]
    /// Leads to the next page; nil at the end.
    var marker: String?
}

extension WebServices {
    private struct Search<M: Model>: Encodable {
        var query: Query<M>
        var zoneID: ZoneID?
        var resultsLimit: Int
        var desiredKeys: [String]
        var continuationMarker: String?
    }

    private struct Found: Decodable {
        var records: [Item<CloudRecord>]
        var continuationMarker: String?
    }

    /// Returns a page of a query, with the fields of the model only. The next page needs the same query and the marker.
    func find<M: Model>(_ query: Query<M>, limit: Int = 200, after marker: String? = nil) async throws -> Page<M> {
        let search = Search(
            query: query, zoneID: zone, resultsLimit: limit, desiredKeys: Array(M.names.values),
            continuationMarker: marker)
        let response: Found = try await send("records/query", search)
        return Page(
            items: try response.records.map { try Stored(try $0.get()) }, marker: response.continuationMarker)
    }

    /// Returns all results of a query, page by page.
    func all<M: Model>(_ query: Query<M>, limit: Int = 200) async throws -> [Stored<M>] {
        var page = try await find(query, limit: limit)
        var items = page.items
        while let marker = page.marker {
            page = try await find(query, limit: limit, after: marker)
            items += page.items
        }
        return items
    }

    /// Returns the models of the records that exist and that the caller may read.
    ///
    /// - Throws: `CloudError` with `NOT_FOUND` for the first other one.
    func fetch<M: Model>(_ type: M.Type, _ names: String...) async throws -> [Stored<M>] {
        try await lookUp(names).map { try Stored(try $0.get()) }
    }

    /// Creates a record.
    ///
    /// - Throws: `CloudError` with `CONFLICT` if there is a record with this name.
    func create<M: Model>(_ model: M, named name: String? = nil) async throws -> Stored<M> {
        let record = CloudRecord(recordName: name, recordType: M.recordType, fields: model.fields)
        return try await save(RecordOperation(operationType: "create", record: record))
    }

    /// Updates properties in the record of a model. The other fields keep their values.
    ///
    /// - Throws: `CloudError` with `CONFLICT` if the record has changed since it was read.
    @discardableResult
    func update<M: Model>(_ stored: Stored<M>, _ properties: PartialKeyPath<M>...) async throws -> Stored<M> {
        let names = Set(properties.compactMap { M.names[$0] })
        let record = CloudRecord(
            recordName: stored.name, recordType: M.recordType, recordChangeTag: stored.tag,
            fields: stored.model.fields.filter { names.contains($0.key) })
        return try await save(RecordOperation(operationType: "update", record: record))
    }

    private func save<M: Model>(_ operation: RecordOperation) async throws -> Stored<M> {
        guard let item = try await modify([operation]).first else { throw FieldMissing(name: "records") }
        return try Stored(try item.get())
    }

    /// Deletes records, whatever their version, at most 200.
    func delete(_ names: [String]) async throws {
        let operations = names.map {
            RecordOperation(operationType: "forceDelete", record: CloudRecord(recordName: $0))
        }
        for item in try await modify(operations) { _ = try item.get() }
    }
}

// MARK: - Properties

extension String: FieldConvertible {
    init?(_ value: FieldValue) {
        guard case .string(let text) = value else { return nil }
        self = text
    }
    var fieldValue: FieldValue { .string(self) }
}

extension Int: FieldConvertible {
    init?(_ value: FieldValue) {
        guard case .integer(let number) = value else { return nil }
        self = number
    }
    var fieldValue: FieldValue { .integer(self) }
}

extension Double: FieldConvertible {
    init?(_ value: FieldValue) {
        guard case .double(let number) = value else { return nil }
        self = number
    }
    var fieldValue: FieldValue { .double(self) }
}

extension Date: FieldConvertible {
    init?(_ value: FieldValue) {
        guard case .date(let date) = value else { return nil }
        self = date
    }
    var fieldValue: FieldValue { .date(self) }
}

extension [String]: FieldConvertible {
    init?(_ value: FieldValue) {
        guard case .strings(let texts) = value else { return nil }
        self = texts
    }
    var fieldValue: FieldValue { .strings(self) }
}

extension Reference: FieldConvertible {
    init?(_ value: FieldValue) {
        guard case .reference(let reference) = value else { return nil }
        self = reference
    }
    var fieldValue: FieldValue { .reference(self) }
}

extension Asset: FieldConvertible {
    init?(_ value: FieldValue) {
        guard case .asset(let asset) = value else { return nil }
        self = asset
    }
    var fieldValue: FieldValue { .asset(self) }
}

extension Optional: FieldConvertible where Wrapped: FieldConvertible {
    init?(_ value: FieldValue) {
        guard value != .missing else {
            self = Wrapped?.none
            return
        }
        guard let wrapped = Wrapped(value) else { return nil }
        self = wrapped
    }
    var fieldValue: FieldValue { map(\.fieldValue) ?? .missing }
}
