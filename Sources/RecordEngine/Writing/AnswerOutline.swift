internal import RecordModel
internal import RecordWire

/// What is remembered of an answer's body: its text, and in place of each record which one it was.
///
/// Stored as parts behind each other, each with its kind in a byte; numbers and lengths are unsigned LEB128.
struct AnswerOutline {
    enum Part: Hashable {
        /// Where the opening of a list was, which is the protocol's: the other parts are members.
        case opening
        /// As it is.
        case text(ArraySlice<UInt8>)
        case record(RememberedRecord)
        /// In an error: the record that a condition met, if the caller may read it.
        case serverRecord(name: String)
        /// What a batch told besides its records.
        case notices(ArraySlice<UInt8>)
    }

    var parts: [Part] = []

    /// A record as an answer showed it.
    struct RememberedRecord: Hashable {
        var id: RecordNumber
        var creator: UserID
        /// Whether it had an access list.
        var isGuarded: Bool
        var revision: Int64
        /// The number of the last change when it was written.
        var sequence: Int64
        var typeName: String
        var name: String
        /// As it was shown; empty if that is not remembered.
        var json: ArraySlice<UInt8> = []
    }

    /// - Parameter shown: Where records stand in the answer's list, in order.
    init(_ answer: WriteAnswer, _ shown: [ShownRecord]) {
        if !answer.document.isEmpty { parts.append(.text(answer.document[...])) }
        if answer.outcome == .batch { parts.append(.opening) }
        let body = answer.records.json
        let keepsRecords = answer.records.bytes <= Limits.rememberedAnswerBytes
        var position = answer.records.start
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
        if answer.outcome == .batch, !answer.notices.isEmpty { parts.append(.notices(answer.notices[...])) }
    }

    // MARK: Stored form

    private static let text: UInt8 = 1
    private static let record: UInt8 = 2
    private static let guardedRecord: UInt8 = 3
    private static let serverRecord: UInt8 = 4
    private static let opening: UInt8 = 5
    private static let notices: UInt8 = 6

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
                bytes.append(record.isGuarded ? Self.guardedRecord : Self.record)
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

    /// Reads the stored form; `nil` for what it cannot be.
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
            case Self.record, Self.guardedRecord:
                guard let id = Self.number(&left), let creator = Self.number(&left),
                    let revision = Self.number(&left), let sequence = Self.number(&left),
                    let typeName = Self.bytes(&left), let name = Self.bytes(&left), let json = Self.bytes(&left)
                else { return nil }
                parts.append(
                    .record(
                        RememberedRecord(
                            id: RecordNumber(rawValue: Int64(bitPattern: id)),
                            creator: UserID(rawValue: Int64(bitPattern: creator)),
                            isGuarded: kind == Self.guardedRecord, revision: Int64(bitPattern: revision),
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

/// Where a record stands in an answer that is being made.
struct ShownRecord {
    var range: Range<Int>
    var part: AnswerOutline.Part
}
