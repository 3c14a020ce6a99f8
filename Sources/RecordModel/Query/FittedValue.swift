/// A value converted to the type of a field, or its position among the values of that type. Numbers compare exactly by
/// value: for an INT64 field `good`, the condition `good < 3.5` becomes `good <= 3`.
enum FittedValue {
    case exact(QueryValue)
    /// Between two adjacent values of the field's type.
    case between(QueryValue, QueryValue)
    case belowAll
    case aboveAll
    /// A user that does not exist. No stored value equals it.
    case nobody
}

extension FittedValue {
    /// Returns a finite double as an INT64, or its position among the INT64 values.
    static func integer(_ double: Double) -> FittedValue {
        // Avoid Int64(exactly:), which needs the C math library in debug builds.
        if double < -0x1p63 { return .belowAll }
        if double >= 0x1p63 { return .aboveAll }
        let truncated = Int64(double)
        if Double(truncated) == double { return .exact(.integer(truncated)) }
        // The magnitude of a double with a fraction is less than 2^52.
        let below = double < 0 ? truncated - 1 : truncated
        return .between(.integer(below), .integer(below + 1))
    }

    /// Returns an integer as a double, or its position among the doubles.
    static func double(_ integer: Int64) -> FittedValue {
        let nearest = Double(integer)
        // 2^63 is not an Int64, but 2^63 is the double nearest to the greatest Int64 values.
        if nearest < 0x1p63 {
            let back = Int64(nearest)
            if back == integer { return .exact(.double(nearest)) }
            if back < integer { return .between(.double(nearest), .double(nearest.nextUp)) }
        }
        return .between(.double(nearest.nextDown), .double(nearest))
    }
}

extension PredicateBinder {
    /// Converts a value to the type of a field or of its members.
    ///
    /// - Throws: `BAD_REQUEST` with the cause `TYPE_MISMATCH`, and any error that the binder's account lookup throws.
    func fit(_ argument: QueryArgument, to field: QueryField, at location: PredicateLocation) throws(RecordError)
        -> FittedValue
    {
        let type = field.type.element
        if field.isUser { return try user(argument, field, location) }
        switch (type, argument) {
        case (.string, .string(let text)), (.reference, .string(let text)), (.reference, .reference(let text)):
            return .exact(.text(Array(text.utf8)))
        case (.string, .reference(let text)) where field == .system(.recordName):
            return .exact(.text(Array(text.utf8)))
        case (.int64, .integer(let integer)), (.timestamp, .integer(let integer)),
            (.timestamp, .timestamp(let integer)):
            return .exact(.integer(integer))
        case (.int64, .bool(let bool)): return .exact(.integer(bool ? 1 : 0))
        case (.int64, .double(let double)) where double.isFinite,
            (.timestamp, .double(let double)) where double.isFinite:
            return .integer(double)
        case (.double, .double(let double)) where double.isFinite: return .exact(.double(double == 0 ? 0 : double))
        case (.double, .integer(let integer)): return .double(integer)
        case (.timestamp, .string(let text)):
            do throws(Timestamp.Problem) {
                return .exact(.integer(try Timestamp.read(text, takesDates: true)))
            } catch {
                throw mismatch(argument, field, location, found: error.words, example: "'\(error.example)'")
            }
        default: throw mismatch(argument, field, location)
        }
    }

    /// Converts a value to a number of members.
    ///
    /// - Throws: `BAD_REQUEST` with the cause `TYPE_MISMATCH`.
    func fitCount(
        _ argument: QueryArgument, of field: QueryField, at location: PredicateLocation
    ) throws(RecordError) -> FittedValue {
        switch argument {
        case .integer(let integer): return .exact(.integer(integer))
        case .double(let double) where double.isFinite: return .integer(double)
        default:
            throw .condition(
                "The number of members of '\(field.name)' is compared with a number", cause: .typeMismatch,
                field: field.name, at: location, found: argument.typeName, expected: "INT64")
        }
    }

    private func user(
        _ argument: QueryArgument, _ field: QueryField, _ location: PredicateLocation
    ) throws(RecordError) -> FittedValue {
        switch argument {
        case .string(let name), .reference(let name):
            return try userID(name).map { .exact(.account($0)) } ?? .nobody
        default: throw mismatch(argument, field, location)
        }
    }

    func mismatch(
        _ argument: QueryArgument, _ field: QueryField, _ location: PredicateLocation, found: String? = nil,
        example: String? = nil
    ) -> RecordError {
        let type = field.type.element.schemaName
        let subject = field.type.isList ? "A member of field" : "Field"
        let value = found.map { "a \($0)" } ?? "a value of type \(argument.typeName)"
        let found = found ?? argument.typeName
        return .condition(
            "\(subject) '\(field.name)' of type \(type) cannot be compared with \(value)"
                + (example.map { ". Write it like \($0)" } ?? ""),
            cause: .typeMismatch, field: field.name, at: location, found: found, expected: type)
    }
}
