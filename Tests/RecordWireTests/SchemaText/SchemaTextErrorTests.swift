import RecordModel
import RecordWire
import TestSupport
import Testing

/// Every error of the schema language names its line and column, and says what to do.
@Suite struct SchemaTextErrorTests {
    struct Bad: Sendable, CustomTestStringConvertible {
        let text: String
        let line: Int
        let column: Int
        let part: String

        init(_ text: String, _ line: Int, _ column: Int, _ part: String) {
            self.text = text
            self.line = line
            self.column = column
            self.part = part
        }

        /// The members of a type, from line 2 on.
        static func members(_ text: String, _ line: Int, _ column: Int, _ part: String) -> Bad {
            Bad("DEFINE SCHEMA RECORD TYPE T (\n\(text)\n);", line, column, part)
        }

        var testDescription: String { text }
    }

    static let characters: [Bad] = [
        Bad("DEFINE SCHEMA\n  /* open", 2, 3, "Close it with */"),
        Bad("DEFINE SCHEMA /* a\n / ", 1, 15, "Close it with */"),
        Bad("DEFINE SCHEMA\n RECORD TYPE \"A\n\";", 2, 14, "Add one"),
        Bad("DEFINE - SCHEMA", 1, 8, "A comment starts with"),
        Bad("DEFINE / SCHEMA", 1, 8, "A comment starts with"),
        Bad("DEFINE SCHEMA\n  CREATE ROLE a.b;", 2, 16, "'.' has no meaning"),
        Bad("DEFINE SCHEMA \u{0}", 1, 15, "A control character"),
        Bad("DEFINE SCHEMA CREATE ROLE ü%;", 1, 28, "'%' has no meaning"),
    ]

    static let statements: [Bad] = [
        Bad("", 1, 1, "The end of the text stands where DEFINE belongs"),
        Bad("SCHEMA", 1, 1, "DEFINE SCHEMA"),
        Bad("DEFINE\n\"SCHEMA\"", 2, 1, "DEFINE SCHEMA"),
        Bad("DEFINE SCHEMA DROP ROLE a;", 1, 15, "CREATE ROLE, RECORD TYPE or the end"),
        Bad("DEFINE SCHEMA CREATE TYPE a;", 1, 22, "ROLE belongs"),
        Bad("DEFINE SCHEMA RECORD a;", 1, 22, "TYPE belongs"),
        Bad("DEFINE SCHEMA CREATE ROLE a", 1, 28, "a semicolon"),
        Bad("DEFINE SCHEMA CREATE ROLE ;", 1, 27, "the name of a role"),
        Bad("DEFINE SCHEMA CREATE ROLE 1a;", 1, 27, "A role's name is a letter"),
        Bad("DEFINE SCHEMA CREATE ROLE \"_world\";", 1, 27, "built in"),
        Bad("DEFINE SCHEMA CREATE ROLE a; CREATE ROLE a;", 1, 42, "created twice"),
        Bad("DEFINE SCHEMA RECORD TYPE A ();\nRECORD TYPE A ();", 2, 13, "defined twice"),
        Bad("DEFINE SCHEMA RECORD TYPE \"a b\" ();", 1, 27, "A type's name is a letter"),
        Bad("DEFINE SCHEMA RECORD TYPE _a ();", 1, 27, "needs quotes: \"_a\""),
        Bad("DEFINE SCHEMA RECORD TYPE Grant ();", 1, 27, "needs quotes: \"Grant\""),
        Bad("DEFINE SCHEMA RECORD TYPE A x STRING;", 1, 29, "( and the fields"),
    ]

    static let fields: [Bad] = [
        .members("a STRING b STRING", 2, 10, "a comma before the next field"),
        .members("a STRING,", 2, 9, "Leave it out"),
        .members("a STRING;", 2, 9, "a comma before the next field, or )"),
        .members("  a", 3, 1, "the type of the field"),
        .members("a STRNG", 2, 3, "'STRNG' is no type of a field. The types are ASSET, BYTES"),
        .members("a LIST STRING", 2, 8, "LIST<STRING>"),
        .members("a LIST<STRING", 3, 1, "> at the end of LIST<STRING"),
        .members("a LIST<LIST<STRING>>", 2, 8, "'LIST' is no type"),
        .members("a ENCRYPTED STRING", 2, 3, "does not encrypt single fields"),
        .members("a LIST<ENCRYPTED STRING>", 2, 8, "does not encrypt single fields"),
        .members("a NUMBER", 2, 3, "Write DOUBLE, or INT64"),
        .members("a NUMBER PREFERRED INT64", 2, 20, "AS belongs"),
        .members("a NUMBER PREFERRED AS STRING", 2, 23, "INT64 or DOUBLE after"),
        .members("a STRING INDEXED", 2, 10, "QUERYABLE, SORTABLE or SEARCHABLE"),
        .members("a BYTES QUERYABLE", 2, 9, "cannot be QUERYABLE or SORTABLE"),
        .members("a INT64 QUERYABLE SEARCHABLE", 2, 19, "can be SEARCHABLE"),
        .members("a LIST<STRING> SORTABLE", 2, 16, "A list cannot be SORTABLE"),
        .members("a LOCATION SORTABLE", 2, 12, "A place cannot be SORTABLE"),
        .members("a STRING,\na INT64", 3, 1, "stands twice in its type"),
        .members("queryable STRING", 2, 1, "needs quotes: \"queryable\""),
        .members("_a STRING", 2, 1, "needs quotes: \"_a\""),
        .members("\"_a\" STRING", 2, 1, "A field's name is a letter"),
        .members("recordName STRING", 2, 1, "Each record has recordName already"),
        .members("(", 2, 1, "the name of a field"),
        .members("\"___foo\" STRING", 2, 1, "is no system field. They are ___recordID"),
        .members("\"___recordID\" STRING", 2, 15, "is REFERENCE"),
        .members("\"___etag\" STRING QUERYABLE", 2, 18, "There is no index on ___etag"),
        .members("\"___modTime\" TIMESTAMP,\n  \"___modtime\" TIMESTAMP", 3, 3, "stands twice"),
        .members("\"___modTime\" TIMESTAMP SEARCHABLE", 2, 24, "can be SEARCHABLE"),
    ]

