internal import RecordWire

/// A change of one field that the server makes in the moment of writing, so that nobody else's is lost:
/// `try await database.change(Post.self, name, .increment(.good))`.
public struct FieldChange<Model: RecordShape>: Sendable {
    let field: String
    let operation: JSONValue

    private init(_ field: Model.Fields, _ operation: JSONValue) {
        self.field = field.rawValue
        self.operation = operation
    }

    /// Gives the field a value.
    public static func set(_ field: Model.Fields, _ value: some FieldConvertible) -> FieldChange {
        FieldChange(field, JSONValue(value))
    }

    /// Takes the field out of the record.
    public static func remove(_ field: Model.Fields) -> FieldChange {
        FieldChange(field, .null)
    }

    /// Adds to a number; an absent field counts as 0. Beyond 64 bits it is refused.
    public static func increment(_ field: Model.Fields, by amount: Int = 1) -> FieldChange {
        FieldChange(field, ["increment": .integer(Int64(amount))])
    }

    /// Adds to a number with a fraction.
    public static func increment(_ field: Model.Fields, by amount: Double) -> FieldChange {
        FieldChange(field, ["increment": amount.isFinite ? .double(amount) : .null])
    }

    /// Adds members at the end of a list.
    public static func append<Value: FieldConvertible>(_ field: Model.Fields, _ members: [Value]) -> FieldChange {
        FieldChange(field, typed("append", members))
    }

    /// Adds those members to a list that it does not have.
    public static func appendUnique<Value: FieldConvertible>(_ field: Model.Fields, _ members: [Value]) -> FieldChange {
        FieldChange(field, typed("appendUnique", members))
    }

    /// Takes all members out of a list that equal one of these.
    public static func remove<Value: FieldConvertible>(_ field: Model.Fields, _ members: [Value]) -> FieldChange {
        FieldChange(field, typed("remove", members))
    }

    /// Gives the field a value if it has none.
    public static func setIfAbsent(_ field: Model.Fields, _ value: some FieldConvertible) -> FieldChange {
        FieldChange(field, ["setIfAbsent": JSONValue(value)])
    }

    /// Gives the field the server's time.
    public static func serverTime(_ field: Model.Fields) -> FieldChange {
        FieldChange(field, ["serverTime": true])
    }

    /// With its type, so that a new field becomes what the members are.
    private static func typed<Value: FieldConvertible>(_ word: String, _ members: [Value]) -> JSONValue {
        let list = JSONValue(members)
        return [word: list["value"] ?? [], "type": list["type"] ?? "STRING_LIST"]
    }
}

extension JSONValue {
    /// A value with its type, as requests have it.
    init(_ value: some FieldConvertible) {
        var writer = FieldWriter(removesAbsent: false)
        // A number that is not finite is refused by the server, in words that name the field.
        guard (try? writer.encode(value: value.fieldValue, for: "v")) != nil,
            let tree = try? JSONValue.parse(Array("{".utf8) + writer.text + Array("}".utf8)), let field = tree["v"]
        else {
            self = .null
            return
        }
        self = field
    }
}
