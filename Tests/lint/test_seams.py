"""Tests of seams.py: a check that never fails proves nothing."""

import unittest

from Tests.lint import seams


class SeamsTests(unittest.TestCase):
    def test_names_of_the_store_are_found_in_code_alone(self):
        source = (
            "// A Connection.\nlet a: Connection\nlet text = \"Statement\"\nfunc f(_ s: Statement) {}\n"
            "HTTPConnection()\n")
        self.assertEqual(seams.names_inside_the_store(source), [(2, "Connection"), (4, "Statement")])

    def test_texts_of_statements_are_found(self):
        found = seams.names_inside_the_store('let a = 1\nrun("DELETE FROM record WHERE id = ?1")\nsay("Select one")\n')
        self.assertEqual(found, [(2, "the text of a statement")])

    def test_bare_numbers_are_found_and_typed_ones_are_not(self):
        source = (
            "// zone: Int64\nfunc f(_ zone: Int64, of type: TypeID) {}\nlet typeID: Int64?\n"
            "var records: Int64 = 0\nlet records: [Int64]\nlet zones: Set<Int64>\nlet home: RowHome\n"
            "func decode(_ type: Int64.Type) {}\nlet sequence: Int64\nlet (key,\n    record: Int64)\n")
        self.assertEqual(
            seams.bare_ids(source), [(2, "zone"), (3, "type"), (5, "record"), (6, "zone"), (11, "record")])

    def test_bare_numbers_of_accounts_roles_and_principals_are_found(self):
        source = (
            "func f(of owner: Int64, user: UserID) {}\nlet account: Int64?\nlet roles: [Int64]\nlet creatorID: Int64\n"
            "var roleIDs: [Int64] = []\nlet users: [Int64: String]\nlet caller: CallerID\nlet accountKind: Int64\n"
            "let principals: Set<Int64>\n")
        self.assertEqual(
            seams.bare_ids(source),
            [(1, "owner"), (2, "account"), (3, "role"), (4, "creator"), (5, "role"), (6, "user"), (9, "principal")])

    def test_a_type_counts_with_its_extensions_and_without_its_neighbors(self):
        source = (
            "package final class One {\n    func a() {\n    }\n\n    // func b() {}\n    var c: Int { 1 }\n}\n\n"
            "extension Two {\n    func d() {}\n}\n\nfunc free() {}\n\nextension One {\n    func e() {}\n}\n")
        self.assertEqual(list(seams.parts(source)), [("One", 5, 1), ("Two", 3, 1), ("One", 3, 1)])

    def test_types_that_are_too_large_are_found_and_the_list_only_shrinks(self):
        self.assertEqual(seams.size_problems({"M.A": (600, 40)}, {}), [])
        self.assertEqual(len(seams.size_problems({"M.A": (601, 1), "M.B": (1, 41)}, {})), 2)
        self.assertEqual(seams.size_problems({"M.A": (700, 41)}, {"M.A": (700, 41)}), [])
        self.assertEqual(len(seams.size_problems({"M.A": (701, 41)}, {"M.A": (700, 41)})), 1)
        self.assertIn("small enough", seams.size_problems({"M.A": (10, 1)}, {"M.A": (700, 41)})[0])


if __name__ == "__main__":
    unittest.main()
