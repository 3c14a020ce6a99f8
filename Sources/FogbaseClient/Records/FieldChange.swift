internal import RecordWire

/// A field operation: a change of one field that the server computes when it writes.
///
/// Concurrent changes of other clients are not lost:
///
/// ```swift
/// try await database.change(Post.self, name, .increment(.good))
/// ```
public struct FieldChange<Model: RecordShape>: Sendable {
    let field: String
    let operation: JSONValue

    private init(_ field: Model.Fields, _ operation: JSONValue) {
        self.field = field.rawValue
        self.operation = operation
    }

    /// Sets the field to a value.
    public static func set(_ field: Model.Fields, _ value: some FieldConvertible) -> FieldChange {
        FieldChange(field, JSONValue(value))
    }

    /// Removes the field from the record.
    public static func remove(_ field: Model.Fields) -> FieldChange {
        FieldChange(field, .null)
    }

    /// Adds a number to an integer field. A missing field counts as 0. The server rejects a result that exceeds 64
    /// bits.
    public static func increment(_ field: Model.Fields, by amount: Int = 1) -> FieldChange {
        FieldChange(field, ["increment": .integer(Int64(amount))])
    }

    /// Adds a number to a field of type DOUBLE.
    public static func increment(_ field: Model.Fields, by amount: Double) -> FieldChange {
        FieldChange(field, ["increment": amount.isFinite ? .double(amount) : .null])
    }

    /// Appends members to the end of a list field.
    public static func append<Value: FieldConvertible>(_ field: Model.Fields, _ members: [Value]) -> FieldChange {
        FieldChange(field, typed("append", members))
    }

    /// Appends those of the given members that the list field does not contain yet.
    public static func appendUnique<Value: FieldConvertible>(_ field: Model.Fields, _ members: [Value]) -> FieldChange {
        FieldChange(field, typed("appendUnique", members))
    }

    /// Removes all list members that equal one of `members`.
    public static func remove<Value: FieldConvertible>(_ field: Model.Fields, _ members: [Value]) -> FieldChange {
        FieldChange(field, typed("remove", members))
    }

    /// Sets the field to a value if the record does not have the field.
    public static func setIfAbsent(_ field: Model.Fields, _ value: some FieldConvertible) -> FieldChange {
        FieldChange(field, ["setIfAbsent": JSONValue(value)])
    }

    /// Sets the field to the value that another field of the same record has. A number can be copied into a field of type
    /// STRING. If the record lacks the other field, nothing changes.
    public static func copy(_ field: Model.Fields, from source: Model.Fields) -> FieldChange {
        FieldChange(field, ["copy": .string(source.rawValue)])
    }

    /// Sets the field to the server's current time.
    public static func serverTime(_ field: Model.Fields) -> FieldChange {
        FieldChange(field, ["serverTime": true])
    }

    /// Returns the operation with its type, so that a new field gets the type of the members.
    private static func typed<Value: FieldConvertible>(_ word: String, _ members: [Value]) -> JSONValue {
        let list = JSONValue(members)
        return [word: list["value"] ?? [], "type": list["type"] ?? "STRING_LIST"]
    }
}

extension JSONValue {
    /// Creates the JSON of a field value with its field type, as in requests.
    init(_ value: some FieldConvertible) {
        var writer = FieldWriter(removesAbsent: false)
        // The server rejects a number that is not finite, with an error that names the field.
        guard (try? writer.encode(value: value.fieldValue, for: "v")) != nil,
            let tree = try? JSONValue.parse(Array("{".utf8) + writer.text + Array("}".utf8)), let field = tree["v"]
        else {
            self = .null
            return
        }
        self = field
    }
}
