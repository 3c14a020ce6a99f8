/// The text of a statement, in SQLite's spelling, with parameters by number: `?1`, `?2` …
///
/// A store that is a server translates it once, when it prepares the statement:
///
/// ```
/// ?1                                $1; a list of numbers in json_each(?1) is an array, unnest($1)
/// INSERT OR IGNORE INTO t …         INSERT INTO t … ON CONFLICT DO NOTHING
/// INDEXED BY i, CROSS JOIN          dropped, JOIN: its planner chooses, and tests look at the plans
/// a IS ?1, a IS NOT ?1              IS NOT DISTINCT FROM, IS DISTINCT FROM
/// min(a, b), max(a, b), ifnull      least, greatest, coalesce
/// sum, count, EXISTS as a column    cast to bigint
/// LIMIT -1                          dropped
/// WITHOUT ROWID, AUTOINCREMENT      dropped; numbers are given under the head
/// INTEGER, BLOB, TEXT               bigint, bytea, text COLLATE "C"
/// ```
///
/// What these rules do not make of a statement is said with `onServer`. Pragmas, savepoints and `sqlite_schema` are in
/// SQLite's own files only.
package struct SQL: ExpressibleByStringInterpolation, Sendable {
    /// SQLite's spelling.
    package let text: String
    /// The server's spelling where the rules do not give it.
    package private(set) var serverText: String?

    package init(_ text: String) {
        self.text = text
    }

    package init(stringLiteral text: String) {
        self.text = text
    }

    /// The same statement with its spelling for a server.
    package func onServer(_ text: String) -> SQL {
        var both = self
        both.serverText = text
        return both
    }
}
