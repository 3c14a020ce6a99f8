/// A parser of the record dictionaries in a response, the client's counterpart of `RecordComposer`. The parser builds
/// no tree: the parts of a record remain ranges of the response until the caller requests a value.
///
/// One scanner reads all records of a page, so that its list of fields is allocated only once. If a key occurs twice,
/// the first occurrence counts. Servers write no key twice.
package struct RecordScanner {
    /// The members of a record dictionary other than the fields.
    package struct Head: Hashable, Sendable {
        /// The record name.
        package var recordName = ""
        /// The record type. CloudKit's tombstones have none.
        package var recordType: String?
        /// The change tag.
        package var recordChangeTag: String?
        /// The time and user of the creation.
        package var created: Moment?
        /// The time and user of the last change.
        package var modified: Moment?
        /// Whether the record is deleted.
        package var deleted = false
        /// The access list; `nil` if the caller may not see it.
        package var access: JSONValue?
        /// The name of the record's parent; `nil` for none, and for one that the caller may not read.
        package var parent: String?
        /// The name of the share whose hierarchy begins with the record; `nil` for none.
        package var share: String?
        /// The error that a response to a batch contains instead of a record.
        package var error: JSONValue?
    }

    /// A time and a user.
    package struct Moment: Hashable, Sendable {
        /// The time in milliseconds since 1970-01-01 UTC.
        package var timestamp: Int64
        /// The record name of the user.
        package var userRecordName: String
    }

    var json: JSONReader
    /// The members of the current record other than the fields.
    package private(set) var head = Head()
    /// The fields of the current record.
    package private(set) var fields: FieldScanner

    /// Creates a scanner of a response. The bytes must stay valid while the scanner is used.
    package init(_ bytes: UnsafeRawBufferPointer) {
        json = JSONReader(bytes)
        fields = FieldScanner(json)
    }

    /// Returns the head of the current record and clears it in the scanner.
    package mutating func takeHead() -> Head {
        var taken = Head()
        swap(&taken, &head)
        return taken
    }

    /// Reads a whole document that is one record.
    ///
    /// - Throws: `JSONError` if the document is malformed.
    package mutating func readDocument() throws(JSONError) {
        try json.beginDocument()
        try readRecord()
        try json.endDocument()
    }

    /// Reads the object at the current position as a record or an error.
    ///
    /// - Throws: `JSONError` if the object is malformed.
    package mutating func readRecord() throws(JSONError) {
        head = Head()
        fields.removeAll()
        guard json.next == UInt8(ascii: "{") else { throw JSONError("a record was expected", at: json.position) }
        let start = json.position
        var isError = false
        var isFirst = true
        try json.enter()
        while let key = try json.nextKey(&isFirst) {
            if json.string(key, is: "fields") {
                try readFields()
            } else if json.string(key, is: "created") {
                head.created = try moment(like: nil)
            } else if json.string(key, is: "modified") {
                head.modified = try moment(like: head.created)
            } else {
                isError = try readMember(key) || isError
            }
        }
        if isError {
            head.error = try tree(JSONToken(kind: .object, start: start, end: json.position))
        }
    }

    /// Reads a small member of a record.
    ///
    /// - Returns: Whether the member marks the object as an error.
    private mutating func readMember(_ key: JSONToken) throws(JSONError) -> Bool {
        let token = try json.value()
        if json.string(key, is: "recordName") {
            head.recordName = text(token) ?? ""
        } else if json.string(key, is: "recordType") {
            head.recordType = text(token)
        } else if json.string(key, is: "recordChangeTag") {
            head.recordChangeTag = text(token)
        } else if json.string(key, is: "deleted") {
            head.deleted = token.kind == .trueWord
        } else if json.string(key, is: "acl") {
            head.access = try tree(token)
        } else if json.string(key, is: "parent") {
            head.parent = try tree(token)["recordName"]?.string
        } else if json.string(key, is: "share") {
            head.share = try tree(token)["recordName"]?.string
        } else {
            return json.string(key, is: "serverErrorCode")
        }
        return false
    }

    private mutating func readFields() throws(JSONError) {
        guard json.next == UInt8(ascii: "{") else { throw JSONError("an object was expected", at: json.position) }
        var isFirst = true
        try json.enter()
        while let name = try json.nextKey(&isFirst) {
            if try !readPlainField(name) { try readField(name) }
        }
    }

    /// Reads a field in the form that Fogbase writes: `{"value":…,"type":"…"}`.
    ///
    /// - Returns: False, with nothing consumed, if the field has another form.
    @inline(__always)
    private mutating func readPlainField(_ name: JSONToken) throws(JSONError) -> Bool {
        let start = json.position
        if json.skip("{\"value\":") {
            let value = try json.value()
            if json.skip(",\"type\":") {
                let tag = try json.value()
                if tag.kind == .string, json.skip("}") {
                    fields.append(name, value, tag)
                    return true
                }
            }
        }
        json.position = start
        return false
    }

    private mutating func readField(_ name: JSONToken) throws(JSONError) {
        guard json.next == UInt8(ascii: "{") else {
            guard try json.value().kind == .null else {
                throw JSONError("a field with value and type was expected", at: name.end)
            }
            return
        }
        var value: JSONToken?
        var tag: JSONToken?
        var isFirst = true
        try json.enter()
        while let part = try json.nextKey(&isFirst) {
            let token = try json.value()
            if json.string(part, is: "value") {
                value = token
            } else if json.string(part, is: "type") {
                tag = token
            }
        }
        if let value { fields.append(name, value, tag) }
    }

    private func text(_ token: JSONToken) -> String? {
        token.isString ? json.string(token) : nil
    }

    private func tree(_ token: JSONToken) throws(JSONError) -> JSONValue {
        var reader = JSONReader(json.bytes, at: token)
        return try JSONValue.read(&reader)
    }

    /// Reads a time and a user.
    ///
    /// - Parameter other: Another time and user of the record. If the user is the same, the existing string is reused.
    private mutating func moment(like other: Moment?) throws(JSONError) -> Moment? {
        let start = json.position
        // The form that Fogbase writes. The device is skipped.
        if json.skip("{\"timestamp\":") {
            let timestamp = try json.value()
            if json.skip(",\"userRecordName\":") {
                let user = try json.value()
                if json.skip(",\"deviceID\":\"2\"}") { return moment(timestamp, user, like: other) }
            }
        }
        json.position = start
        guard json.next == UInt8(ascii: "{") else {
            _ = try json.value()
            return nil
        }
        var timestamp: JSONToken?
        var user: JSONToken?
        var isFirst = true
        try json.enter()
        while let key = try json.nextKey(&isFirst) {
            let value = try json.value()
            if json.string(key, is: "timestamp") {
                timestamp = value
            } else if json.string(key, is: "userRecordName") {
                user = value
            }
        }
        return timestamp.flatMap { moment($0, user, like: other) }
    }

    @inline(__always)
    private func moment(_ timestamp: JSONToken, _ user: JSONToken?, like other: Moment?) -> Moment? {
        guard let milliseconds = json.int64(timestamp) else { return nil }
        guard let user, user.isString else { return Moment(timestamp: milliseconds, userRecordName: "") }
        var name = other?.userRecordName ?? ""
        let isSame = name.withUTF8 { json.string(user, is: UnsafeRawBufferPointer($0)) }
        return Moment(timestamp: milliseconds, userRecordName: isSame ? name : json.string(user))
    }
}

