package import RecordWire

/// An aggregate of the records that match a query: groups, and values of each group.
///
/// An aggregate is a value. Each method returns a changed copy. Without groups, the response is one group of all
/// records.
///
/// ```swift
/// let busy = Aggregate<Post>()
///     .grouped(by: .thread)
///     .value(.count).value(.sum(.likes))
///     .having("count > 3")
///     .sorted(by: .count, ascending: false)
///     .limit(to: 10)
/// for group in try await busy.groups(in: database).items {
///     print(try group.key(.thread, as: String.self) ?? "none", group.count ?? 0)
/// }
/// ```
public struct Aggregate<Model: RecordDecodable>: Sendable {
    /// The unit by which times are grouped.
    public enum Period: String, Hashable, Sendable, CaseIterable {
        /// Weeks start on Monday.
        case hour, day, week, month, year
    }

    /// A value of each group. Records without the field are ignored.
    public struct Value: Hashable, Sendable {
        let text: String

        /// The number of records.
        public static var count: Value { Value(text: "count") }

        /// The number of records that have the field.
        public static func count(_ field: Model.Fields) -> Value { Value(text: "count(\(field.rawValue))") }

        /// The number of distinct values of a field.
        public static func countDistinct(_ field: Model.Fields) -> Value {
            Value(text: "countDistinct(\(field.rawValue))")
        }

        /// The sum of a number field.
        public static func sum(_ field: Model.Fields) -> Value { Value(text: "sum(\(field.rawValue))") }

        /// The mean of a number field, a `Double`.
        public static func average(_ field: Model.Fields) -> Value { Value(text: "avg(\(field.rawValue))") }

        /// The least value of a field.
        public static func min(_ field: Model.Fields) -> Value { Value(text: "min(\(field.rawValue))") }

        /// The greatest value of a field.
        public static func max(_ field: Model.Fields) -> Value { Value(text: "max(\(field.rawValue))") }
    }

    private var keys: [String] = []
    private var values: [String] = []
    private var condition: String?
    private var sorts: [String] = []
    private var mostGroups: Int?
    private var timeZone: String?

    /// Creates an aggregate without groups and values.
    public init() {}

    /// Returns the aggregate with groups of records that have the same value in a field.
    public func grouped(by field: Model.Fields) -> Aggregate { adding { $0.keys.append(field.rawValue) } }

    /// Returns the aggregate with groups of records whose times are in the same period.
    public func grouped(by field: Model.Fields, every period: Period) -> Aggregate {
        adding { $0.keys.append(Self.name(field, period)) }
    }

    /// Returns the aggregate with periods in a time zone, given by its IANA name, such as `Europe/Berlin`. The default
    /// is UTC.
    public func timeZone(_ name: String) -> Aggregate { adding { $0.timeZone = name } }

    /// Returns the aggregate with an additional value of each group.
    public func value(_ value: Value) -> Aggregate { adding { $0.values.append(value.text) } }

    /// Returns the aggregate of only those groups that meet a condition on their keys and values, such as
    /// `count > 3 AND sum(likes) >= 10`.
    public func having(_ condition: String) -> Aggregate { adding { $0.condition = condition } }

    /// Returns the aggregate with an additional sort by a value. Without a sort, groups are sorted by their keys.
    public func sorted(by value: Value, ascending: Bool = true) -> Aggregate {
        adding { $0.sorts.append((ascending ? "" : "-") + value.text) }
    }

    /// Returns the aggregate with an additional sort by a field of its keys.
    public func sorted(by field: Model.Fields, ascending: Bool = true) -> Aggregate {
        adding { $0.sorts.append((ascending ? "" : "-") + field.rawValue) }
    }

    /// Returns the aggregate with at most 1 to 10,000 groups. The server's default is 1,000.
    public func limit(to count: Int) -> Aggregate { adding { $0.mostGroups = count } }

    private func adding(_ change: (inout Aggregate) -> Void) -> Aggregate {
        var copy = self
        change(&copy)
        return copy
    }

    static func name(_ field: Model.Fields, _ period: Period?) -> String {
        period.map { "\($0.rawValue)(\(field.rawValue))" } ?? field.rawValue
    }

    /// The member `aggregate` of the body of `POST /query`.
    package var body: JSONValue {
        func list(_ texts: [String]) -> JSONValue { .array(texts.map(JSONValue.string)) }
        var body = JSONObject()
        if !keys.isEmpty { body["groupBy"] = list(keys) }
        if !values.isEmpty { body["values"] = list(values) }
        body["having"] = condition.map(JSONValue.string)
        if !sorts.isEmpty { body["sort"] = list(sorts) }
        body["limit"] = mostGroups.map { .integer(Int64($0)) }
        body["timeZone"] = timeZone.map(JSONValue.string)
        return .object(body)
    }
}

/// The groups of an aggregate, in its order.
public struct Groups<Model: RecordDecodable>: Sendable {
    /// The groups.
    public internal(set) var items: [Group<Model>] = []
    /// Whether the limit left out groups.
    public internal(set) var hasMore = false
}

/// A group of records: what they have in common, and the values of the aggregate.
public struct Group<Model: RecordDecodable>: Sendable {
    private let keys: JSONValue?
    private let values: JSONValue?

    init(_ json: JSONValue) {
        keys = json["key"]
        values = json["values"]
    }

    /// The number of records, if the aggregate has the value `count`.
    public var count: Int? { values?["count"]?.integer.map { Int($0) } }

    /// Returns the field's value in all records of the group; `nil` for the group of records without it.
    ///
    /// - Throws: `FogbaseError.invalidArgument` if the aggregate is not grouped by the field, or the value has another
    ///   type.
    public func key<Value: GroupConvertible>(_ field: Model.Fields, as type: Value.Type) throws -> Value? {
        try Self.read(keys, field.rawValue)
    }

    /// Returns the start of the period that contains the field's times; `nil` for the group of records without it.
    ///
    /// - Throws: `FogbaseError.invalidArgument` if the aggregate is not grouped by the period.
    public func key<Value: GroupConvertible>(
        _ field: Model.Fields, every period: Aggregate<Model>.Period, as type: Value.Type
    ) throws -> Value? {
        try Self.read(keys, Aggregate.name(field, period))
    }

    /// Returns a value of the group; `nil` for the sum, mean, least or greatest of no values.
    ///
    /// - Throws: `FogbaseError.invalidArgument` if the aggregate does not have the value, or the value has another type.
    public func value<Value: GroupConvertible>(
        _ value: Aggregate<Model>.Value, as type: Value.Type
    ) throws -> Value? {
        try Self.read(values, value.text)
    }

    private static func read<Value: GroupConvertible>(_ members: JSONValue?, _ name: String) throws -> Value? {
        guard let json = members?[name] else {
            throw FogbaseError.invalidArgument("The aggregate has no '\(name)'")
        }
        if json == .null { return nil }
        guard let value = Value(group: json) else {
            throw FogbaseError.invalidArgument("The group's '\(name)' is no \(Value.self)")
        }
        return value
    }
}
