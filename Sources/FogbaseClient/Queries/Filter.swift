internal import Foundation
internal import RecordModel
internal import RecordWire

/// A condition on the records of a model.
///
/// ```swift
/// let cheap: Filter<Goods> = \.salesPrice >= 100 && \.salesPrice <= 500
/// let open: Filter<Goods> = .init("state == %@ OR state == NULL", "open")
/// ```
public struct Filter<Model: RecordShape>: Sendable {
    /// The condition in the words of the query language, with placeholders for values.
    public private(set) var text: String
    /// A typed value for each placeholder.
    private(set) var arguments: [JSONValue]
    /// What joins the parts of `text`, so that no bracket is forgotten or needless.
    private var joint = Joint.none
    /// Why the condition cannot be sent.
    private(set) var problem: String?

    private enum Joint {
        case none, and, or
    }

    init(_ text: String, arguments: [JSONValue], problem: String? = nil) {
        self.text = text
        self.arguments = arguments
        self.problem = problem
    }

    /// A condition as text (see "Queries" in the interface), with a value for each placeholder (`%@`, `%d`, …).
    ///
    /// The text is read by the server: an app's own mistakes show as `FogbaseError.badRequest` with the place in the text.
    public init(_ text: String, _ values: any FieldConvertible...) {
        self.init(text, values)
    }

    /// The same with the values in a list.
    public init(_ text: String, _ values: [any FieldConvertible]) {
        self.init(text, arguments: values.map { JSONValue($0) })
        joint = .or
    }

    /// Every record.
    public static var all: Filter { Filter("TRUEPREDICATE", arguments: []) }

    /// No record.
    public static var none: Filter { Filter("FALSEPREDICATE", arguments: []) }

    /// Finds what meets both conditions.
    public static func && (left: Filter, right: Filter) -> Filter { left.joined(to: right, .and, "AND") }
    /// Finds what meets at least one of both conditions.
    public static func || (left: Filter, right: Filter) -> Filter { left.joined(to: right, .or, "OR") }

    /// Finds what does not meet a condition.
    public static prefix func ! (filter: Filter) -> Filter {
        Filter("NOT (\(filter.text))", arguments: filter.arguments, problem: filter.problem)
    }

    private func joined(to other: Filter, _ joint: Joint, _ word: String) -> Filter {
        /// AND binds more tightly than all but itself; everything else that is joined goes into brackets.
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
    /// Compares a field with a value.
    static func comparing(_ field: String, _ relation: String, _ value: some FieldConvertible) -> Filter {
        Filter("\(written(field)) \(relation) %@", arguments: [JSONValue(value)], problem: problem(value, field))
    }

    /// Tests whether a field is there.
    static func absence(of field: String, _ isAbsent: Bool) -> Filter {
        Filter("\(written(field)) \(isAbsent ? "==" : "!=") NULL", arguments: [])
    }

    /// Compares a field with a value that may be none.
    static func equal(_ field: String, _ value: (some FieldConvertible)?) -> Filter {
        value.map { comparing(field, "==", $0) } ?? absence(of: field, true)
    }

    /// Compares a field with a value that may be none.
    static func unequal(_ field: String, _ value: (some FieldConvertible)?) -> Filter {
        value.map { comparing(field, "!=", $0) } ?? absence(of: field, false)
    }

    /// Tests whether a field is one of some values. No value is one of none.
    static func member<Value: FieldConvertible>(_ field: String, _ relation: String, _ values: [Value]) -> Filter {
        values.isEmpty ? none : comparing(field, relation, values)
    }

    /// Tests whether a field lies between two values, both included.
    static func range<Value: FieldConvertible & Comparable>(_ field: String, _ values: ClosedRange<Value>) -> Filter {
        comparing(field, ">=", values.lowerBound) && comparing(field, "<=", values.upperBound)
    }

    /// Tests whether a field lies between two values, the upper one not included.
    static func range<Value: FieldConvertible & Comparable>(_ field: String, _ values: Range<Value>) -> Filter {
        comparing(field, ">=", values.lowerBound) && comparing(field, "<", values.upperBound)
    }

    /// Tests whether a list has one of some members.
    static func any<Value: FieldConvertible>(_ field: String, in values: [Value]) -> Filter {
        guard !values.isEmpty else { return none }
        return Filter("ANY \(written(field)) IN %@", arguments: [JSONValue(values)], problem: problem(values, field))
    }

    /// The condition on the field of a property.
    static func on<Value>(_ path: KeyPath<Model, Value>, _ make: (String) -> Filter) -> Filter {
        guard let field = Model.field(for: path) else {
            return Filter(
                "FALSEPREDICATE", arguments: [],
                problem: "\(Model.self) does not say which field the property is stored in; "
                    + "use @RecordCodable, or write field(for:)")
        }
        return make(field.rawValue)
    }

    /// A field's name as the language takes it: one that is called like a keyword is marked.
    private static func written(_ field: String) -> String {
        PredicateKeyword.isReserved(field) ? "#\(field)" : field
    }

    private static func problem(_ value: some FieldConvertible, _ field: String) -> String? {
        var writer = FieldWriter(removesAbsent: false)
        do { try writer.encode(value: value.fieldValue, for: field) } catch {
            return "Field '\(field)' is compared with a number that is infinite or none"
        }
        return nil
    }

    /// The condition with its values in place of the placeholders, for people.
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
