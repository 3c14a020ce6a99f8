"""Tests of docstrings.py: a check that never fails proves nothing."""

import unittest

from Tests.lint import docstrings


def names(*sources):
    """The missing comments in files with these texts."""
    files = {f"{number}.swift": source for number, source in enumerate(sources)}
    return [name for _, _, name in docstrings.missing(files)]


class DocstringsTests(unittest.TestCase):
    def test_public_declarations_need_a_comment_and_others_need_none(self):
        post = "/// A post.\npublic struct Post {\n    public var title: String\n    var text: String\n}"
        self.assertEqual(names(post), ["title"])
        self.assertEqual(names("package struct Row {\n    package var id: Int\n    public var name: String\n}"), [])

    def test_the_location_of_a_problem_is_reported(self):
        self.assertEqual(docstrings.missing({"a.swift": "\n\npublic let size = 1"}), [("a.swift", 3, "size")])

    def test_a_comment_precedes_the_attributes_and_belongs_to_one_declaration(self):
        self.assertEqual(names("/// A.\n@discardableResult\n@available(\n    macOS 13, *)\npublic func a() {}"), [])
        self.assertEqual(names("/// A.\npublic let a = 1\npublic let b = 2"), ["b"])
        self.assertEqual(names("// No documentation.\npublic let a = 1"), ["a"])

    def test_cases_and_requirements_are_as_public_as_their_type(self):
        cases = "/// E.\npublic enum E {\n    case a\n    /// B.\n    case b\n}\nenum F {\n    case c\n}"
        self.assertEqual(names(cases), ["a"])
        self.assertEqual(names("/// P.\npublic protocol P {\n    func read(from file: Int)\n}"), ["read(from:)"])

    def test_cases_of_a_switch_are_no_declarations(self):
        self.assertEqual(names("/// A.\npublic func a() {\n    switch 1 {\n    case 1: break\n    }\n}"), [])

    def test_an_extension_of_a_type_that_apps_do_not_see_is_not_seen_either(self):
        extension = "extension Row {\n    public func a() {}\n}"
        self.assertEqual(names("package struct Row {}", extension), [])
        self.assertEqual(names("/// A row.\npublic struct Row {}", extension), ["a()"])
        self.assertEqual(names("extension Int {\n    public func a() {}\n}"), ["a()"])

    def test_an_implementation_of_a_documented_requirement_inherits_its_comment(self):
        protocol = "/// P.\npublic protocol P {\n    /// Reads.\n    func read(_ count: Int, to end: Int)\n}"
        witness = "/// S.\npublic struct S: {} {{\n    public func read(_ number: Int, to last: Int) {{}}\n}}".format
        self.assertEqual(names(protocol, witness("P")), [])
        self.assertEqual(names(protocol, witness("Sendable")), ["read(_:to:)"])
        self.assertEqual(names(protocol, witness("P").replace(" to last", " by last")), ["read(_:by:)"])

    def test_protocols_of_the_language_are_known_where_they_are_conformed_to(self):
        equal = "    public static func == (left: S, right: S) -> Bool { true }\n}"
        self.assertEqual(names("/// S.\npublic struct S: Equatable {\n" + equal), [])
        self.assertEqual(names("/// S.\npublic struct S {}\nextension S: Hashable {\n" + equal), [])
        self.assertEqual(names("/// S.\npublic struct S {\n" + equal), ["=="])

    def test_a_comment_on_one_parameter_needs_comments_on_all(self):
        call = "public func a(_ b: [Int: (Int) -> Int], c d: Int = 1) {}"
        self.assertEqual(names("/// A.\n" + call), [])
        self.assertEqual(names("/// A.\n///\n/// - Parameter d: It.\n" + call), ["a(_:c:) b"])
        self.assertEqual(names("/// A.\n///\n/// - Parameters:\n///   - b: It.\n///   - d: Too.\n" + call), [])
        self.assertEqual(names("/// A.\n///\n/// - Parameters:\n///   - b: It.\n///   - c: Too.\n" + call),
                         ["a(_:c:) d"])

    def test_brackets_in_texts_and_comments_are_no_brackets(self):
        text = '/// S.\npublic struct S {\n    let a = "{ \\(b("}")) {"  // {\n    public let c = 1\n}'
        self.assertEqual(names(text), ["c"])
        self.assertEqual(names('/// A.\npublic let a = """\n    public let b = {\n    """\npublic let d = 1'), ["d"])

    def test_nothing_within_a_function_counts(self):
        self.assertEqual(names("/// A.\npublic func a() {\n    enum E {\n        case a\n    }\n}"), [])


if __name__ == "__main__":
    unittest.main()
