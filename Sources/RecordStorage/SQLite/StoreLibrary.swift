/// The library that the store of this build is made of.
package enum StoreLibrary {
    package static let name = "SQLite"

    /// Such as `3.40.1`.
    package static var version: String { Connection.libraryVersion }

    /// Why the WAL-reset bug does not matter, for those who have read of it.
    package static var walResetNote: String {
        Connection.hasWALResetFix
            ? "This SQLite has the fix for the WAL-reset bug (3.51.3)."
            : "Fogbase is not affected by SQLite's WAL-reset bug (fixed in SQLite 3.51.3), which needs two connections that write or checkpoint: here only one ever does. There is nothing to do."
    }
}