extension RecordScanner {
    /// Reads a response with a list of records, such as `{"records":[…],"cursor":"…"}`.
    ///
    /// - Parameters:
    ///   - list: The key of the list.
    ///   - malformed: Converts a JSON error to the caller's error type.
    ///   - each: Receives the scanner once for each record, in order.
    /// - Returns: The other members of the response.
    /// - Throws: The result of `malformed` if the JSON is malformed, and any error that `each` throws.
    package static func readResponse<Failure: Error>(
        _ bytes: UnsafeRawBufferPointer, list: StaticString, malformed: (JSONError) -> Failure,
        each: (inout RecordScanner) throws(Failure) -> Void
    ) throws(Failure) -> JSONObject {
        var scanner = RecordScanner(bytes)
        return try scanner.readResponse(list: list, malformed: malformed, each: each)
    }

    private mutating func readResponse<Failure: Error>(
        list: StaticString, malformed: (JSONError) -> Failure, each: (inout RecordScanner) throws(Failure) -> Void
    ) throws(Failure) -> JSONObject {
        /// Converts JSON errors to the caller's error type.
        func reading<Value>(
            _ scanner: inout RecordScanner, _ read: (inout RecordScanner) throws(JSONError) -> Value
        ) throws(Failure) -> Value {
            do { return try read(&scanner) } catch { throw malformed(error) }
        }
        var members = JSONObject()
        var keys = JSONKeySet()
        try reading(&self) { scanner throws(JSONError) in
            try scanner.json.beginDocument()
            guard scanner.json.next == UInt8(ascii: "{") else {
                throw JSONError("an object was expected", at: scanner.json.position)
            }
            try scanner.json.enter()
        }
        while let key = try reading(&self, { scanner throws(JSONError) in try scanner.json.nextKey(&keys) }) {
            guard json.string(key, is: list), json.next == UInt8(ascii: "[") else {
                members[json.string(key)] = try reading(&self) { scanner throws(JSONError) in
                    try JSONValue.read(&scanner.json)
                }
                continue
            }
            var isFirst = true
            try reading(&self) { scanner throws(JSONError) in try scanner.json.enter() }
            while try reading(&self, { scanner throws(JSONError) in try scanner.json.nextElement(&isFirst) }) {
                try reading(&self) { scanner throws(JSONError) in try scanner.readRecord() }
                try each(&self)
            }
        }
        try reading(&self) { scanner throws(JSONError) in try scanner.json.endDocument() }
        return members
    }
}
