internal import Cryptography
internal import Encodings
internal import RecordModel

/// Where a page of a query ended, sealed for its caller and query: the values of the sort there, the internal id, and
/// the moment that `now()` means on all pages.
struct QueryCursor: Hashable {
    var place: QueryPlace
    /// Milliseconds since 1970.
    var now: Int64

    /// What a cursor belongs to: another caller's, or that of another query, type or zone, does not open.
    struct Binding {
        let zone: ZoneID
        let type: TypeID
        let caller: Caller
        /// The query without what differs between its pages.
        let identity: [UInt8]

        var context: [UInt8] {
            var context: [UInt8] = []
            for number in [3, zone.rawValue, type.rawValue, caller.identityID.rawValue] { append(number, to: &context) }
            context.append(contentsOf: SHA256.hash(identity).bytes)
            return context
        }
    }

    func seal(_ binding: Binding, with keys: DatabaseKeys) -> String {
        var plain: [UInt8] = []
        append(now, to: &plain)
        append(place.record.rawValue, to: &plain)
        plain.append(contentsOf: place.key)
        return Base64.encode(keys.cursors.seal(plain, context: binding.context))
    }

    /// - Throws: TOKEN_INVALID for anything that `seal` did not make for the same binding.
    static func open(_ text: String, _ binding: Binding, with keys: DatabaseKeys) throws(RecordError) -> QueryCursor {
        guard text.utf8.count <= maxTextBytes, let sealed = Base64.decode(text),
            let plain = keys.cursors.open(sealed, context: binding.context), plain.count >= 16
        else { throw .cursorRejected }
        return QueryCursor(
            place: QueryPlace(key: Array(plain[16...]), record: RecordNumber(rawValue: number(plain[8..<16]))),
            now: number(plain[..<8]))
    }

    /// Eight columns of texts, each byte of which may take two in a key, as base64.
    private static let maxTextBytes = 24_000

    private static func number(_ bytes: ArraySlice<UInt8>) -> Int64 {
        bytes.reduce(0) { $0 << 8 | Int64($1) }
    }
}

private func append(_ number: Int64, to bytes: inout [UInt8]) {
    withUnsafeBytes(of: number.bigEndian) { bytes.append(contentsOf: $0) }
}

extension RecordError {
    static let cursorRejected = RecordError.badRequest(
        "The cursor does not belong to this caller and query. Ask for the first page again", cause: .tokenInvalid)
}
