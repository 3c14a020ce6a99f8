// Conditions on strings: `.filter(.text(.title, .contains("crème", ignoring: .caseAndDiacritics)))`.

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
    /// Before all others.
    case first
    /// After all others.
    case last
}

/// A test of a string.
public struct TextTest: Hashable, Sendable {
    let relation: String
    let value: String

    /// The string equals another one.
    public static func equals(_ value: String, ignoring differences: TextDifferences = []) -> TextTest {
        TextTest(relation: "==" + differences.modifiers, value: value)
    }

    /// The string begins with a prefix.
    public static func beginsWith(_ prefix: String, ignoring differences: TextDifferences = []) -> TextTest {
        TextTest(relation: "BEGINSWITH" + differences.modifiers, value: prefix)
    }

    /// The string ends with a suffix.
    public static func endsWith(_ suffix: String, ignoring differences: TextDifferences = []) -> TextTest {
        TextTest(relation: "ENDSWITH" + differences.modifiers, value: suffix)
    }

    /// The string contains another one, or the list contains a string.
    public static func contains(_ part: String, ignoring differences: TextDifferences = []) -> TextTest {
        TextTest(relation: "CONTAINS" + differences.modifiers, value: part)
    }

    /// The string matches a pattern with wildcards: `*` for any text, `?` for one character.
    public static func like(_ pattern: String, ignoring differences: TextDifferences = []) -> TextTest {
        TextTest(relation: "LIKE" + differences.modifiers, value: pattern)
    }

    /// The whole string matches a regular expression. "Patterns" on the page "Queries" of the HTTP interface describes
    /// the syntax.
    public static func matches(_ expression: String, ignoring differences: TextDifferences = []) -> TextTest {
        TextTest(relation: "MATCHES" + differences.modifiers, value: expression)
    }
}

extension Filter {
    /// Returns the condition that the string in a field passes a test.
    public static func text(_ field: Model.Fields, _ test: TextTest) -> Filter {
        comparing(field.rawValue, test.relation, test.value)
    }

    /// Returns the condition that the string in the field of a property passes a test.
    public static func text(_ path: KeyPath<Model, String>, _ test: TextTest) -> Filter {
        on(path) { comparing($0, test.relation, test.value) }
    }
}
