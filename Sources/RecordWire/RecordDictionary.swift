package import RecordModel

/// A record as an answer shows it, decoded: the client's side of the record dictionary.
package struct RecordDictionary: Hashable, Sendable {
    /// When and by whom.
    package struct Moment: Hashable, Sendable {
        /// Milliseconds since 1970-01-01 UTC.
        package var timestamp: Int64
        package var userRecordName: String
    }

    package var recordName: RecordName
    /// Absent in CloudKit's tombstones.
    package var recordType: RecordTypeName?
    package var fields: [String: FieldValue]
    package var recordChangeTag: String?
    package var created: Moment?
    package var modified: Moment?
    package var deleted: Bool

    /// Reads a record dictionary. Keys that it does not know are ignored; every field must have a type tag.
    ///
    /// - Throws: `BAD_REQUEST` if it is malformed.
    package static func decode(_ bytes: [UInt8]) throws(RecordError) -> RecordDictionary {
        try bytes.withUnsafeBufferPointer { buffer throws(RecordError) -> RecordDictionary in
            var reader = try RequestReader(UnsafeRawBufferPointer(buffer))
            let record = try RecordDictionary(reading: &reader)
            try reader.finish()
            return record
        }
    }

    /// Reads the records of an answer, `{"records":[…]}`; an item with `serverErrorCode` is refused.
    package static func decodeList(_ bytes: [UInt8]) throws(RecordError) -> [RecordDictionary] {
        try bytes.withUnsafeBufferPointer { buffer throws(RecordError) -> [RecordDictionary] in
            var reader = try RequestReader(UnsafeRawBufferPointer(buffer))
            var records: [RecordDictionary] = []
            var keys = JSONKeySet()
            try reader.enterObject("The answer")
            while let key = try reader.nextKey(&keys) {
                guard reader.json.string(key, is: "records"), reader.json.next == UInt8(ascii: "[") else {
                    _ = try reader.value()
                    continue
                }
                try reader.enterList()
                var isFirst = true
                while try reader.nextElement(&isFirst) { records.append(try RecordDictionary(reading: &reader)) }
            }
            try reader.finish()
            return records
        }
    }

    private init(reading reader: inout RequestReader) throws(RecordError) {
        let start = reader.json.position
        var name: RecordName?
        fields = [:]
        deleted = false
        var keys = JSONKeySet()
        try reader.enterObject("A record")
        while let key = try reader.nextKey(&keys) {
            if reader.json.string(key, is: "recordName") {
                name = try reader.recordName()
            } else if reader.json.string(key, is: "recordType") {
                recordType = try reader.recordTypeName()
            } else if reader.json.string(key, is: "recordChangeTag") {
                recordChangeTag = try reader.optionalString("recordChangeTag")
            } else if reader.json.string(key, is: "deleted") {
                deleted = try reader.value().kind == .trueWord
            } else if reader.json.string(key, is: "created") {
                created = try Self.moment(&reader)
            } else if reader.json.string(key, is: "modified") {
                modified = try Self.moment(&reader)
            } else if reader.json.string(key, is: "fields") {
                for input in try reader.fields() { fields[input.name] = try Self.value(input, reader.json) }
            } else {
                _ = try reader.value()
            }
        }
        guard let name else {
            throw .badRequest("A record needs a recordName", details: [("offset", .number(Int64(start)))])
        }
        recordName = name
    }

    private static func value(_ input: FieldInput, _ json: JSONReader) throws(RecordError) -> FieldValue? {
        guard case .value(let token) = input.form else { return nil }
        guard case .type(let type)? = input.tag else {
            throw .badRequest("Field '\(input.name)' has no type", details: [("offset", .number(Int64(input.offset)))])
        }
        do throws(ValueMismatch) {
            return try CanonicalValue.decode(token, of: json, as: type)
        } catch {
            throw error.error(field: input.name, expected: type)
        }
    }

    private static func moment(_ reader: inout RequestReader) throws(RecordError) -> Moment? {
        let token = try reader.value()
        var object = JSONReader(reader.json.bytes, at: token)
        guard let members = try? JSONValue.read(&object), let timestamp = members["timestamp"]?.integer,
            let user = members["userRecordName"]?.string
        else { return nil }
        return Moment(timestamp: timestamp, userRecordName: user)
    }
}
