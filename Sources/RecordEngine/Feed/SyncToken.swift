internal import RecordModel
internal import RecordStorage

/// A sync token, which is a position in the change feed of a zone.
struct SyncToken: Hashable {
    /// The generation of the zone. If a zone is deleted and created again, its generation changes.
    var generation: Int64
    /// The sequence number of the last change that the client has received.
    var sequence: Int64
    /// The sequence number of the last change of the caller's rights. If the rights change again, the client must start
    /// from the beginning.
    var rights: Int64
    /// The sequence number up to which tombstones had been deleted when the client began to read. The client does not
    /// need these tombstones.
    var floor: Int64
    /// The sequence number up to which the client has all changes: that of the last page with no more changes after it.
    /// Records between `complete` and `sequence` may have moved in the feed while the client read it.
    var complete: Int64

    /// The position before the first change of a zone that has never had a write.
    static let beginning = SyncToken(generation: 0, sequence: 0, rights: 0, floor: 0, complete: 0)

    /// The greatest sequence number in the token. The generation is excluded. The records of a zone have greater
    /// sequence numbers than its generation, and the generation of the public zone is not a sequence number.
    var newest: Int64 { max(sequence, rights, floor) }

    /// Returns whether tombstones have been deleted that the client has not received.
    func hasMissed(purged: Int64) -> Bool {
        purged > max(sequence, floor)
    }

    /// Returns the token as a sealed text for the client.
    ///
    /// The text also has the epoch in which it is sealed. Another copy of the file gives the same sequence numbers to
    /// other changes, and the epoch distinguishes them. The token itself has none: each write may begin an epoch, and a
    /// token that moves on would keep an older one.
    ///
    /// The plain text has seven integers, each 8 bytes:
    ///
    /// ```text
    /// generation  sequence  rights  floor  random  epoch  complete
    /// ```
    ///
    /// The random number makes each text different, even for the same position. Otherwise a client could detect writes
    /// to records that it may not read by comparing texts. Tokens of older versions end after `floor`, `random` or
    /// `epoch`.
    func sealed(zone: ZoneID, caller: Caller, by reader: RecordReader) -> String {
        sealed(context: Self.context(zone, caller), by: reader)
    }

    /// Returns the token as a sealed text for a context, such as a caller and the zones of a database.
    func sealed(context: [Int64], by reader: RecordReader) -> String {
        SealedPosition.seal(
            [generation, sequence, rights, floor, Int64.random(in: .min ... .max), reader.store.epoch, complete],
            context: context, with: reader.database.keys.syncTokens)
    }

    /// Opens a token from its sealed text.
    ///
    /// - Throws: BAD_REQUEST with cause TOKEN_INVALID for a token of another caller or zone, with cause TOKEN_EXPIRED
    ///   for a token of a lost state of the database.
    static func open(
        _ text: String, zone: ZoneID, caller: Caller, by reader: RecordReader
    ) throws(RecordError) -> SyncToken {
        guard let token = try open(text, context: context(zone, caller), by: reader) else {
            throw .badRequest(
                "The sync token does not belong to this caller and zone. Read the feed from its beginning",
                cause: .tokenInvalid)
        }
        return token
    }

    /// Opens a token from its sealed text; `nil` unless the token was sealed for the same context.
    ///
    /// - Throws: BAD_REQUEST with cause TOKEN_EXPIRED if another copy of the file issued the token: in an epoch that
    ///   this file does not know, or with numbers beyond the end of an epoch.
    static func open(_ text: String, context: [Int64], by reader: RecordReader) throws(RecordError) -> SyncToken? {
        let keys = reader.database.keys.syncTokens
        guard let numbers = SealedPosition.open(text, counts: 4...7, context: context, with: keys) else { return nil }
        let token = SyncToken(
            generation: numbers[0], sequence: numbers[1], rights: numbers[2], floor: numbers[3],
            complete: numbers.count > 6 ? numbers[6] : 0)
        let epoch = numbers.count > 5 ? numbers[5] : EpochTable.before
        guard let last = try reader.store.lastNumber(of: epoch), token.newest <= last else { throw .tokenOfLostState }
        return token
    }

    private static func context(_ zone: ZoneID, _ caller: Caller) -> [Int64] {
        [2, zone.rawValue, caller.identityID.rawValue]
    }
}
