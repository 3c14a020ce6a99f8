package import RecordModel

/// The fields of a record as storage keeps them. This is part of the storage format.
///
/// **text** is the inside of the answer's `"fields"` object, ordered by field number:
///
///     "title":{"value":"sea","type":"STRING"},"good":{"value":3,"type":"INT64"}
///
/// Values are canonical: one text per value (see `CanonicalValue`). A record without fields has an empty text.
///
/// **layout** finds the entries without parsing. Numbers are unsigned LEB128:
///
///     head byte      the version, 1, in bits 0 to 4; bit 5: some field is ASSET or ASSET_LIST;
///                    bit 6: some field is REFERENCE or REFERENCE_LIST; bit 7: some value is external
///     decoded size   of all values (`CanonicalValue` says how it is counted)
///     count          of entries
///     per entry, ascending by field number:
///       field number, 1 and up
///       type byte      `FieldType.rawValue`; bit 7: the value is external
///       entry length   bytes in the text, without the comma between entries
///       value offset   from the start of the entry to the value
///       decoded size
///       external length   only if external: bytes of the value's JSON text
///
/// A value of BYTES or BYTES_LIST whose JSON text exceeds 4,096 bytes is *external*: the entry has nothing between
/// `"value":` and `,"type":`, and the text is kept by storage in a side table under (record, field number). So a change of
/// another field does not write it again.
package struct StoredFields: Hashable, Sendable {
    package var text: [UInt8]
    package var layout: [UInt8]

    package init(text: [UInt8], layout: [UInt8]) {
        self.text = text
        self.layout = layout
    }

    /// A record without fields.
    package static let empty = StoredFields(text: [], layout: [LayoutFormat.version, 0, 0])

    /// The longest JSON text of a BYTES or BYTES_LIST value that stands inside the entry.
    package static let inlineBytes = 4_096

    /// What the fields take of the file, large values included: the bytes of the text, of the layout, and of the texts that lie
    /// elsewhere.
    package var storedBytes: Int {
        get throws(RecordError) {
            let inline = text.count &+ layout.count
            guard (layout.first ?? 0) & LayoutFormat.hasExternals != 0 else { return inline }
            return try withView { view throws(RecordError) in
                view.entries.reduce(inline) { $1.isExternal ? $0 &+ $1.externalLength : $0 }
            }
        }
    }

    /// See `StoredFieldsView.isPlain`.
    package var isPlain: Bool { layout.withUnsafeBytes { StoredFieldsView.isPlain($0) } }

    /// Lends the view of these bytes.
    ///
    /// - Throws: `INTERNAL_ERROR` if the layout is damaged.
    package func withView<Result>(
        _ body: (StoredFieldsView) throws(RecordError) -> Result
    ) throws(RecordError) -> Result {
        try text.withUnsafeBufferPointer { text throws(RecordError) -> Result in
            try layout.withUnsafeBufferPointer { layout throws(RecordError) -> Result in
                try body(
                    try StoredFieldsView(text: UnsafeRawBufferPointer(text), layout: UnsafeRawBufferPointer(layout)))
            }
        }
    }
}

/// Where one field lies in the stored text.
package struct LayoutEntry: Hashable, Sendable {
    package let fieldID: Int
    package let type: FieldType
    /// Whether the value lies in the side table; `value` is empty then.
    package let isExternal: Bool
    /// The entry in the text, from the quote of the name to the closing brace.
    package let entry: Range<Int>
    /// The value in the text.
    package let value: Range<Int>
    package let decodedSize: Int
    /// The bytes of the external value's JSON text; 0 if it is not external.
    package let externalLength: Int

    package init(
        fieldID: Int, type: FieldType, isExternal: Bool, entry: Range<Int>, value: Range<Int>, decodedSize: Int,
        externalLength: Int
    ) {
        self.fieldID = fieldID
        self.type = type
        self.isExternal = isExternal
        self.entry = entry
        self.value = value
        self.decodedSize = decodedSize
        self.externalLength = externalLength
    }
}

/// The constants and numbers of the layout, written and read.
enum LayoutFormat {
    static let version: UInt8 = 1
    static let versionMask: UInt8 = 0x1F
    static let hasAssets: UInt8 = 0x20
    static let hasReferences: UInt8 = 0x40
    static let hasExternals: UInt8 = 0x80
    static let external: UInt8 = 0x80
    /// A record's stored text may have this many bytes per decoded byte of its limit: room for a record full of control
    /// characters, which are six bytes each.
    static let storedPerDecoded = 8

    @inline(__always)
    static func append(_ number: Int, to layout: inout [UInt8]) {
        var rest = UInt64(truncatingIfNeeded: number)
        while rest >= 0x80 {
            layout.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest &>>= 7
        }
        layout.append(UInt8(truncatingIfNeeded: rest))
    }

    /// Reads a number and steps over it; `nil` if it is cut off or beyond 2^49.
    @inline(__always)
    static func number(_ layout: UnsafeRawBufferPointer, _ position: inout Int) -> Int? {
        // Nearly all are one byte.
        if position < layout.count, layout[position] < 0x80 {
            position &+= 1
            return Int(layout[position &- 1])
        }
        var number = 0
        var shift = 0
        while position < layout.count, shift < 49 {
            let byte = layout[position]
            position &+= 1
            number |= Int(byte & 0x7F) &<< shift
            if byte < 0x80 { return number }
            shift &+= 7
        }
        return nil
    }
}

extension FieldType {
    /// What follows a value in its entry: `,"type":"INT64"}`.
    @inline(__always)
    var entrySuffix: StaticString {
        switch self {
        case .string: ",\"type\":\"STRING\"}"
        case .int64: ",\"type\":\"INT64\"}"
        case .double: ",\"type\":\"DOUBLE\"}"
        case .timestamp: ",\"type\":\"TIMESTAMP\"}"
        case .bytes: ",\"type\":\"BYTES\"}"
        case .reference: ",\"type\":\"REFERENCE\"}"
        case .asset: ",\"type\":\"ASSETID\"}"
        case .location: ",\"type\":\"LOCATION\"}"
        case .stringList: ",\"type\":\"STRING_LIST\"}"
        case .int64List: ",\"type\":\"INT64_LIST\"}"
        case .doubleList: ",\"type\":\"DOUBLE_LIST\"}"
        case .timestampList: ",\"type\":\"TIMESTAMP_LIST\"}"
        case .bytesList: ",\"type\":\"BYTES_LIST\"}"
        case .referenceList: ",\"type\":\"REFERENCE_LIST\"}"
        case .assetList: ",\"type\":\"ASSETID_LIST\"}"
        case .locationList: ",\"type\":\"LOCATION_LIST\"}"
        }
    }

    var isReference: Bool { self == .reference || self == .referenceList }
}
