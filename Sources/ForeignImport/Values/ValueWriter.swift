internal import RecordModel
internal import RecordWire

/// Turns values of the source into values of a type.
struct ValueWriter {
    /// Returns the record name of the target of a reference.
    let target: (_ className: String, _ id: String) -> String
    /// Returns the value of a file; `nil` if there is none.
    let asset: (_ name: String, _ url: String?) throws(ConversionError) -> JSONValue?

    /// What became of a value.
    enum Result {
        case value(JSONValue)
        /// There was no value.
        case none
        /// The value could not be kept, and why: a sentence without a period.
        case dropped(String)
    }

    /// Returns a value in a record: `{"value":…,"type":…}`.
    func write(_ value: ForeignValue, as plan: FieldPlan) throws(ConversionError) -> Result {
        switch value.content {
        case .null: return .none
        case .invalid(let reason): return .dropped(reason)
        default: break
        }
        guard !plan.isText else { return Self.tagged(.string(value.text), .string) }
        if plan.type.isList {
            guard case .list(let members) = value.content else { return .dropped(Self.mismatch) }
            guard members.count <= Limits.listMembers else {
                return .dropped("lists of more than \(Limits.listMembers) members were left out")
            }
            var values: [JSONValue] = []
            for member in members {
                // A file that is missing leaves the others in place.
                if let value = try single(member, plan.type.element) { values.append(value) }
            }
            return Self.tagged(.array(values), plan.type)
        }
        guard let single = try single(value, plan.type) else {
            return plan.type == .asset ? .none : .dropped(Self.mismatch)
        }
        return Self.tagged(single, plan.type)
    }

    private static let mismatch = "values of another type than the field's were left out"

    private static func tagged(_ value: JSONValue, _ type: FieldType) -> Result {
        .value(["value": value, "type": .string(type.tag.description)])
    }

    /// Returns a value of a type that is no list; `nil` if the value has another type.
    private func single(_ value: ForeignValue, _ type: FieldType) throws(ConversionError) -> JSONValue? {
        switch (type, value.content) {
        case (.string, .text(let text)): return .string(text)
        case (.int64, .bool(let flag)): return .integer(flag ? 1 : 0)
        case (.int64, .integer(let number)): return .integer(number)
        case (.double, .integer(let number)): return .double(Double(number))
        case (.double, .double(let number)): return .double(number)
        case (.timestamp, .date(let time)): return .integer(time)
        case (.bytes, .bytes(let text)): return .string(text)
        case (.reference, .reference(let className, let id)):
            return ["recordName": .string(target(className, id)), "action": "NONE"]
        case (.location, .place(let latitude, let longitude)):
            return ["latitude": .double(latitude), "longitude": .double(longitude)]
        case (.asset, .file(let name, let url)): return try asset(name, url)
        default: return nil
        }
    }
}
