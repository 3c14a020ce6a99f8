public import Foundation
public import RecordModel
internal import RecordWire

/// A writer of a model's fields in the format of requests: `"title":{"value":"sea","type":"STRING"},…`.
public struct FieldWriter {
    /// The fields written so far, separated by commas.
    package private(set) var text: [UInt8] = []
    /// The name of each field and the end offset of its entry in `text`; empty unless `keepsEntries` is set.
    package private(set) var entries: [(name: String, end: Int)] = []
    /// Whether `nil` removes the field from the record, as updates require. Otherwise fields with `nil` are omitted, as
    /// new records require.
    private let removesAbsent: Bool
    /// Whether to record `entries`, which `changes(since:)` requires.
    private let keepsEntries: Bool
    /// Whether to write assets as in responses, which have more properties than requests.
    private let asResponse: Bool
    private var isFirst = true

    /// Creates a writer.
    ///
    /// - Parameters:
    ///   - removesAbsent: Whether `nil` removes the field from the record. Otherwise fields with `nil` are omitted.
    ///   - keepsEntries: Whether to record `entries`, which `changes(since:)` requires.
    ///   - head: The text before the first field.
    ///   - asResponse: Whether to write assets as in responses, which have more properties than requests.
    package init(
        removesAbsent: Bool, keepsEntries: Bool = false, head: StaticString = "", asResponse: Bool = false
    ) {
        self.removesAbsent = removesAbsent
        self.keepsEntries = keepsEntries
        self.asResponse = asResponse
        text.reserveCapacity(512)
        text.appendLiteral(head)
    }

    /// Writes a field.
    ///
    /// - Throws: `FogbaseError.invalidArgument` if a number is not finite.
    public mutating func encode<Value: FieldConvertible>(_ value: Value, for name: String) throws {
        try encode(value: value.fieldValue, for: name)
    }

    /// Writes an optional field. In an update, `nil` removes the field from the record.
    ///
    /// - Throws: `FogbaseError.invalidArgument` if a number is not finite.
    public mutating func encode<Value: FieldConvertible>(_ value: Value?, for name: String) throws {
        if let value {
            try encode(value: value.fieldValue, for: name)
        } else if removesAbsent {
            begin(name)
            text.appendLiteral("null")
            end(name)
        }
    }

    /// Writes a field from a field value.
    ///
    /// - Throws: `FogbaseError.invalidArgument` if a number is not finite.
    public mutating func encode(value: FieldValue, for name: String) throws {
        if !value.isFinite { throw FogbaseError.notFinite(name) }
        beginValue(name)
        if case .asset(let asset) = value, asset.receipt != nil || asResponse {
            asset.append(to: &text, asResponse: asResponse)
        } else if case .list(.asset, let members) = value {
            appendAssets(members)
        } else {
            CanonicalValue.append(value, to: &text)
        }
        endValue(value.type, name)
    }

    /// Writes a field operation, such as an increment, instead of a value.
    mutating func encode(operation: JSONValue, for name: String) {
        begin(name)
        operation.write(to: &text)
        end(name)
    }

    private mutating func appendAssets(_ members: [FieldValue]) {
        text.append(UInt8(ascii: "["))
        for (index, member) in members.enumerated() {
            if index > 0 { text.append(UInt8(ascii: ",")) }
            if case .asset(let asset) = member { asset.append(to: &text, asResponse: asResponse) }
        }
        text.append(UInt8(ascii: "]"))
    }

    @inline(__always)
    private mutating func begin(_ name: String) {
        if !isFirst { text.append(UInt8(ascii: ",")) }
        isFirst = false
        text.appendString(name)
        text.append(UInt8(ascii: ":"))
    }

    @inline(__always)
    private mutating func beginValue(_ name: String) {
        begin(name)
        text.appendLiteral("{\"value\":")
    }

    @inline(__always)
    private mutating func end(_ name: String) {
        if keepsEntries { entries.append((name, text.count)) }
    }

    @inline(__always)
    private mutating func endValue(_ type: FieldType, _ name: String) {
        text.appendLiteral(",\"type\":\"")
        text.appendLiteral(type.tag)
        text.appendLiteral("\"}")
        end(name)
    }
}

