internal import Foundation
internal import RecordModel
internal import RecordWire

/// A predicate as text with arguments. It replaces `NSPredicate`, which parses formats only on Apple platforms.
public struct FBPredicate: Sendable {
    let format: String
    let arguments: [any FBRecordValue]

    /// Creates a predicate.
    ///
    /// - Parameters:
    ///   - format: The format as for `NSPredicate`: `%@`, `%d` and so on insert a value, and `%K` inserts a field name.
    ///   - arguments: A value for each placeholder, in order.
    public init(format: String, _ arguments: any FBRecordValue...) {
        self.init(format: format, argumentArray: arguments)
    }

    /// Creates a predicate, with the arguments as an array.
    public init(format: String, argumentArray arguments: [any FBRecordValue]) {
        self.format = format
        self.arguments = arguments
    }

    /// Creates a predicate that every record matches (`true`), or that no record matches (`false`).
    public init(value: Bool) {
        self.init(format: value ? "TRUEPREDICATE" : "FALSEPREDICATE")
    }
}

/// A sort field (`NSSortDescriptor`).
public struct FBSortDescriptor: Hashable, Sendable {
    /// The name of the field, or of a system field such as `createdTimestamp`.
    public var key: String
    /// Whether the order is ascending.
    public var ascending: Bool

    /// Creates a sort field.
    ///
    /// - Parameters:
    ///   - key: The name of the field.
    ///   - ascending: Whether the order is ascending.
    public init(key: String, ascending: Bool) {
        self.key = key
        self.ascending = ascending
    }
}

/// A query for records of a type (`CKQuery`). As in CloudKit, a query is an object with mutable properties.
///
/// Sendable is unchecked, because a lock protects the state.
public final class FBQuery: @unchecked Sendable {
    /// The position after a page (`CKQueryOperation.Cursor`).
    public struct Cursor: Sendable {
        let query: State
        let token: String
        let zoneID: FBRecordZone.ID?
    }

    struct State: Sendable {
        var recordType: String
        var predicate: FBPredicate
        var sortDescriptors: [FBSortDescriptor]?
    }

    private let lock = NSLock()
    private var kept: State

    /// Creates a query.
    ///
    /// - Parameters:
    ///   - recordType: The record type.
    ///   - predicate: The predicate that the records must match.
    public convenience init(recordType: String, predicate: FBPredicate) {
        self.init(State(recordType: recordType, predicate: predicate))
    }

    init(_ state: State) {
        kept = state
    }

    /// A copy of the query's properties.
    var state: State { lock.withLock { kept } }

    /// The record type.
    public var recordType: String { state.recordType }
    /// The predicate that the records must match.
    public var predicate: FBPredicate { state.predicate }
    /// The sort fields, the most significant first; `nil` is the server's default order.
    public var sortDescriptors: [FBSortDescriptor]? {
        get { state.sortDescriptors }
        set { lock.withLock { kept.sortDescriptors = newValue } }
    }
}

extension FBQuery.State {
    /// Returns the body of `POST /query`.
    ///
    /// - Throws: `FogbaseError.invalidArgument` if an argument is not a field value.
    func body(cursor: String?, keys: [String]?, limit: Int?) throws -> JSONValue {
        var body = JSONObject([("recordType", .string(recordType)), ("where", .string(predicate.format))])
        var arguments: [JSONValue] = []
        for (index, argument) in predicate.arguments.enumerated() {
            guard let value = argument.recordFieldValue else {
                throw FogbaseError.invalidArgument(
                    "Argument \(index + 1) of '\(predicate.format)' is no value of a field")
            }
            arguments.append(try JSONValue(checked: value))
        }
        if !arguments.isEmpty { body["args"] = .array(arguments) }
        if let sort = sortDescriptors, !sort.isEmpty {
            body["sort"] = .array(sort.map { .string($0.ascending ? $0.key : "-\($0.key)") })
        }
        body["fields"] = keys.map { .array($0.map(JSONValue.string)) }
        body["limit"] = limit.map { .integer(Int64($0)) }
        body["cursor"] = cursor.map(JSONValue.string)
        return .object(body)
    }
}

extension JSONValue {
    /// Creates the JSON of an argument, with its field type as in requests. Strings have no field type, because a
    /// string can also be a date or a field name.
    ///
    /// - Throws: `FogbaseError.invalidArgument` if a number is not finite.
    fileprivate init(checked value: FieldValue) throws {
        if case .string(let text) = value {
            self = .string(text)
            return
        }
        var writer = FieldWriter(removesAbsent: false, head: "{")
        try writer.encode(value: value, for: "v")
        guard let tree = try? JSONValue.parse(writer.text + Array("}".utf8)), let field = tree["v"] else {
            throw FogbaseError.invalidArgument("An argument cannot be written")
        }
        self = field
    }
}
