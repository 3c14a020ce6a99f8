internal import Cryptography
internal import Encodings
internal import RecordModel
internal import RecordStorage
internal import Threads

/// Positions that clients store for the server. The server encrypts and authenticates them.
///
/// The plain text is a sequence of 8-byte big-endian integers. The text for the client is the plain text after sealing
/// (`Seal`), in base64. The same integers and context give the same text.
enum SealedPosition {
    /// Seals integers for a context, such as a caller and a zone.
    static func seal(_ numbers: [Int64], context: [Int64], with seal: Seal) -> String {
        Base64.encode(seal.seal(bytes(numbers), context: bytes(context)))
    }

    /// Opens a text; `nil` unless `seal` made the text for the same context.
    ///
    /// - Parameter counts: The allowed lengths of the sequence of integers.
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

    static func bytes(_ numbers: [Int64]) -> [UInt8] {
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

/// The cursor of a listing. It contains the number of the page's last record, sealed.
enum ListingCursor {
    /// The context that a cursor is sealed for. The cursor cannot be opened for another caller, type or zone.
    struct Binding {
        let zone: ZoneID
        let type: TypeID
        let caller: Caller

        var context: [Int64] { [1, zone.rawValue, type.rawValue, caller.identityID.rawValue] }
    }

    /// Returns the cursor of the page after a record.
    static func seal(_ id: RecordNumber, _ binding: Binding, with keys: DatabaseKeys) -> String {
        SealedPosition.seal([id.rawValue], context: binding.context, with: keys.cursors)
    }

    /// Opens a cursor and returns the number of the record in it.
    ///
    /// - Throws: BAD_REQUEST with cause TOKEN_INVALID for a cursor of another listing.
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
