internal import Foundation
internal import RecordModel
internal import RecordWire

/// A predicate: one or more conditions on the records of a model.
///
/// ```swift
/// let cheap: Filter<Goods> = \.salesPrice >= 100 && \.salesPrice <= 500
/// let open: Filter<Goods> = .init("state == %@ OR state == NULL", "open")
/// ```
public struct Filter<Model: RecordShape>: Sendable {
    /// The predicate in the query language, with placeholders for values.
    public private(set) var text: String
    /// The values of the placeholders, with their types.
    private(set) var arguments: [JSONValue]
    /// The outermost operator of `text`. It determines whether `text` needs parentheses in a larger predicate.
    private var joint = Joint.none
    /// The reason why the predicate cannot be sent; `nil` if the predicate is valid.
    private(set) var problem: String?

    private enum Joint {
        case none, and, or
    }

    init(_ text: String, arguments: [JSONValue], problem: String? = nil) {
        self.text = text
        self.arguments = arguments
        self.problem = problem
    }

    /// Creates a predicate from text, with a value for each placeholder (`%@`, `%d`, …).
    ///
    /// The query language is described in "Queries" of the HTTP interface. The server parses the text: a syntax error
    /// causes ``FogbaseError/badRequest(_:)`` with the offset of the error in the text.
    ///
    /// - Parameters:
    ///   - text: The predicate, such as `state == %@`.
    ///   - values: The values of the placeholders, in order.
    public init(_ text: String, _ values: any FieldConvertible...) {
        self.init(text, values)
    }

    /// Creates a predicate from text, with the values as an array.
    public init(_ text: String, _ values: [any FieldConvertible]) {
        self.init(text, arguments: values.map { JSONValue($0) })
        joint = .or
    }

    /// A predicate that every record matches.
    public static var all: Filter { Filter("TRUEPREDICATE", arguments: []) }

    /// A predicate that no record matches.
    public static var none: Filter { Filter("FALSEPREDICATE", arguments: []) }

    /// Returns a predicate that a record matches if it matches both operands.
    public static func && (left: Filter, right: Filter) -> Filter { left.joined(to: right, .and, "AND") }
    /// Returns a predicate that a record matches if it matches at least one operand.
    public static func || (left: Filter, right: Filter) -> Filter { left.joined(to: right, .or, "OR") }

    /// Returns the negation of a predicate.
    public static prefix func ! (filter: Filter) -> Filter {
        Filter("NOT (\(filter.text))", arguments: filter.arguments, problem: filter.problem)
    }

    private func joined(to other: Filter, _ joint: Joint, _ word: String) -> Filter {
        /// Returns the text of an operand, in parentheses unless it is a single condition or both operators are AND.
        func part(_ filter: Filter) -> String {
            filter.joint == .none || (filter.joint == .and && joint == .and) ? filter.text : "(\(filter.text))"
        }
        var filter = Filter(
            "\(part(self)) \(word) \(part(other))", arguments: arguments + other.arguments,
            problem: problem ?? other.problem)
        filter.joint = joint
        return filter
    }
}

extension Filter {
    /// Returns a condition that compares a field with a value.
    static func comparing(_ field: String, _ relation: String, _ value: some FieldConvertible) -> Filter {
        Filter("\(written(field)) \(relation) %@", arguments: [JSONValue(value)], problem: problem(value, field))
    }

    /// Returns the condition that a field is missing (`true`) or exists (`false`).
    static func absence(of field: String, _ isAbsent: Bool) -> Filter {
        Filter("\(written(field)) \(isAbsent ? "==" : "!=") NULL", arguments: [])
    }

    /// Returns the condition that a field equals a value, or is missing if `value` is `nil`.
    static func equal(_ field: String, _ value: (some FieldConvertible)?) -> Filter {
        value.map { comparing(field, "==", $0) } ?? absence(of: field, true)
    }

    /// Returns the condition that a field differs from a value, or exists if `value` is `nil`.
    static func unequal(_ field: String, _ value: (some FieldConvertible)?) -> Filter {
        value.map { comparing(field, "!=", $0) } ?? absence(of: field, false)
    }

    /// Returns the condition that a field equals one of several values. With an empty list, no record matches.
    static func member<Value: FieldConvertible>(_ field: String, _ relation: String, _ values: [Value]) -> Filter {
        values.isEmpty ? none : comparing(field, relation, values)
    }

    /// Returns the condition that a field is in a closed range.
    static func range<Value: FieldConvertible & Comparable>(_ field: String, _ values: ClosedRange<Value>) -> Filter {
        comparing(field, ">=", values.lowerBound) && comparing(field, "<=", values.upperBound)
    }

    /// Returns the condition that a field is in a half-open range.
    static func range<Value: FieldConvertible & Comparable>(_ field: String, _ values: Range<Value>) -> Filter {
        comparing(field, ">=", values.lowerBound) && comparing(field, "<", values.upperBound)
    }

    /// Returns the condition that a list field contains at least one of several members.
    static func any<Value: FieldConvertible>(_ field: String, in values: [Value]) -> Filter {
        guard !values.isEmpty else { return none }
        return Filter("ANY \(written(field)) IN %@", arguments: [JSONValue(values)], problem: problem(values, field))
    }

    /// Creates a condition on the field that stores a property.
    static func on<Value>(_ path: KeyPath<Model, Value>, _ make: (String) -> Filter) -> Filter {
        guard let field = Model.field(for: path) else {
            return Filter(
                "FALSEPREDICATE", arguments: [],
                problem: "\(Model.self) does not say which field the property is stored in; "
                    + "use @RecordCodable, or write field(for:)")
        }
        return make(field.rawValue)
    }

    /// Returns a field name for the query language: `#` precedes a name that equals a keyword.
    static func written(_ field: String) -> String {
        PredicateKeyword.isReserved(field) ? "#\(field)" : field
    }

    static func problem(_ value: some FieldConvertible, _ field: String) -> String? {
        var writer = FieldWriter(removesAbsent: false)
        do { try writer.encode(value: value.fieldValue, for: field) } catch {
            return "Field '\(field)' is compared with a number that is infinite or none"
        }
        return nil
    }

    /// The predicate with its values inserted, for logs.
    var readableText: String {
        var rest = arguments[...]
        var parts = text.components(separatedBy: "%@")
        for index in parts.indices.dropLast() {
            guard let argument = rest.popFirst() else { break }
            let value = argument["value"] ?? argument
            parts[index] += String(decoding: value.bytes, as: UTF8.self)
        }
        return parts.joined(separator: rest.isEmpty && arguments.count == parts.count - 1 ? "" : "%@")
    }
}
