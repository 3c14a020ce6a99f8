import RecordModel
import Testing

/// Which known definition a definition of a document means, by its names.
@Suite struct RenamePlanTests {
    /// A definition of a document: its name, behind its earlier names; without earlier names it mentions none if `known` is
    /// false.
    private static func document(_ names: [String], mentions: Bool = true) -> DocumentName {
        DocumentName(names.last ?? "", formerly: mentions ? Array(names.dropLast()) : nil)
    }

    @Test(
        arguments: [
            // The document, the known definitions, whether renames are undone, and the positions of those that are meant.
            (document: [["a"]], known: [["a"]], undoes: false, found: [0]),
            (document: [["a", "c"]], known: [["a"]], undoes: false, found: [0]),
            (document: [["a", "b", "c"]], known: [["a", "b"]], undoes: false, found: [0]),
            // The name was given again before the promotion, and after it.
            (document: [["a", "c"], ["a"]], known: [["a"]], undoes: false, found: [0, nil]),
            (document: [["a", "c"], ["a"]], known: [["a"], ["a", "c"]], undoes: false, found: [1, 0]),
            // Two fields have exchanged their names: before the promotion, and after it.
            (document: [["a", "t", "b"], ["b", "a"]], known: [["a"], ["b"]], undoes: false, found: [0, 1]),
            (
                document: [["a", "t", "b"], ["b", "a"]], known: [["b", "a"], ["a", "t", "b"]], undoes: false,
                found: [1, 0]
            ),
            // An older document: only a rollback takes renames back.
            (document: [["a"]], known: [["a", "c"]], undoes: false, found: [nil]),
            (document: [["a"]], known: [["a", "c"]], undoes: true, found: [0]),
            (document: [["a"], ["b"]], known: [["a", "t", "b"], ["b", "a"]], undoes: true, found: [0, 1]),
            // A person wrote the last name only.
            (document: [["b", "c"]], known: [["a", "b"]], undoes: false, found: [0]),
            (document: [["b", "c"], ["b"]], known: [["a", "b"]], undoes: false, found: [nil, 0]),
            // Both environments have renamed the field, each in its own way.
            (document: [["a", "b"]], known: [["a", "c"]], undoes: false, found: [nil]),
            (document: [["a", "b"]], known: [["x", "b"]], undoes: false, found: [0]),
        ] as [(document: [[String]], known: [[String]], undoes: Bool, found: [Int?])])
    func `a definition is found by its names`(
        _ row: (document: [[String]], known: [[String]], undoes: Bool, found: [Int?])
    ) {
        let found = DocumentName.matches(
            row.document.map { Self.document($0) }, among: row.known, undoes: row.undoes)
        #expect(found == row.found)
        // The order does not matter.
        let reversed = DocumentName.matches(
            row.document.reversed().map { Self.document($0) }, among: row.known, undoes: row.undoes)
        #expect(Array(reversed.reversed()) == row.found)
    }

    @Test func `without earlier names a document means the present name`() {
        let found = DocumentName.matches(
            [Self.document(["c"], mentions: false), Self.document(["a"], mentions: false)],
            among: [["a", "c"], ["b"]], undoes: true)
        #expect(found == [0, nil])
    }

    @Test(arguments: [
        ("title == 'title'", "headline == 'title'"),
        (
            "#title == 1 AND title != n OR NOT title IN {1, 2}",
            "headline == 1 AND headline != n OR NOT headline IN {1, 2}"
        ),
        ("ANY title BEGINSWITH[cd] \"title\"", "ANY headline BEGINSWITH[cd] \"title\""),
        ("title.@count > 2", "headline.@count > 2"),
        ("at < now() - 3 day AND day == 4", "at < now() - 3 day AND tag == 4"),
        ("at < now() - 2 days AND title == 1", "at < now() - 2 days AND headline == 1"),
        ("distance(place, loc(1, 2)) < 3 km", "distance(spot, loc(1, 2)) < 3 km"),
        ("box == 1 AND place IN box(1, 2, 3, 4)", "rect == 1 AND spot IN box(1, 2, 3, 4)"),
        ("subtitle == 1 AND titles == 2", "subtitle == 1 AND titles == 2"),
        ("c CONTAINS[c] 'x' AND c == 1", "k CONTAINS[c] 'x' AND k == 1"),
        ("a == 1 AND b == 2", "b == 1 AND a == 2"), ("old == 1", "#between == 1"),
        ("SELF CONTAINS 'title'", "SELF CONTAINS 'title'"), ("é == 1 && title = 2", "é == 1 && headline = 2"),
    ])
    func `a condition is rewritten where it names a field`(_ before: String, _ after: String) throws {
        let names = [
            "title": "headline", "day": "tag", "place": "spot", "box": "rect", "c": "k", "a": "b", "b": "a",
            "old": "between",
        ]
        let renamed = try RenamedPredicate(before, renaming: names)
        #expect(renamed.text == after)
        #expect(renamed.pathName == nil)
        _ = try PredicateSyntax.parse(before)
        _ = try PredicateSyntax.parse(after)
    }

    @Test func `arguments of keys are found, and names behind dots`() throws {
        let keys = try RenamedPredicate("%K == %@ AND x == %d AND %K IN %@", renaming: ["a": "b"])
        #expect(keys.keyArguments == [0, 3])
        #expect(try RenamedPredicate("ref.a == 1 AND a == 2", renaming: ["a": "b"]).pathName == "a")
        #expect(throws: RecordError.self) { try RenamedPredicate("a ~ 1", renaming: ["a": "b"]) }
    }
}
