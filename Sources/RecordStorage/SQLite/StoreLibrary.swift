/// The database library of this build.
package enum StoreLibrary {
    /// The name of the library.
    package static let name = "SQLite"

    /// The version of the library, such as `3.40.1`.
    package static var version: String { Connection.libraryVersion }

    /// An explanation for operators why SQLite's WAL-reset bug does not affect this server.
    package static var walResetNote: String {
        Connection.hasWALResetFix
            ? "This SQLite has the fix for the WAL-reset bug (3.51.3)."
            : "Fogbase is not affected by SQLite's WAL-reset bug (fixed in SQLite 3.51.3), which needs two connections that write or checkpoint: here only one ever does. There is nothing to do."
    }
}