// Fast paths for the most common types.
extension FieldWriter {
    /// Writes a string. The method never throws.
    public mutating func encode(_ value: String, for name: String) throws {
        beginValue(name)
        text.appendString(value)
        endValue(.string, name)
    }

    /// Writes an integer. The method never throws.
    public mutating func encode(_ value: Int, for name: String) throws {
        beginValue(name)
        text.appendInteger(Int64(value))
        endValue(.int64, name)
    }

    /// Writes a Boolean as 0 or 1. The method never throws.
    public mutating func encode(_ value: Bool, for name: String) throws {
        try encode(value ? 1 : 0, for: name)
    }

    /// Writes a floating-point number.
    ///
    /// - Throws: `FogbaseError.invalidArgument` if the number is not finite.
    public mutating func encode(_ value: Double, for name: String) throws {
        guard value.isFinite else { throw FogbaseError.notFinite(name) }
        beginValue(name)
        text.appendDouble(value)
        endValue(.double, name)
    }

    /// Writes a date, rounded to milliseconds. The method never throws.
    public mutating func encode(_ value: Date, for name: String) throws {
        beginValue(name)
        text.appendInteger(value.milliseconds)
        endValue(.timestamp, name)
    }

    /// Writes a list of strings. The method never throws.
    public mutating func encode(_ value: [String], for name: String) throws {
        beginValue(name)
        text.append(UInt8(ascii: "["))
        for (index, member) in value.enumerated() {
            if index > 0 { text.append(UInt8(ascii: ",")) }
            text.appendString(member)
        }
        text.append(UInt8(ascii: "]"))
        endValue(.stringList, name)
    }
}

extension FieldWriter {
    /// Returns the fields that differ from an earlier state of the same model.
    ///
    /// - Parameter earlier: A writer with the same settings. Both writers must keep entries.
    package func changes(since earlier: FieldWriter) -> FieldWriter {
        var before: [String: ArraySlice<UInt8>] = [:]
        earlier.forEachEntry { before[$0] = $1 }
        var changes = FieldWriter(removesAbsent: removesAbsent, keepsEntries: true)
        forEachEntry { name, entry in
            if before[name] != entry { changes.append(entry, name) }
        }
        return changes
    }

    private func forEachEntry(_ body: (String, ArraySlice<UInt8>) -> Void) {
        var start = 0
        for (name, end) in entries {
            body(name, text[start..<end])
            start = end + 1
        }
    }

    private mutating func append(_ entry: ArraySlice<UInt8>, _ name: String) {
        if !isFirst { text.append(UInt8(ascii: ",")) }
        isFirst = false
        text.append(contentsOf: entry)
        end(name)
    }
}

extension FieldValue {
    /// Whether all numbers in the field value are finite. JSON cannot represent other numbers.
    fileprivate var isFinite: Bool {
        switch self {
        case .double(let number): number.isFinite
        case .location(let location):
            [
                location.latitude, location.longitude, location.horizontalAccuracy ?? 0, location.verticalAccuracy ?? 0,
                location.altitude ?? 0, location.speed ?? 0, location.course ?? 0,
            ].allSatisfy(\.isFinite)
        case .list(_, let members): members.allSatisfy(\.isFinite)
        default: true
        }
    }
}

extension Asset {
    /// Appends the asset as JSON. Only responses contain the dimensions of a picture, because the server determines the
    /// dimensions.
    fileprivate func append(to text: inout [UInt8], asResponse: Bool) {
        var object = JSONObject([("fileChecksum", .string(fileChecksum)), ("size", .integer(size))])
        object["receipt"] = receipt.map(JSONValue.string)
        object["contentType"] = contentType.map(JSONValue.string)
        object["filename"] = filename.map(JSONValue.string)
        if asResponse {
            object["downloadURL"] = downloadURL.map(JSONValue.string)
            object["width"] = (picture?.width).map(JSONValue.integer)
            object["height"] = (picture?.height).map(JSONValue.integer)
            object["orientation"] = (picture?.orientation).map(JSONValue.integer)
        }
        JSONValue.object(object).write(to: &text)
    }
}
