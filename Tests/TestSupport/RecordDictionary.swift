package import RecordModel
internal import RecordWire

/// A record of a response, decoded with the client's decoder.
package struct RecordDictionary: Hashable, Sendable {
    package var recordName: RecordName
    /// Absent in CloudKit's tombstones.
    package var recordType: RecordTypeName?
    package var fields: [String: FieldValue] = [:]
    package var recordChangeTag: String?
    /// The creation time, in milliseconds since 1970-01-01 UTC, and the creator.
    package var created: Moment?
    /// The time and the user of the last change.
    package var modified: Moment?
    package var deleted: Bool

    /// A time and a user.
    package struct Moment: Hashable, Sendable {
        package var timestamp: Int64
        package var userRecordName: String
    }

    /// Reads a record dictionary.
    ///
    /// - Throws: `BAD_REQUEST` if it is malformed, an error, without a name, or if a field has no value of its type.
    package static func decode(_ bytes: [UInt8]) throws(RecordError) -> RecordDictionary {
        try bytes.withUnsafeBufferPointer { buffer throws(RecordError) -> RecordDictionary in
            var scanner = RecordScanner(UnsafeRawBufferPointer(buffer))
            do throws(JSONError) { try scanner.readDocument() } catch { throw malformed(error) }
            return try RecordDictionary(&scanner)
        }
    }

    /// Reads the records of a response, `{"records":[…]}`.
    package static func decodeList(_ bytes: [UInt8]) throws(RecordError) -> [RecordDictionary] {
        try bytes.withUnsafeBufferPointer { buffer throws(RecordError) -> [RecordDictionary] in
            var records: [RecordDictionary] = []
            _ = try RecordScanner.readResponse(
                UnsafeRawBufferPointer(buffer), list: "records", malformed: malformed
            ) { scanner throws(RecordError) in records.append(try RecordDictionary(&scanner)) }
            return records
        }
    }

    private static func malformed(_ error: JSONError) -> RecordError {
        .badRequest(error.reason, details: [("offset", .number(Int64(error.offset)))])
    }

    private init(_ scanner: inout RecordScanner) throws(RecordError) {
        let head = scanner.head
        guard head.error == nil else { throw .badRequest("An error stands in the record's place") }
        guard let name = RecordName(head.recordName) else { throw .badRequest("A record needs a recordName") }
        recordName = name
        recordType = head.recordType.flatMap(RecordTypeName.init)
        recordChangeTag = head.recordChangeTag
        created = head.created.map { Moment(timestamp: $0.timestamp, userRecordName: $0.userRecordName) }
        modified = head.modified.map { Moment(timestamp: $0.timestamp, userRecordName: $0.userRecordName) }
        deleted = head.deleted
        var values = scanner.fields
        for field in values.names {
            guard let index = values.find(field), let value = values.value(of: index) else {
                throw .badRequest("Field '\(field)' has no value of its type")
            }
            fields[field] = Self.lasting(value)
        }
    }

    /// A value without the addresses of its files, which differ in each response.
    private static func lasting(_ value: FieldValue) -> FieldValue {
        switch value {
        case .asset(var asset):
            asset.downloadURL = nil
            return .asset(asset)
        case .list(.asset, let members): return .list(element: .asset, members.map(lasting))
        default: return value
        }
    }
}