    static let grants: [Bad] = [
        .members("GRANT TO a", 2, 7, "a permission"),
        .members("GRANT READ, TO a", 2, 13, "a permission"),
        .members("GRANT READ, title STRING", 2, 13, "a permission"),
        .members("GRANT READ a", 2, 12, "TO belongs"),
        .members("GRANT DELETE TO a", 2, 7, "a permission"),
        .members("GRANT READ TO", 3, 1, "the name of a role"),
        .members("GRANT READ TO _world", 2, 15, "needs quotes"),
        .members("GRANT READ TO \"_everyone\"", 2, 15, "A role's name"),
    ]

    static let comments: [Bad] = [
        Bad("-- fogbase: {\"version\":2}\nDEFINE SCHEMA", 1, 12, "update the server"),
        Bad("-- fogbase: {}\nDEFINE SCHEMA", 1, 12, "The version is a number"),
        Bad("-- fogbase: []\nDEFINE SCHEMA", 1, 12, "is a JSON object"),
        Bad("--fogbase:{\"version\":1,}\nDEFINE SCHEMA", 1, 24, "not well formed: a key in quotes"),
        Bad("DEFINE\n-- fogbase: {}\nSCHEMA", 2, 12, "stands where SCHEMA belongs"),
        Bad("DEFINE SCHEMA\n-- fogbase: {}\n-- fogbase: {}\n", 3, 12, "Put both into one"),
        Bad("DEFINE SCHEMA\n-- fogbase: {}\nCREATE ROLE a;", 2, 12, "belongs to the RECORD TYPE after it"),
        Bad("DEFINE SCHEMA\n-- fogbase: {}\n", 2, 12, "belongs to the RECORD TYPE after it"),
        Bad("DEFINE SCHEMA\n-- fogbase: {\"read\":[]}\nRECORD TYPE T();", 2, 12, "Unknown key 'read'"),
        Bad(
            "DEFINE SCHEMA\n-- fogbase: {\"indexes\":[{\"fields\":[\"x\"]}]}\nRECORD TYPE T();", 2, 12,
            "types.T.indexes[0].fields[0]"),
        Bad("DEFINE SCHEMA\n-- fogbase: {\"acl\":7}\nRECORD TYPE T();", 2, 12, "An access list is an object"),
        Bad("DEFINE SCHEMA\n-- fogbase: {\"aclRequired\":7}\nRECORD TYPE T();", 2, 12, "is true or false"),
        .members("-- fogbase: {\"acl\":{}}\na STRING", 2, 12, "Unknown key 'acl'"),
        .members("-- fogbase: {\"read\":7}\na STRING", 2, 12, "A list of roles"),
        .members("-- fogbase: {\"write\":[\"_a\"]}\na STRING", 2, 12, "types.T.fields.a.write[0]"),
        .members("-- fogbase: {}\nGRANT READ TO a", 2, 12, "here is a GRANT after it"),
        .members("a STRING\n-- fogbase: {}", 3, 12, "stands before the type or field"),
        .members("a STRING,\n-- fogbase: {}", 3, 12, "there is none"),
        .members("a\n-- fogbase: {}\nSTRING", 3, 12, "not inside"),
        .members("-- fogbase: {}\n\"___recordID\" REFERENCE", 2, 12, "A system field has no fogbase comment"),
    ]

    @Test(arguments: characters + statements + fields + grants + comments)
    func `a problem has a place and a sentence`(_ bad: Bad) throws {
        do throws(SchemaTextError) {
            _ = try SchemaDocument.parse(text: utf8(bad.text))
            Issue.record("\(bad.text) was read")
        } catch {
            #expect(error.reason.contains(bad.part), "\(error.reason)")
            #expect((error.line, error.column) == (bad.line, bad.column), "\(error)")
            #expect(!error.reason.hasSuffix("."))
            let rejection = RecordError(error)
            #expect(rejection.reason.hasPrefix("Line \(bad.line), column \(bad.column): "))
            #expect(rejection.details.map(\.key) == ["line", "column"])
        }
    }

    @Test func `text that is not UTF-8 is rejected where it begins`() throws {
        let text = utf8("DEFINE SCHEMA\n-- ü ") + [0xC3, 0x28]
        do throws(SchemaTextError) {
            _ = try SchemaDocument.parse(text: text)
            Issue.record("The text was read")
        } catch {
            #expect((error.line, error.column) == (2, 6))
        }
    }

    @Test func `limits of the JSON form apply`() throws {
        let fields = (0...Limits.fieldsPerType).map { "f\($0) STRING" }.joined(separator: ",")
        let indexes = (0...IndexDefinition.maxPerType).map { #"{"fields":["f\#($0)"]}"# }.joined(separator: ",")
        for text in [
            "DEFINE SCHEMA RECORD TYPE T (\(fields));",
            "DEFINE SCHEMA\n-- fogbase: {\"indexes\":[\(indexes)]}\nRECORD TYPE T (f0 STRING);",
        ] {
            do throws(SchemaTextError) {
                _ = try SchemaDocument.parse(text: utf8(text))
                Issue.record("The text was read")
            } catch {
                #expect(error.reason.contains("more than"))
            }
        }
    }
}
