internal import RecordModel

/// The disk space that one request of an upload reserves. If the upload's length is unknown, the request also reserves
/// bytes of the uploader's quota. If the length is known, the upload's row already counts it in the quota.
final class ResumableReservation {
    private let reader: RecordReader
    private let uploader: UserID
    private let isCounted: Bool
    private var reserved: Int64 = 0
    private var written: Int64 = 0
    /// The number of this request's bytes that the upload's row already counts.
    private var noted: Int64 = 0

    /// The number of bytes to reserve at a time if the length is unknown.
    private static let step: Int64 = 1 << 20

    /// - Parameter isCounted: Whether to reserve bytes of the quota.
    init(_ reader: RecordReader, uploader: UserID, isCounted: Bool) {
        self.reader = reader
        self.uploader = uploader
        self.isCounted = isCounted
    }

    /// Reserves space for the bytes of this request.
    ///
    /// - Throws: QUOTA_EXCEEDED; INTERNAL_ERROR with cause STORAGE_FULL.
    func expect(_ bytes: Int64) throws(RecordError) {
        guard bytes > reserved else { return }
        if isCounted {
            try reader.assets.hold(bytes - reserved, of: uploader)
        } else {
            try reader.database.assetStore.reserveSpace(bytes - reserved, limits: reader.database.limits)
        }
        reserved = bytes
    }

    /// Counts received bytes, and reserves more space if needed.
    ///
    /// - Throws: QUOTA_EXCEEDED; INTERNAL_ERROR with cause STORAGE_FULL.
    func take(_ count: Int64) throws(RecordError) {
        let total = written + count
        if total > reserved {
            do throws(RecordError) {
                try expect((total + Self.step - 1) / Self.step * Self.step)
            } catch {
                // A whole step does not fit in the quota or on the disk, but the received bytes may fit.
                try expect(total)
            }
        }
        written = total
        reader.database.assetStore.didWrite(count)
    }

    /// Releases the quota for bytes that the upload's row now counts.
    ///
    /// - Parameter durable: The number of this request's bytes that the row counts.
    func note(_ durable: Int64) {
        guard isCounted, durable > noted else { return }
        reader.database.assetStore.release(durable - noted, unwritten: 0, for: uploader)
        noted = durable
    }

    /// Releases all reserved disk space and quota.
    func release() {
        let assets = reader.database.assetStore
        if isCounted {
            assets.release(reserved - noted, unwritten: reserved - written, for: uploader)
        } else {
            assets.releaseSpace(reserved - written)
        }
        reserved = 0
        written = 0
        noted = 0
    }
}
