package import RecordModel

/// Reads record dictionaries from an answer: the client's side of `RecordComposer`. It builds no tree: the parts of a record
/// are ranges of the answer until somebody asks for a value.
///
/// One scanner reads all records of a page, so that its list of fields is allocated once.
package struct RecordScanner {
    /// A field as it stands: its name, its value, and the tag of its type.
    struct Field {
        var name: JSONToken
        var value: JSONToken
        var tag: JSONToken?
    }

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
    private(set) var fields: [Field] = []
    /// Where the search for the next field begins: models ask in the order in which records have their fields.
    private var next = 0

    package init(_ bytes: UnsafeRawBufferPointer) {
        json = JSONReader(bytes)
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
        fields.removeAll(keepingCapacity: true)
        next = 0
        guard json.next == UInt8(ascii: "{") else { throw JSONError("a record was expected", at: json.position) }
        let start = json.position
        var isError = false
        var keys = JSONKeySet()
        try json.enter()
        while let key = try json.nextKey(&keys) {
            if json.string(key, is: "fields") {
                try readFields()
                continue
            }
            let token = try json.value()
            if json.string(key, is: "recordName") {
                head.recordName = text(token) ?? ""
            } else if json.string(key, is: "recordType") {
                head.recordType = text(token)
            } else if json.string(key, is: "recordChangeTag") {
                head.recordChangeTag = text(token)
            } else if json.string(key, is: "created") {
                head.created = try moment(token)
            } else if json.string(key, is: "modified") {
                head.modified = try moment(token)
            } else if json.string(key, is: "deleted") {
                head.deleted = token.kind == .trueWord
            } else if json.string(key, is: "acl") {
                head.access = try tree(token)
            } else if json.string(key, is: "serverErrorCode") {
                isError = true
            }
        }
        if isError {
            head.error = try tree(JSONToken(kind: .object, start: start, end: json.position))
        }
    }

    private mutating func readFields() throws(JSONError) {
        guard json.next == UInt8(ascii: "{") else { throw JSONError("an object was expected", at: json.position) }
        var keys = JSONKeySet()
        try json.enter()
        while let name = try json.nextKey(&keys) {
            guard json.next == UInt8(ascii: "{") else {
                guard try json.value().kind == .null else {
                    throw JSONError("a field with value and type was expected", at: name.end)
                }
                continue
            }
            var value: JSONToken?
            var tag: JSONToken?
            var parts = JSONKeySet()
            try json.enter()
            while let part = try json.nextKey(&parts) {
                let token = try json.value()
                if json.string(part, is: "value") {
                    value = token
                } else if json.string(part, is: "type") {
                    tag = token
                }
            }
            if let value, value.kind != .null { fields.append(Field(name: name, value: value, tag: tag)) }
        }
    }

    private func text(_ token: JSONToken) -> String? {
        token.isString ? json.string(token) : nil
    }

    private func tree(_ token: JSONToken) throws(JSONError) -> JSONValue {
        var reader = JSONReader(json.bytes, at: token)
        return try JSONValue.read(&reader)
    }

    private func moment(_ token: JSONToken) throws(JSONError) -> Moment? {
        guard token.kind == .object else { return nil }
        var reader = JSONReader(json.bytes, at: token)
        var timestamp: Int64?
        var user = ""
        var keys = JSONKeySet()
        try reader.enter()
        while let key = try reader.nextKey(&keys) {
            let value = try reader.value()
            if reader.string(key, is: "timestamp") {
                timestamp = reader.int64(value)
            } else if reader.string(key, is: "userRecordName"), value.isString {
                user = reader.string(value)
            }
        }
        return timestamp.map { Moment(timestamp: $0, userRecordName: user) }
    }
}

// MARK: Fields

extension RecordScanner {
    /// The names of the fields, in the order in which they stand.
    package var fieldNames: [String] { fields.map { json.string($0.name) } }

    /// Finds a field by its name.
    ///
    /// - Returns: Its position; `nil` if the record does not have it.
    /// - Complexity: O(1) where fields are asked for in the order in which they stand.
    package mutating func find(_ name: String) -> Int? {
        var copy = name
        let start = next
        let found = copy.withUTF8 { bytes -> Int? in
            let text = UnsafeRawBufferPointer(bytes)
            for step in 0..<fields.count {
                let index = start &+ step < fields.count ? start &+ step : start &+ step &- fields.count
                if json.string(fields[index].name, is: text) { return index }
            }
            return nil
        }
        if let found { next = found &+ 1 }
        return found
    }

    /// The tag of a field's type as it stands, for error sentences.
    package func tag(of index: Int) -> String {
        fields[index].tag.flatMap(text) ?? "none"
    }

    /// Whether a field's tag is that of a type.
    @inline(__always)
    package func field(_ index: Int, is type: FieldType) -> Bool {
        guard let tag = fields[index].tag else { return false }
        return json.string(tag, is: type.tag)
    }

    /// A field's value, by its tag.
    ///
    /// - Returns: `nil` if the tag is unknown, or if the value does not fit it.
    package func value(of index: Int) -> FieldValue? {
        guard let type = fields[index].tag.flatMap(text).flatMap(FieldType.init(tag:)) else { return nil }
        let token = fields[index].value
        guard let value = try? CanonicalValue.decode(token, of: json, as: type) else { return nil }
        return type.element == .asset ? withURLs(value, token) : value
    }

    /// Adds to assets where their bytes can be read: servers do not store that, so the shared reader leaves it out.
    private func withURLs(_ value: FieldValue, _ token: JSONToken) -> FieldValue {
        guard let tree = try? tree(token) else { return value }
        func complete(_ value: FieldValue, _ tree: JSONValue?) -> FieldValue {
            guard case .asset(var asset) = value else { return value }
            asset.downloadURL = tree?["downloadURL"]?.string
            return .asset(asset)
        }
        guard case .list(let element, let members) = value else { return complete(value, tree) }
        let trees = tree.array ?? []
        return .list(element: element, members.enumerated().map { complete($1, $0 < trees.count ? trees[$0] : nil) })
    }

    /// The text of a STRING field.
    @inline(__always)
    package func string(_ index: Int) -> String? {
        let token = fields[index].value
        return field(index, is: .string) && token.isString ? json.string(token) : nil
    }

    /// The number of an INT64 field.
    @inline(__always)
    package func int64(_ index: Int) -> Int64? {
        field(index, is: .int64) ? json.int64(fields[index].value) : nil
    }

    /// The number of a DOUBLE field.
    @inline(__always)
    package func double(_ index: Int) -> Double? {
        field(index, is: .double) ? json.double(fields[index].value) : nil
    }

    /// The moment of a TIMESTAMP field, in milliseconds since 1970-01-01 UTC.
    @inline(__always)
    package func timestamp(_ index: Int) -> Int64? {
        field(index, is: .timestamp) ? json.int64(fields[index].value) : nil
    }

    /// The members of a STRING_LIST field.
    package func strings(_ index: Int) -> [String]? {
        let token = fields[index].value
        guard field(index, is: .stringList), token.kind == .array else { return nil }
        var reader = JSONReader(json.bytes, at: token)
        var members: [String] = []
        var isFirst = true
        do {
            try reader.enter()
            while try reader.nextElement(&isFirst) {
                let member = try reader.value()
                guard member.isString else { return nil }
                members.append(reader.string(member))
            }
        } catch {
            return nil
        }
        return members
    }
}

// MARK: Answers

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
