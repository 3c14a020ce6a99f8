package import RecordModel

/// The fields of one record in an answer, as ranges of it.
package struct FieldScanner {
    /// A field as it stands: its name, its value, and the tag of its type.
    private struct Field {
        var name: JSONToken
        var value: JSONToken
        var tag: JSONToken?
    }

    private let json: JSONReader
    private var fields: [Field] = []
    /// Where the search for the next field begins: models ask in the order in which records have their fields.
    private var next = 0

    init(_ json: JSONReader) {
        self.json = json
        fields.reserveCapacity(16)
    }

    /// Takes a field in. One that is `null` is absent.
    @inline(__always)
    mutating func append(_ name: JSONToken, _ value: JSONToken, _ tag: JSONToken?) {
        if value.kind != .null { fields.append(Field(name: name, value: value, tag: tag)) }
    }

    /// Begins anew, for the next record.
    mutating func removeAll() {
        fields.removeAll(keepingCapacity: true)
        next = 0
    }

    private func text(_ token: JSONToken) -> String? {
        token.isString ? json.string(token) : nil
    }

    /// The names of the fields, in the order in which they stand.
    package var names: [String] { fields.map { json.string($0.name) } }

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

    /// A field's value, by its tag. Keys of its objects that this version does not know are passed over.
    ///
    /// - Returns: `nil` if the tag is unknown, or if the value does not fit it.
    package func value(of index: Int) -> FieldValue? {
        guard let type = fields[index].tag.flatMap(text).flatMap(FieldType.init(tag:)) else { return nil }
        let token = fields[index].value
        guard let value = try? CanonicalValue.decode(token, of: json, as: type, unknownKeys: .ignored) else {
            return nil
        }
        return type.element == .asset ? withURLs(value, token) : value
    }

    /// What a field is, for the error of somebody who wanted another value of it: the tag of its type, and what of the
    /// value does not fit that.
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

    /// Adds to assets where their bytes can be read: servers do not store that, so the shared reader leaves it out.
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

    /// The number of a DOUBLE field; an INT64 stands in one that was widened.
    @inline(__always)
    package func double(_ index: Int) -> Double? {
        field(index, is: .double) || field(index, is: .int64) ? json.double(fields[index].value) : nil
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
