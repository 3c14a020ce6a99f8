/// Reads record dictionaries from an answer: the client's side of `RecordComposer`. It builds no tree: the parts of a record
/// are ranges of the answer until somebody asks for a value.
///
/// One scanner reads all records of a page, so that its list of fields is allocated once. A key that stands twice counts as
/// it stands first: servers write none.
package struct RecordScanner {
    /// What a record says of itself besides its fields.
    package struct Head: Hashable, Sendable {
        package var recordName = ""
        /// Absent in CloudKit's tombstones.
        package var recordType: String?
        package var recordChangeTag: String?
        package var created: Moment?
        package var modified: Moment?
        package var deleted = false
        /// The access list, where the caller sees one.
        package var access: JSONValue?
        /// An error that stands in a record's place, as in a batch.
        package var error: JSONValue?
    }

    /// When, and by whom.
    package struct Moment: Hashable, Sendable {
        /// Milliseconds since 1970-01-01 UTC.
        package var timestamp: Int64
        package var userRecordName: String
    }

    var json: JSONReader
    package private(set) var head = Head()
    package private(set) var fields: FieldScanner

    package init(_ bytes: UnsafeRawBufferPointer) {
        json = JSONReader(bytes)
        fields = FieldScanner(json)
    }

    /// Hands out what the record says of itself, for good.
    package mutating func takeHead() -> Head {
        var taken = Head()
        swap(&taken, &head)
        return taken
    }

    /// Reads a whole document that is one record.
    ///
    /// - Throws: `JSONError` if it is malformed.
    package mutating func readDocument() throws(JSONError) {
        try json.beginDocument()
        try readRecord()
        try json.endDocument()
    }

    /// Reads the object at which the scanner stands as a record, or as the error in its place.
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

    /// Reads a member of a record that is small.
    ///
    /// - Returns: Whether it says that the object is an error.
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

    /// Reads a field that stands as Fogbase writes it: `{"value":…,"type":"…"}`.
    ///
    /// - Returns: False, with nothing read, if it stands otherwise.
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

    /// Reads when something was done, and by whom.
    ///
    /// - Parameter other: One whose user is most often the same.
    private mutating func moment(like other: Moment?) throws(JSONError) -> Moment? {
        let start = json.position
        // As Fogbase writes it; a device is of no use here.
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
    /// Reads an answer that has records in a list, such as `{"records":[…],"cursor":"…"}`.
    ///
    /// - Parameters:
    ///   - list: The key of the list.
    ///   - each: Gets the scanner once for each record, in order.
    /// - Returns: The other members of the answer.
    package static func readAnswer<Failure: Error>(
        _ bytes: UnsafeRawBufferPointer, list: StaticString, malformed: (JSONError) -> Failure,
        each: (inout RecordScanner) throws(Failure) -> Void
    ) throws(Failure) -> JSONObject {
        var scanner = RecordScanner(bytes)
        return try scanner.readAnswer(list: list, malformed: malformed, each: each)
    }

    private mutating func readAnswer<Failure: Error>(
        list: StaticString, malformed: (JSONError) -> Failure, each: (inout RecordScanner) throws(Failure) -> Void
    ) throws(Failure) -> JSONObject {
        /// Hands on what JSON refuses as the caller's error.
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
