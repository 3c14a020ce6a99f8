package import RecordModel

/// The time and user of a creation or change in a request: `{"timestamp":…,"userRecordName":…}`.
package struct RecordStamp: Hashable, Sendable {
    /// The time in milliseconds since 1970-01-01 UTC; `nil` if the request contains none.
    package var timestamp: Int64?
    /// The record name of the user; `nil` if the request contains none.
    package var userRecordName: String?
}

extension RecordInput {
    /// Whether the record contains `created` or `modified`.
    package var hasStamps: Bool { created != nil || modified != nil }

    /// Reads `created` or `modified`. A `deviceID` is ignored.
    ///
    /// - Parameter key: `created` or `modified`, for error messages.
    /// - Throws: `BAD_REQUEST` if the value is malformed.
    package func stamp(_ token: JSONToken, _ key: String) throws(RecordError) -> RecordStamp {
        try body.withUnsafeBufferPointer { buffer throws(RecordError) in
            var stamp = RecordStamp()
            let json = JSONReader(UnsafeRawBufferPointer(buffer))
            var reader = try RequestReader(json, at: token)
            var keys = JSONKeySet()
            try reader.enterObject("'created' and 'modified'")
            while let member = try reader.nextKey(&keys) {
                let value = try reader.value()
                if json.string(member, is: "timestamp"), value.kind != .null {
                    do throws(ValueMismatch) {
                        stamp.timestamp = try CanonicalValue.timestamp(value, of: json)
                    } catch {
                        throw error.error(field: "\(key).timestamp", expected: .timestamp)
                    }
                } else if json.string(member, is: "userRecordName"), value.kind != .null {
                    guard value.isString else {
                        throw .badRequest(
                            "'\(key).userRecordName' is the record name of a user, a string",
                            details: [("path", .text("\(key).userRecordName"))])
                    }
                    stamp.userRecordName = json.string(value)
                } else if !["timestamp", "userRecordName", "deviceID"].contains(json.string(member)) {
                    let name = json.string(member).prefix(64)
                    throw .badRequest(
                        "'\(key)' has the keys timestamp, userRecordName and deviceID, and no '\(name)'",
                        cause: .unknownName, details: [("path", .text("\(key).\(name)"))])
                }
            }
            return stamp
        }
    }
}

extension PreservedMetadata {
    /// Parses a list such as `["created","modified"]`.
    ///
    /// - Throws: `BAD_REQUEST` for other words.
    package init(words: [String]) throws(RecordError) {
        self = []
        for word in words {
            switch word {
            case "created": insert(.created)
            case "modified": insert(.modified)
            default:
                throw .badRequest(
                    "'preserve' names 'created', 'modified' or both",
                    details: [("parameter", .text("preserve")), ("found", .text(String(word.prefix(64))))])
            }
        }
    }
}
