package import RecordModel

/// The fields of one record in a response, as ranges of the response.
package struct FieldScanner {
    /// A field: the tokens of its name, its value and its type tag.
    private struct Field {
        var name: JSONToken
        var value: JSONToken
        var tag: JSONToken?
    }

    private let json: JSONReader
    private var fields: [Field] = []
    /// The position where the search for the next field starts. Models usually read fields in the order of the
    /// response.
    private var next = 0

    init(_ json: JSONReader) {
        self.json = json
        fields.reserveCapacity(16)
    }

    /// Adds a field. A field with the value `null` is absent.
    @inline(__always)
    mutating func append(_ name: JSONToken, _ value: JSONToken, _ tag: JSONToken?) {
        if value.kind != .null { fields.append(Field(name: name, value: value, tag: tag)) }
    }

    /// Removes all fields, for the next record.
    mutating func removeAll() {
        fields.removeAll(keepingCapacity: true)
        next = 0
    }

    private func text(_ token: JSONToken) -> String? {
        token.isString ? json.string(token) : nil
    }

    /// The names of the fields, in the order of the response.
    package var names: [String] { fields.map { json.string($0.name) } }

    /// Returns the position of a field; `nil` if the record lacks it.
    ///
    /// - Complexity: O(1) if fields are looked up in the order of the response.
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

    /// Returns the type tag of a field as received, for error messages.
    package func tag(of index: Int) -> String {
        fields[index].tag.flatMap(text) ?? "none"
    }

    /// Returns whether a field has the tag of a type.
    @inline(__always)
    package func field(_ index: Int, is type: FieldType) -> Bool {
        guard let tag = fields[index].tag else { return false }
        return json.string(tag, is: type.tag)
    }

    /// Returns a field's value, decoded by its tag. Unknown keys in its objects are ignored.
    ///
    /// - Returns: `nil` if the tag is unknown or the value does not match it.
    package func value(of index: Int) -> FieldValue? {
        guard let type = fields[index].tag.flatMap(text).flatMap(FieldType.init(tag:)) else { return nil }
        let token = fields[index].value
        guard let value = try? CanonicalValue.decode(token, of: json, as: type, unknownKeys: .ignored) else {
            return nil
        }
        return type.element == .asset ? withURLs(value, token) : value
    }

    /// Returns a description of a field for an error message, when the caller expects another type. The description
    /// contains the type tag, and the part of the value that does not match the tag.
    package func shape(of index: Int) -> String {
        let tag = tag(of: index)
        guard let type = FieldType(tag: tag) else { return tag }
        do throws(ValueMismatch) {
            _ = try CanonicalValue.decode(fields[index].value, of: json, as: type, unknownKeys: .ignored)
            return type.schemaName
        } catch {
            return "\(type.schemaName) with \(error.found)"
        }
    }

    /// Adds the download URLs to assets. The shared decoder omits them, because servers do not store them.
    private func withURLs(_ value: FieldValue, _ token: JSONToken) -> FieldValue {
        var reader = JSONReader(json.bytes, at: token)
        guard let tree = try? JSONValue.read(&reader) else { return value }
        func complete(_ value: FieldValue, _ tree: JSONValue?) -> FieldValue {
            guard case .asset(var asset) = value else { return value }
            asset.downloadURL = tree?["downloadURL"]?.string
            return .asset(asset)
        }
        guard case .list(let element, let members) = value else { return complete(value, tree) }
        let trees = tree.array ?? []
        return .list(element: element, members.enumerated().map { complete($1, $0 < trees.count ? trees[$0] : nil) })
    }

    /// Returns the value of a STRING field; `nil` for another type.
    @inline(__always)
    package func string(_ index: Int) -> String? {
        let token = fields[index].value
        return field(index, is: .string) && token.isString ? json.string(token) : nil
    }

    /// Returns the value of an INT64 field; `nil` for another type.
    @inline(__always)
    package func int64(_ index: Int) -> Int64? {
        field(index, is: .int64) ? json.int64(fields[index].value) : nil
    }

    /// Returns the value of a DOUBLE or INT64 field; `nil` for another type. A DOUBLE field that was widened can
    /// contain an INT64.
    @inline(__always)
    package func double(_ index: Int) -> Double? {
        field(index, is: .double) || field(index, is: .int64) ? json.double(fields[index].value) : nil
    }

    /// Returns the value of a TIMESTAMP field, in milliseconds since 1970-01-01 UTC; `nil` for another type.
    @inline(__always)
    package func timestamp(_ index: Int) -> Int64? {
        field(index, is: .timestamp) ? json.int64(fields[index].value) : nil
    }

    /// Returns the members of a STRING_LIST field; `nil` for another type.
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
