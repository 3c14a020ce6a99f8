internal import RecordModel

/// What one request of an upload holds of the disk, and of the quota while the upload's length is not known: a length
/// that is known counts from the beginning, by its row.
final class ResumableRoom {
    private let database: RecordDatabase
    private let uploader: Int64
    /// What the uploader holds besides; `nil` if no quota is asked.
    private let unused: Int64?
    private var reserved: Int64 = 0
    private var written: Int64 = 0

    /// Bytes whose number is not known are held in steps.
    private static let step: Int64 = 1 << 20

    init(_ database: RecordDatabase, uploader: Int64, unused: Int64?) {
        self.database = database
        self.uploader = uploader
        self.unused = unused
    }

    /// Makes sure of room for what this request brings.
    func expect(_ bytes: Int64) throws(RecordError) {
        guard bytes > reserved else { return }
        let more = bytes - reserved
        if let unused {
            try database.assets.reserve(more, for: uploader, unused: unused, limits: database.limits)
        } else {
            try database.assets.reserveRoom(more, limits: database.limits)
        }
        reserved = bytes
    }

    /// Bytes have come.
    func take(_ count: Int64) throws(RecordError) {
        let total = written + count
        if total > reserved { try expect((total + Self.step - 1) / Self.step * Self.step) }
        written = total
        database.assets.didWrite(count)
    }

    func release() {
        if unused != nil {
            database.assets.release(reserved, unwritten: reserved - written, for: uploader)
        } else {
            database.assets.releaseRoom(reserved - written)
        }
        reserved = 0
        written = 0
    }
}
