internal import RecordModel
internal import RecordWire

/// The stored body of a response for an idempotency key: the response's text, and the state of each record in the
/// response.
///
/// The stored form is a sequence of parts. Numbers and lengths are unsigned LEB128 (1 to 10 bytes). `len` is the length
/// of the next item in bytes:
///
/// ```text
/// part          kind (1 byte), then
/// text          1, len, bytes
/// record        2 (3 with an access list), id, creator, revision, sequence,
///               len, type name, len, record name, len, JSON
/// serverRecord  4, len, record name
/// opening       5
/// notices       6, len, bytes
/// ```
struct ResponseOutline {
    enum Part: Hashable {
        /// The position of a list's opening text, which depends on the protocol. All other parts are members of the
        /// list.
        case opening
        /// Text that is repeated unchanged.
        case text(ArraySlice<UInt8>)
        case record(StoredResponseRecord)
        /// The `serverRecord` of an error: the record that failed a precondition, if the caller may read it.
        case serverRecord(name: String)
        /// The notices of a batch.
        case notices(ArraySlice<UInt8>)
    }

    var parts: [Part] = []

    /// The state of a record in a response.
    struct StoredResponseRecord: Hashable {
        var id: RecordNumber
        var creator: UserID
        /// Whether the record had an access list.
        var hasAccessList: Bool
        var revision: Int64
        /// The sequence number of the record's last change before the response.
        var sequence: Int64
        var typeName: String
        var name: String
        /// The JSON of the record in the response; empty if the JSON is not stored.
        var json: ArraySlice<UInt8> = []
    }

    /// - Parameter shown: The byte ranges of records in the response's list, in order.
    init(_ response: WriteResponse, _ shown: [ShownRecord]) {
        if !response.document.isEmpty { parts.append(.text(response.document[...])) }
        if response.outcome == .batch { parts.append(.opening) }
        let body = response.records.json
        let keepsRecords = response.records.bytes <= Limits.storedResponseBytes
        var position = response.records.start
        for place in shown {
            if place.range.lowerBound > position { parts.append(.text(body[position..<place.range.lowerBound])) }
            position = place.range.upperBound
            switch place.part {
            case .record(var record):
                if keepsRecords { record.json = body[place.range] }
                parts.append(.record(record))
            case .serverRecord, .text, .opening, .notices: parts.append(place.part)
            }
        }
        if position < body.count { parts.append(.text(body[position...])) }
        if response.outcome == .batch, !response.notices.isEmpty { parts.append(.notices(response.notices[...])) }
    }

    // MARK: Stored form

    private static let text: UInt8 = 1
    private static let record: UInt8 = 2
    private static let listedRecord: UInt8 = 3
    private static let serverRecord: UInt8 = 4
    private static let opening: UInt8 = 5
    private static let notices: UInt8 = 6

    /// The stored form.
    var bytes: [UInt8] {
        var bytes: [UInt8] = []
        for part in parts {
            switch part {
            case .opening: bytes.append(Self.opening)
            case .notices(let notices):
                bytes.append(Self.notices)
                Self.append(notices, to: &bytes)
            case .text(let text):
                bytes.append(Self.text)
                Self.append(text, to: &bytes)
            case .record(let record):
                bytes.append(record.hasAccessList ? Self.listedRecord : Self.record)
                for number in [record.id.rawValue, record.creator.rawValue, record.revision, record.sequence] {
                    Self.append(UInt64(bitPattern: number), to: &bytes)
                }
                Self.append(record.typeName.utf8, to: &bytes)
                Self.append(record.name.utf8, to: &bytes)
                Self.append(record.json, to: &bytes)
            case .serverRecord(let name):
                bytes.append(Self.serverRecord)
                Self.append(name.utf8, to: &bytes)
            }
        }
        return bytes
    }

    /// Parses the stored form; `nil` if the stored form is malformed.
    init?(_ bytes: [UInt8]) {
        var left = bytes[...]
        while let kind = left.popFirst() {
            switch kind {
            case Self.opening: parts.append(.opening)
            case Self.notices:
                guard let notices = Self.bytes(&left) else { return nil }
                parts.append(.notices(notices))
            case Self.text:
                guard let text = Self.bytes(&left) else { return nil }
                parts.append(.text(text))
            case Self.record, Self.listedRecord:
                guard let id = Self.number(&left), let creator = Self.number(&left),
                    let revision = Self.number(&left), let sequence = Self.number(&left),
                    let typeName = Self.bytes(&left), let name = Self.bytes(&left), let json = Self.bytes(&left)
                else { return nil }
                parts.append(
                    .record(
                        StoredResponseRecord(
                            id: RecordNumber(rawValue: Int64(bitPattern: id)),
                            creator: UserID(rawValue: Int64(bitPattern: creator)),
                            hasAccessList: kind == Self.listedRecord, revision: Int64(bitPattern: revision),
                            sequence: Int64(bitPattern: sequence), typeName: String(decoding: typeName, as: UTF8.self),
                            name: String(decoding: name, as: UTF8.self), json: json)))
            case Self.serverRecord:
                guard let name = Self.bytes(&left) else { return nil }
                parts.append(.serverRecord(name: String(decoding: name, as: UTF8.self)))
            default: return nil
            }
        }
    }

    private static func append(_ number: UInt64, to bytes: inout [UInt8]) {
        var rest = number
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(rest))
    }

    private static func append(_ text: some Collection<UInt8>, to bytes: inout [UInt8]) {
        append(UInt64(text.count), to: &bytes)
        bytes.append(contentsOf: text)
    }

    private static func number(_ bytes: inout ArraySlice<UInt8>) -> UInt64? {
        var number: UInt64 = 0
        for shift in stride(from: 0, to: 64, by: 7) {
            guard let byte = bytes.popFirst() else { return nil }
            number |= UInt64(byte & 0x7F) << UInt64(shift)
            if byte < 0x80 { return number }
        }
        return nil
    }

    private static func bytes(_ bytes: inout ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        guard let length = number(&bytes), length <= bytes.count else { return nil }
        defer { bytes.removeFirst(Int(length)) }
        return bytes.prefix(Int(length))
    }
}

/// The range of a record in a response that is being built.
struct ShownRecord {
    var range: Range<Int>
    var part: ResponseOutline.Part
}
