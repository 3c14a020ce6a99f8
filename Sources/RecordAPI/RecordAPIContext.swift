public import HTTP
internal import RecordEngine

/// What one event loop owns of the interface: its readers, one per database that its requests have named.
///
/// Unchecked: everything here is touched on the thread of the loop that the context was made for, and only there. The
/// transport calls `respond` and `loopWillBlock` on that thread, and a suspended `respond` resumes on it. Tests use a
/// context from one task at a time.
public final class RecordAPIContext: HTTPLoopContext, @unchecked Sendable {
    let api: RecordAPI
    private var defaultReader: RecordReader?
    /// The only reader that may hold a view.
    private var current: RecordReader?
    /// The readers of all other databases.
    private var readers: [DatabaseID: RecordReader] = [:]

    init(_ api: RecordAPI) {
        self.api = api
    }

    private var defaultDatabase: DatabaseID { api.configuration.defaultDatabase }

    /// The reader of a database, if it is open. The one that was asked before lets go of its view: on a loop that is
    /// never idle it would keep the log of its database from being emptied.
    func reader(_ id: DatabaseID?) -> RecordReader? {
        let reader: RecordReader? =
            if let id, id != defaultDatabase { readers[id] } else { defaultReader }
        if reader !== current {
            current?.rest()
            current = reader
        }
        return reader
    }

    /// Opens the reader of a database.
    ///
    /// - Parameter id: `nil` for the default database.
    /// - Throws: NOT_FOUND for an unknown container; TRY_AGAIN_LATER if the database cannot be opened.
    func openReader(_ id: DatabaseID?) async throws -> RecordReader {
        let database = try await api.registry.database(id ?? defaultDatabase)
        // Another request of this loop may have opened it meanwhile.
        if let reader = reader(id) { return reader }
        let reader: RecordReader
        do { reader = try database.makeReader() } catch { throw APIError.databaseClosed }
        if let id, id != defaultDatabase { readers[id] = reader } else { defaultReader = reader }
        return self.reader(id) ?? reader
    }

    /// No view of a file is held while the loop waits: an idle reader must not keep the log from being emptied.
    public func loopWillBlock() {
        defaultReader?.rest()
        for reader in readers.values { reader.rest() }
    }

    /// Closes the readers, before their databases close.
    package func closeReaders() {
        loopWillBlock()
        current = nil
        defaultReader = nil
        readers.removeAll()
    }
}
