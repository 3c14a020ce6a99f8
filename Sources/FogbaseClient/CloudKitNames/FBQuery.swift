internal import Foundation
internal import RecordModel
internal import RecordWire

/// A condition as text with arguments (`NSPredicate`, whose formats exist on Apple's systems alone).
public struct FBPredicate: Sendable {
    let format: String
    let arguments: [any FBRecordValue]

    /// - Parameters:
    ///   - format: As for `NSPredicate`: `%@` and its kin take an argument, `%K` takes a field's name.
    ///   - arguments: A value for each placeholder, in order.
    public init(format: String, _ arguments: any FBRecordValue...) {
        self.init(format: format, argumentArray: arguments)
    }

    /// A format with a list of arguments, as `NSPredicate` has it.
    public init(format: String, argumentArray arguments: [any FBRecordValue]) {
        self.format = format
        self.arguments = arguments
    }

    /// Every record, or none.
    public init(value: Bool) {
        self.init(format: value ? "TRUEPREDICATE" : "FALSEPREDICATE")
    }
}

/// A field to sort by (`NSSortDescriptor`).
public struct FBSortDescriptor: Hashable, Sendable {
    /// The name of the field, or `createdTimestamp` and its kin.
    public var key: String
    /// Whether the smallest comes first.
    public var ascending: Bool

    /// - Parameters:
    ///   - key: The name of the field.
    ///   - ascending: Whether the smallest comes first.
    public init(key: String, ascending: Bool) {
        self.key = key
        self.ascending = ascending
    }
}

/// A query for records of a type (`CKQuery`): as in CloudKit an object, whose properties are set in place.
///
/// Unchecked: what it holds is read and written under its lock alone.
public final class FBQuery: @unchecked Sendable {
    /// Where a page ended (`CKQueryOperation.Cursor`).
    public struct Cursor: Sendable {
        let query: State
        let token: String
    }

    struct State: Sendable {
        var recordType: String
        var predicate: FBPredicate
        var sortDescriptors: [FBSortDescriptor]?
    }

    private let lock = NSLock()
    private var kept: State

    /// - Parameters:
    ///   - recordType: The type of the records to find.
    ///   - predicate: Which of them.
    public convenience init(recordType: String, predicate: FBPredicate) {
        self.init(State(recordType: recordType, predicate: predicate))
    }

    init(_ state: State) {
        kept = state
    }

    /// What the query asks for now.
    var state: State { lock.withLock { kept } }

    /// The type of the records to find.
    public var recordType: String { state.recordType }
    /// Which of them.
    public var predicate: FBPredicate { state.predicate }
    /// How they are sorted, the weightiest first; `nil` leaves the order to the server.
    public var sortDescriptors: [FBSortDescriptor]? {
        get { state.sortDescriptors }
        set { lock.withLock { kept.sortDescriptors = newValue } }
    }
}

extension FBQuery.State {
    /// The query as `POST /query` takes it.
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
    /// A value with its type, as requests have it. A text stands alone, since it may also be a date or a field's name.
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
