package import RecordModel

/// An upload in several requests.
package struct ResumableUploadRow: Hashable, Sendable {
    package var id: Int64
    /// What its URL and its file are called.
    package var name: String
    /// The caller's number as writers have it.
    package var uploader: UserID
    package var scope: Int64
    package var owner: UserID
    /// In bytes; `nil` until it is known.
    package var length: Int64?
    /// So many bytes are synced.
    package var offset: Int64
    package var contentType: String?
    package var filename: String?
    /// What the client has said of it, as it came.
    package var metadata: String?
    /// Milliseconds since 1970.
    package var expires: Int64
    /// The claim of what was uploaded, once that is complete.
    package var claim: Int64?

    package init(
        id: Int64 = 0, name: String, uploader: UserID, scope: Int64, owner: UserID, length: Int64?, offset: Int64 = 0,
        contentType: String?, filename: String?, metadata: String?, expires: Int64, claim: Int64? = nil
    ) {
        self.id = id
        self.name = name
        self.uploader = uploader
        self.scope = scope
        self.owner = owner
        self.length = length
        self.offset = offset
        self.contentType = contentType
        self.filename = filename
        self.metadata = metadata
        self.expires = expires
        self.claim = claim
    }
}

/// Finds uploads in several requests, on any connection.
package final class ResumableUploadReading {
    private let findByName: Statement
    private let findUnfinished: Statement
    private let sumUnfinished: Statement

    init(_ connection: Connection) {
        findByName = connection.prepare(
            """
            SELECT id, name, uploader, scope, owner, length, offset, content_type, filename, metadata, expires, claim
            FROM resumable_upload WHERE name = ?1
            """)
        findUnfinished = connection.prepare("SELECT 1 FROM resumable_upload WHERE name = ?1 AND claim IS NULL")
        sumUnfinished = connection.prepare(
            """
            SELECT count(*), sum(coalesce(length, offset))
            FROM resumable_upload INDEXED BY resumable_upload_by_uploader WHERE claim IS NULL AND uploader = ?1
            """)
    }

    package func find(_ name: String) throws(RecordError) -> ResumableUploadRow? {
        try findByName.with(name).row { row in
            ResumableUploadRow(
                id: row.next(), name: row.next(), uploader: row.next(), scope: row.next(), owner: row.next(),
                length: row.next(), offset: row.next(), contentType: row.next(), filename: row.next(),
                metadata: row.next(), expires: row.next(), claim: row.next())
        }
    }

    /// Whether a file belongs to an upload that is not complete.
    package func isUnfinished(_ name: String) throws(RecordError) -> Bool {
        try findUnfinished.with(name).exists()
    }

    /// What somebody has begun and not completed: how many uploads, and their lengths, or what has come of those whose
    /// length is not known.
    package func unfinished(of uploader: UserID) throws(RecordError) -> (count: Int, bytes: Int64) {
        try sumUnfinished.with(uploader).row { ($0.next(), $0.next()) } ?? (0, 0)
    }
}

/// Uploads in several requests: the writer's side.
package final class ResumableUploadTable {
    private let connection: Connection
    private let insertUpload: Statement
    private let setOffset: Statement
    private let setLength: Statement
    private let setClaim: Statement
    private let removeUpload: Statement

    init(_ connection: Connection) {
        self.connection = connection
        insertUpload = connection.prepare(
            """
            INSERT INTO resumable_upload
            (name, uploader, scope, owner, length, content_type, filename, metadata, expires)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)
            """)
        // What was acknowledged is never taken back.
        setOffset = connection.prepare(
            "UPDATE resumable_upload SET offset = max(offset, ?2) WHERE id = ?1 AND claim IS NULL")
        setLength = connection.prepare(
            "UPDATE resumable_upload SET length = ?2 WHERE id = ?1 AND length IS NULL AND offset <= ?2")
        setClaim = connection.prepare(
            "UPDATE resumable_upload SET claim = ?2, offset = length WHERE id = ?1 AND claim IS NULL")
        removeUpload = connection.prepare("DELETE FROM resumable_upload WHERE id = ?1")
    }

    package func insert(_ row: ResumableUploadRow) throws(RecordError) {
        try insertUpload.with(row.name, row.uploader, row.scope, row.owner, row.length, row.contentType, row.filename)
            .with(from: 8, row.metadata, row.expires).run()
    }

    /// Notes how much is synced.
    ///
    /// - Returns: Whether there is such an upload, unfinished.
    package func advance(_ id: Int64, to offset: Int64) throws(RecordError) -> Bool {
        try change(setOffset, id, offset)
    }

    /// Notes a length that was not known before.
    ///
    /// - Returns: Whether there is such an upload, of unknown length and not longer.
    package func setLength(_ id: Int64, _ length: Int64) throws(RecordError) -> Bool {
        try change(setLength, id, length)
    }

    /// Notes what has become of an upload that is complete.
    ///
    /// - Returns: Whether there is such an upload, unfinished.
    package func complete(_ id: Int64, claim: Int64) throws(RecordError) -> Bool {
        try change(setClaim, id, claim)
    }

    private func change(_ statement: Statement, _ id: Int64, _ value: Int64) throws(RecordError) -> Bool {
        try statement.with(id, value).changedRows() > 0
    }

    package func remove(_ id: Int64) throws(RecordError) {
        try removeUpload.with(id).run()
    }

    /// Takes away the rows of uploads that have expired.
    ///
    /// - Parameter isBusy: Whether somebody works on an upload: it is left for the next time.
    /// - Returns: Whose files may go when this is committed; fewer than `limit` means that none are left.
    package func collect(
        before now: Int64, limit: Int, isBusy: (String) -> Bool
    ) throws(RecordError) -> [String] {
        let find = connection.prepare(
            """
            SELECT id, name FROM resumable_upload INDEXED BY resumable_upload_by_expiry WHERE expires < ?1
            ORDER BY expires LIMIT ?2
            """)
        let found = try find.with(now, limit)
            .rows { (id: $0.next(Int64.self), name: $0.next(String.self)) }
            .filter { !isBusy($0.name) }
        for upload in found { try remove(upload.id) }
        return found.map(\.name)
    }
}
