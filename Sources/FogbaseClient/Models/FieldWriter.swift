public import Foundation
public import RecordModel
internal import RecordWire

/// Writes a model's fields as a request has them: `"title":{"value":"sea","type":"STRING"},…`.
public struct FieldWriter {
    /// The fields so far, with commas between them.
    package private(set) var text: [UInt8] = []
    /// The name of each field, and where its entry ends in `text`; empty where they are not kept.
    package private(set) var entries: [(name: String, end: Int)] = []
    /// Whether an absent value takes the field out of the record: when one that is there is changed. A new record
    /// simply does not have it.
    private let removesAbsent: Bool
    /// Whether somebody will ask which fields have changed.
    private let keepsEntries: Bool
    /// Whether assets are written with what only answers say of them.
    private let asAnswer: Bool
    private var isFirst = true

    /// - Parameters:
    ///   - head: What stands before the first field.
    ///   - asAnswer: Writes assets with what only answers say of them.
    package init(
        removesAbsent: Bool, keepsEntries: Bool = false, head: StaticString = "", asAnswer: Bool = false
    ) {
        self.removesAbsent = removesAbsent
        self.keepsEntries = keepsEntries
        self.asAnswer = asAnswer
        text.reserveCapacity(512)
        text.appendLiteral(head)
    }

    /// Writes a field.
    ///
    /// - Throws: `FogbaseError.invalidArgument` for a number that is infinite or none.
    public mutating func encode<Value: FieldConvertible>(_ value: Value, for name: String) throws {
        try encode(value: value.fieldValue, for: name)
    }

    /// Writes a field that may be absent; `nil` takes it out of a record that is there.
    public mutating func encode<Value: FieldConvertible>(_ value: Value?, for name: String) throws {
        if let value {
            try encode(value: value.fieldValue, for: name)
        } else if removesAbsent {
            begin(name)
            text.appendLiteral("null")
            end(name)
        }
    }

    /// Writes a field from its value as fields have it.
    public mutating func encode(value: FieldValue, for name: String) throws {
        if !value.isFinite { throw FogbaseError.notFinite(name) }
        beginValue(name)
        if case .asset(let asset) = value, asset.receipt != nil || asAnswer {
            asset.append(to: &text, asAnswer: asAnswer)
        } else if case .list(.asset, let members) = value {
            appendAssets(members)
        } else {
            CanonicalValue.append(value, to: &text)
        }
        endValue(value.type, name)
    }

    /// Writes JSON in the place of a value: a field operation.
    mutating func encode(operation: JSONValue, for name: String) {
        begin(name)
        operation.write(to: &text)
        end(name)
    }

    private mutating func appendAssets(_ members: [FieldValue]) {
        text.append(UInt8(ascii: "["))
        for (index, member) in members.enumerated() {
            if index > 0 { text.append(UInt8(ascii: ",")) }
            if case .asset(let asset) = member { asset.append(to: &text, asAnswer: asAnswer) }
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

// The same for the types that most fields have, without a detour.
extension FieldWriter {
    /// Writes a text.
    public mutating func encode(_ value: String, for name: String) throws {
        beginValue(name)
        text.appendString(value)
        endValue(.string, name)
    }

    /// Writes a whole number.
    public mutating func encode(_ value: Int, for name: String) throws {
        beginValue(name)
        text.appendInteger(Int64(value))
        endValue(.int64, name)
    }

    /// Writes a truth value, as 0 or 1.
    public mutating func encode(_ value: Bool, for name: String) throws {
        try encode(value ? 1 : 0, for: name)
    }

    /// Writes a number.
    ///
    /// - Throws: `FogbaseError.invalidArgument` if it is not finite: records have no such numbers.
    public mutating func encode(_ value: Double, for name: String) throws {
        guard value.isFinite else { throw FogbaseError.notFinite(name) }
        beginValue(name)
        text.appendDouble(value)
        endValue(.double, name)
    }

    /// Writes a moment, rounded to milliseconds.
    public mutating func encode(_ value: Date, for name: String) throws {
        beginValue(name)
        text.appendInteger(value.milliseconds)
        endValue(.timestamp, name)
    }

    /// Writes a list of texts.
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
    /// The fields that differ from those of an earlier state of the same model.
    ///
    /// - Parameter earlier: Written by a writer with the same rules; both keep their entries.
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
    /// Whether JSON can say it: every number in it is finite.
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
    /// Appends what a write must say of it. The measures are the server's own to find out, and stand in answers alone.
    fileprivate func append(to text: inout [UInt8], asAnswer: Bool) {
        var object = JSONObject([("fileChecksum", .string(fileChecksum)), ("size", .integer(size))])
        object["receipt"] = receipt.map(JSONValue.string)
        object["contentType"] = contentType.map(JSONValue.string)
        object["filename"] = filename.map(JSONValue.string)
        if asAnswer {
            object["downloadURL"] = downloadURL.map(JSONValue.string)
            object["width"] = (picture?.width).map(JSONValue.integer)
            object["height"] = (picture?.height).map(JSONValue.integer)
            object["orientation"] = (picture?.orientation).map(JSONValue.integer)
        }
        JSONValue.object(object).write(to: &text)
    }
}
