// Conditions and sorts on strings: `.filter(.title, contains: "crème", ignoring: .caseAndDiacritics)`.

/// The differences between strings that a condition or a sort ignores.
public struct TextDifferences: OptionSet, Hashable, Sendable {
    public let rawValue: UInt8

    public init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    /// Case, width and ligatures: `Ann`, `ANN` and full-width `Ａｎｎ` are equal.
    public static let `case` = TextDifferences(rawValue: 1)
    /// Accents and similar marks: `crème` and `creme` are equal.
    public static let diacritics = TextDifferences(rawValue: 2)
    /// Case and diacritics.
    public static let caseAndDiacritics: TextDifferences = [.case, .diacritics]

    /// The modifiers of the query language; empty for exact comparison.
    var modifiers: String {
        isEmpty ? "" : "[" + (contains(.case) ? "c" : "") + (contains(.diacritics) ? "d" : "") + "]"
    }
}

/// The place of records without the sort field.
public enum AbsentPlacement: String, Hashable, Sendable {
    case first, last
}

extension Query {
    /// Adds the condition that the string equals another one.
    public func filter(
        _ field: Model.Fields, equals value: String, ignoring differences: TextDifferences, _ join: Join = .and
    ) -> Query {
        filter(.text(field.rawValue, "==", value, differences), join)
    }

    /// Adds the condition that the string begins with a prefix.
    public func filter(
        _ field: Model.Fields, beginsWith value: String, ignoring differences: TextDifferences, _ join: Join = .and
    ) -> Query {
        filter(.text(field.rawValue, "BEGINSWITH", value, differences), join)
    }

    /// Adds the condition that the string ends with a suffix.
    public func filter(
        _ field: Model.Fields, endsWith value: String, ignoring differences: TextDifferences = [], _ join: Join = .and
    ) -> Query {
        filter(.text(field.rawValue, "ENDSWITH", value, differences), join)
    }

    /// Adds the condition that the string contains another one, or that the list contains a string.
    public func filter(
        _ field: Model.Fields, contains value: String, ignoring differences: TextDifferences, _ join: Join = .and
    ) -> Query {
        filter(.text(field.rawValue, "CONTAINS", value, differences), join)
    }

    /// Adds the condition that the string matches a pattern with wildcards: `*` for any text, `?` for one character.
    public func filter(
        _ field: Model.Fields, like pattern: String, ignoring differences: TextDifferences = [], _ join: Join = .and
    ) -> Query {
        filter(.text(field.rawValue, "LIKE", pattern, differences), join)
    }

    /// Adds the condition that the whole string matches a regular expression.
    ///
    /// "Patterns" on the page "Queries" of the HTTP interface describes the syntax.
    public func filter(
        _ field: Model.Fields, matches expression: String, ignoring differences: TextDifferences = [],
        _ join: Join = .and
    ) -> Query {
        filter(.text(field.rawValue, "MATCHES", expression, differences), join)
    }

    /// Adds the condition that the string contains another one.
    public func filter(
        _ path: KeyPath<Model, String>, contains value: String, ignoring differences: TextDifferences = [],
        _ join: Join = .and
    ) -> Query {
        filter(.on(path) { .text($0, "CONTAINS", value, differences) }, join)
    }

    /// Adds the condition that the string begins with a prefix.
    public func filter(
        _ path: KeyPath<Model, String>, beginsWith value: String, ignoring differences: TextDifferences,
        _ join: Join = .and
    ) -> Query {
        filter(.on(path) { .text($0, "BEGINSWITH", value, differences) }, join)
    }

    /// Adds the condition that the string ends with a suffix.
    public func filter(
        _ path: KeyPath<Model, String>, endsWith value: String, ignoring differences: TextDifferences = [],
        _ join: Join = .and
    ) -> Query {
        filter(.on(path) { .text($0, "ENDSWITH", value, differences) }, join)
    }

    /// Adds a sort field that is compared without regard to some differences, or whose absence has another place than
    /// by default: first in ascending order, last in descending order.
    public func sorted(
        by field: Model.Fields, ascending: Bool = true, ignoring differences: TextDifferences = [],
        absent: AbsentPlacement
    ) -> Query {
        sorted(byName: field.rawValue + differences.modifiers + " nulls \(absent.rawValue)", ascending)
    }

    /// Adds a sort field whose strings are compared without regard to some differences.
    public func sorted(
        by field: Model.Fields, ascending: Bool = true, ignoring differences: TextDifferences
    ) -> Query {
        sorted(byName: field.rawValue + differences.modifiers, ascending)
    }
}

extension Filter {
    /// Returns a condition that compares a string field with a text.
    fileprivate static func text(
        _ field: String, _ relation: String, _ value: String, _ differences: TextDifferences
    ) -> Filter {
        comparing(field, relation + differences.modifiers, value)
    }
}
