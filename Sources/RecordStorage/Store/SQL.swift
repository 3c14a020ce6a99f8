/// The text of a statement in SQLite's dialect, with numbered parameters: `?1`, `?2` …
///
/// A driver for a database server translates the text when it prepares the statement:
///
/// ```
/// ?1                                $1; a list of numbers in json_each(?1) is an array, unnest($1)
/// INSERT OR IGNORE INTO t …         INSERT INTO t … ON CONFLICT DO NOTHING
/// INDEXED BY i, CROSS JOIN          dropped, JOIN: its planner chooses, and tests look at the plans
/// a IS ?1, a IS NOT ?1              IS NOT DISTINCT FROM, IS DISTINCT FROM
/// min(a, b), max(a, b), ifnull      least, greatest, coalesce
/// sum, count, EXISTS as a column    cast to bigint
/// LIMIT -1                          dropped
/// WITHOUT ROWID, AUTOINCREMENT      dropped; the writer's transaction assigns the numbers
/// INTEGER, BLOB, TEXT               bigint, bytea, text COLLATE "C"
/// ```
///
/// If these rules do not cover a statement, `onServer` sets the text for the server. Pragmas, savepoints and
/// `sqlite_schema` are used only for SQLite's own files.
package struct SQL: ExpressibleByStringInterpolation, Sendable {
    /// The text in SQLite's dialect.
    package let text: String
    /// The text in the server's dialect; `nil` if the driver translates `text` by the rules.
    package private(set) var serverText: String?

    /// Creates a statement from its text.
    package init(_ text: String) {
        self.text = text
    }

    package init(stringLiteral text: String) {
        self.text = text
    }

    /// Returns the same statement with an additional text in the dialect of a database server.
    package func onServer(_ text: String) -> SQL {
        var both = self
        both.serverText = text
        return both
    }
}
