package import RecordModel

/// A stored resumable upload.
package struct ResumableUploadRow: Hashable, Sendable {
    /// The upload's ID; 0 before the upload is stored.
    package var id: Int64
    /// The name of the upload in its URL, and of its file.
    package var name: String
    /// The caller that owns the upload.
    package var uploader: UserID
    /// The database that the asset is uploaded to: 0 public, 1 private.
    package var scope: Int64
    /// The account of a private database, else 0.
    package var owner: UserID
    /// The length of the complete upload in bytes; `nil` while unknown.
    package var length: Int64?
    /// The number of bytes that are durable.
    package var offset: Int64
    /// The content type that the client sent.
    package var contentType: String?
    /// The file name that the client sent.
    package var filename: String?
    /// The `Upload-Metadata` that the client sent, unchanged.
    package var metadata: String?
    /// When the upload expires, in milliseconds since 1970.
    package var expires: Int64
    /// The ID of the claim of a complete upload; `nil` while the upload is unfinished.
    package var claim: Int64?

    /// Creates a row to store, or a row that was read.
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

/// Finds resumable uploads, on any connection.
///
/// Its functions throw INTERNAL_ERROR or TRY_AGAIN_LATER if the store fails.
package final class ResumableUploadFinder {
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

    /// Returns the upload with a name; `nil` if there is none.
    package func find(_ name: String) throws(RecordError) -> ResumableUploadRow? {
        try findByName.with(name).row { row in
            ResumableUploadRow(
                id: row.next(), name: row.next(), uploader: row.next(), scope: row.next(), owner: row.next(),
                length: row.next(), offset: row.next(), contentType: row.next(), filename: row.next(),
                metadata: row.next(), expires: row.next(), claim: row.next())
        }
    }

    /// Returns whether a file belongs to an unfinished upload.
    package func isUnfinished(_ name: String) throws(RecordError) -> Bool {
        try findUnfinished.with(name).exists()
    }

    /// Returns the number of a user's unfinished uploads and the sum of their lengths. An upload of unknown length
    /// counts with its received bytes.
    package func unfinished(of uploader: UserID) throws(RecordError) -> (count: Int, bytes: Int64) {
        try sumUnfinished.with(uploader).row { ($0.next(), $0.next()) } ?? (0, 0)
    }
}

/// Resumable uploads, on the writer's connection.
///
/// Its functions throw INTERNAL_ERROR or TRY_AGAIN_LATER if the store fails.
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
        // The offset never decreases, because acknowledged bytes stay acknowledged.
        setOffset = connection.prepare(
            "UPDATE resumable_upload SET offset = max(offset, ?2) WHERE id = ?1 AND claim IS NULL")
        setLength = connection.prepare(
            "UPDATE resumable_upload SET length = ?2 WHERE id = ?1 AND length IS NULL AND offset <= ?2")
        setClaim = connection.prepare(
            "UPDATE resumable_upload SET claim = ?2, offset = length WHERE id = ?1 AND claim IS NULL")
        removeUpload = connection.prepare("DELETE FROM resumable_upload WHERE id = ?1")
    }

    /// Adds an upload.
    package func insert(_ row: ResumableUploadRow) throws(RecordError) {
        try insertUpload.with(row.name, row.uploader, row.scope, row.owner, row.length, row.contentType, row.filename)
            .with(from: 8, row.metadata, row.expires).run()
    }

    /// Stores the number of durable bytes of an upload.
    ///
    /// - Returns: Whether the upload exists and is unfinished.
    package func advance(_ id: Int64, to offset: Int64) throws(RecordError) -> Bool {
        try change(setOffset, id, offset)
    }

    /// Stores the length of an upload.
    ///
    /// - Returns: Whether the upload exists, has an unknown length, and has at most `length` bytes so far.
    package func setLength(_ id: Int64, _ length: Int64) throws(RecordError) -> Bool {
        try change(setLength, id, length)
    }

    /// Marks an upload as complete and stores its claim.
    ///
    /// - Returns: Whether the upload exists and is unfinished.
    package func complete(_ id: Int64, claim: Int64) throws(RecordError) -> Bool {
        try change(setClaim, id, claim)
    }

    private func change(_ statement: Statement, _ id: Int64, _ value: Int64) throws(RecordError) -> Bool {
        try statement.with(id, value).changedRows() > 0
    }

    /// Deletes an upload's row.
    package func remove(_ id: Int64) throws(RecordError) {
        try removeUpload.with(id).run()
    }

    /// Deletes the rows of expired uploads.
    ///
    /// - Parameter isBusy: Returns whether a request is using the upload. Such an upload is kept until the next call.
    /// - Returns: The names of the files to delete after the commit. If there are fewer than `limit`, no
    ///   expired uploads are left or some uploads are in use.
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
