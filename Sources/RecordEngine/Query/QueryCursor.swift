internal import Cryptography
internal import Encodings
internal import RecordModel

/// The position where a page of a query ended, sealed for its caller and query. The cursor's string is the base64 of
/// these bytes after sealing (widths in bytes):
///
/// ```
/// | now: 8 | record: 8 | shape: 8 | count of numbers: 2 | number: 8 … | key: rest |    big-endian
/// ```
///
/// `QueryPosition.key` is the values of the sort. The numbers are those of `Ranking`, in a query that sorts by rank.
struct QueryCursor: Hashable {
    var position: QueryPosition
    /// The value of `now()` on all pages. Milliseconds since 1970.
    var now: Int64
    /// `QueryOrder.shape` of the page. A page with another shape would misread the position.
    var shape: Int64 = 0
    /// The numbers of the ranking; empty for a query that does not sort by rank.
    var ranking: [Double] = []

    /// The context that a cursor is sealed for. A cursor cannot be opened for another caller, query, type or zone. The
    /// authenticated context (widths in bytes):
    ///
    /// ```
    /// | 5: 8 | zone: 8 | type: 8 | caller: 8 | SHA-256 of the identity: 32 |    big-endian
    /// ```
    struct Binding {
        let zone: ZoneID
        let type: TypeID
        let caller: Caller
        /// The query without the options that differ between its pages (`QueryInput.identity`).
        let identity: [UInt8]

        var context: [UInt8] {
            var context: [UInt8] = []
            for number in [5, zone.rawValue, type.rawValue, caller.identityID.rawValue] { append(number, to: &context) }
            context.append(contentsOf: SHA256.hash(identity).bytes)
            return context
        }
    }

    /// Returns the cursor as a string for the client.
    func seal(_ binding: Binding, with keys: DatabaseKeys) -> String {
        var plain: [UInt8] = []
        append(now, to: &plain)
        append(position.record.rawValue, to: &plain)
        append(shape, to: &plain)
        withUnsafeBytes(of: UInt16(ranking.count).bigEndian) { plain.append(contentsOf: $0) }
        for number in ranking { append(Int64(bitPattern: number.bitPattern), to: &plain) }
        plain.append(contentsOf: position.key)
        return Base64.encode(keys.cursors.seal(plain, context: binding.context))
    }

    /// Opens a cursor from its string.
    ///
    /// - Throws: BAD_REQUEST with cause TOKEN_INVALID for a string that `seal` did not make for the same binding.
    static func open(_ text: String, _ binding: Binding, with keys: DatabaseKeys) throws(RecordError) -> QueryCursor {
        guard text.utf8.count <= maxTextBytes, let sealed = Base64.decode(text),
            let plain = keys.cursors.open(sealed, context: binding.context), plain.count >= 26
        else { throw .cursorRejected }
        let count = Int(plain[24]) << 8 | Int(plain[25])
        let start = 26 + count * 8
        guard plain.count >= start else { throw .cursorRejected }
        let numbers = (0..<count).map { place in
            Double(bitPattern: UInt64(bitPattern: number(plain[(26 + place * 8)..<(34 + place * 8)])))
        }
        return QueryCursor(
            position: QueryPosition(key: Array(plain[start...]), record: RecordNumber(rawValue: number(plain[8..<16]))),
            now: number(plain[..<8]), shape: number(plain[16..<24]), ranking: numbers)
    }

    /// The maximum length of a cursor in base64 characters: eight text columns. Escaping in a key can double each byte
    /// of text.
    private static let maxTextBytes = 24_000

    private static func number(_ bytes: ArraySlice<UInt8>) -> Int64 {
        bytes.reduce(0) { $0 << 8 | Int64($1) }
    }
}

private func append(_ number: Int64, to bytes: inout [UInt8]) {
    withUnsafeBytes(of: number.bigEndian) { bytes.append(contentsOf: $0) }
}

extension RecordError {
    static let twoCursors = RecordError.badRequest(
        "A page starts after 'cursor' or ends before 'before'. Give one of them", details: [("path", .text("before"))])

    static let cursorRejected = RecordError.badRequest(
        "The cursor does not belong to this caller and query. Ask for the first page again", cause: .tokenInvalid)
}
