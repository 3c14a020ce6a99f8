internal import Cryptography
internal import Encodings
internal import RecordModel
internal import RecordStorage
internal import Threads

/// Positions that clients carry for the server: encrypted and authenticated, so that they tell nothing and cannot be
/// made up. One list of numbers is one text.
enum SealedPosition {
    /// Seals numbers for one context.
    static func seal(_ numbers: [Int64], context: [Int64], with seal: Seal) -> String {
        Base64.encode(seal.seal(bytes(numbers), context: bytes(context)))
    }

    /// Opens what `seal` made for the same context; `nil` for anything else.
    ///
    /// - Parameter counts: How many numbers there may be.
    static func open(
        _ text: String, counts: ClosedRange<Int>, context: [Int64], with seal: Seal
    ) -> [Int64]? {
        guard text.utf8.count <= 256, let sealed = Base64.decode(text),
            let plain = seal.open(sealed, context: bytes(context)), plain.count % 8 == 0,
            counts.contains(plain.count / 8)
        else { return nil }
        return (0..<plain.count / 8).map { index in
            plain[index * 8..<index * 8 + 8].reduce(0) { $0 << 8 | Int64($1) }
        }
    }

    private static func bytes(_ numbers: [Int64]) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(numbers.count * 8)
        for number in numbers {
            for shift in stride(from: 56, through: 0, by: -8) {
                bytes.append(UInt8(truncatingIfNeeded: number >> Int64(shift)))
            }
        }
        return bytes
    }
}

/// Where a page of a listing ended: the internal id of its last record.
enum ListingCursor {
    /// What a cursor belongs to: another caller's, or one of another type or zone, does not open.
    struct Binding {
        let zone: ZoneID
        let type: TypeID
        let caller: Caller

        var context: [Int64] { [1, zone.rawValue, type.rawValue, caller.identityID.rawValue] }
    }

    static func seal(_ id: RecordNumber, _ binding: Binding, with keys: DatabaseKeys) -> String {
        SealedPosition.seal([id.rawValue], context: binding.context, with: keys.cursors)
    }

    static func open(
        _ text: String, _ binding: Binding, with keys: DatabaseKeys
    ) throws(RecordError) -> RecordNumber {
        guard
            let numbers = SealedPosition.open(text, counts: 1...1, context: binding.context, with: keys.cursors)
        else {
            throw .badRequest(
                "The cursor does not belong to this caller and query. Ask for the first page again",
                cause: .tokenInvalid)
        }
        return RecordNumber(rawValue: numbers[0])
    }
}

/// A position in a zone's change feed.
struct SyncToken: Hashable {
    /// The generation of the zone: one that was made anew has other tokens.
    var generation: Int64
    /// The sequence number of the last change seen.
    var sequence: Int64
    /// When the caller's rights last changed: what it could see before may differ from what it sees now.
    var rights: Int64
    /// Up to where tombstones were gone when the client began to read: what it cannot have missed.
    var floor: Int64
    /// The opening of the file in which it was given: another copy of the file has given the same numbers to other changes.
    var epoch: Int64
    /// The number up to which nothing is missing: that of the last page behind which nothing was coming. What lies between
    /// this and `sequence` may have been elsewhere in the feed when the client passed.
    var complete: Int64

    /// The greatest of its sequence numbers, but for the generation: records of a zone come after it, and the public one,
    /// which is there from the beginning, bears a number that nothing was given.
    var newest: Int64 { max(sequence, rights, floor) }

    /// Whether tombstones that the client has not seen are gone.
    func hasMissed(purged: Int64) -> Bool {
        purged > max(sequence, floor)
    }

    /// Each text is another, also for the same position: who could compare them would learn that records were written
    /// which it may not read.
    static func seal(
        _ token: SyncToken, zone: ZoneID, caller: Caller, with keys: DatabaseKeys
    ) -> String {
        SealedPosition.seal(
            [
                token.generation, token.sequence, token.rights, token.floor, Int64.random(in: .min ... .max),
                token.epoch, token.complete,
            ],
            context: [2, zone.rawValue, caller.identityID.rawValue], with: keys.syncTokens)
    }

    static func open(
        _ text: String, zone: ZoneID, caller: Caller, with keys: DatabaseKeys
    ) throws(RecordError) -> SyncToken {
        guard
            let numbers = SealedPosition.open(
                text, counts: 4...7, context: [2, zone.rawValue, caller.identityID.rawValue], with: keys.syncTokens)
        else {
            throw .badRequest(
                "The sync token does not belong to this caller and zone. Read the feed from its beginning",
                cause: .tokenInvalid)
        }
        return SyncToken(
            generation: numbers[0], sequence: numbers[1], rights: numbers[2], floor: numbers[3],
            epoch: numbers.count > 5 ? numbers[5] : OpeningTable.before,
            complete: numbers.count > 6 ? numbers[6] : 0)
    }
}
