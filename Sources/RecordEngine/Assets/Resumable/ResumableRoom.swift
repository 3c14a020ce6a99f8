internal import RecordModel

/// What one request of an upload holds of the disk, and of the quota while the upload's length is not known: a length
/// that is known counts from the beginning, by its row.
final class ResumableRoom {
    private let reader: RecordReader
    private let uploader: UserID
    private let isCounted: Bool
    private var reserved: Int64 = 0
    private var written: Int64 = 0
    /// What of it counts by the upload's row.
    private var noted: Int64 = 0

    /// Bytes whose number is not known are held in steps.
    private static let step: Int64 = 1 << 20

    /// - Parameter isCounted: Whether the quota is asked.
    init(_ reader: RecordReader, uploader: UserID, isCounted: Bool) {
        self.reader = reader
        self.uploader = uploader
        self.isCounted = isCounted
    }

    /// Makes sure of room for what this request brings.
    func expect(_ bytes: Int64) throws(RecordError) {
        guard bytes > reserved else { return }
        if isCounted {
            try reader.assets.hold(bytes - reserved, of: uploader)
        } else {
            try reader.database.assetStore.reserveRoom(bytes - reserved, limits: reader.database.limits)
        }
        reserved = bytes
    }

    /// Bytes have come.
    func take(_ count: Int64) throws(RecordError) {
        let total = written + count
        if total > reserved {
            do throws(RecordError) {
                try expect((total + Self.step - 1) / Self.step * Self.step)
            } catch {
                // Not so much; but there may be room for what has come.
                try expect(total)
            }
        }
        written = total
        reader.database.assetStore.didWrite(count)
    }

    /// So many bytes of this request count by the upload's row from now on, and not here as well.
    func note(_ durable: Int64) {
        guard isCounted, durable > noted else { return }
        reader.database.assetStore.release(durable - noted, unwritten: 0, for: uploader)
        noted = durable
    }

    func release() {
        let assets = reader.database.assetStore
        if isCounted {
            assets.release(reserved - noted, unwritten: reserved - written, for: uploader)
        } else {
            assets.releaseRoom(reserved - written)
        }
        reserved = 0
        written = 0
        noted = 0
    }
}
