package import RecordModel

/// The fields of a record in storage: a text and a layout. Both are part of the storage format.
///
/// The **text** is the content of the `"fields"` object in responses, sorted by field number:
///
/// ```
/// "title":{"value":"sea","type":"STRING"},"good":{"value":3,"type":"INT64"}
/// ```
///
/// Values are canonical (see `CanonicalValue`). A record without fields has an empty text.
///
/// The **layout** locates the entries without parsing the text. All numbers are unsigned LEB128 (1 to 7 bytes):
///
/// ```
/// layout  | head | decoded size of all values | number of entries | entry | entry | ...
///         |  1   |            1-7             |        1-7        |
///
/// entry   | field number | type | entry length | value offset | decoded size | external length |
///         |     1-7      |  1   |     1-7      |     1-7      |     1-7      |       1-7       |
///
/// head    | bit 7: external value | bit 6: reference field | bit 5: asset field | bits 4-0: version, 1 |
/// type    | bit 7: external value | bits 6-0: `FieldType.rawValue` |
/// ```
///
/// - Entries are sorted by field number, from 1.
/// - The entry length is the length of the entry in the text, in bytes, without the comma between entries.
/// - The value offset is the distance in bytes from the start of the entry to its value.
/// - The external length is the length of the value's JSON text in bytes. Only external values have an external length.
///
/// A BYTES or BYTES_LIST value whose JSON text exceeds 4,096 bytes is *external*. The entry of an external value has
/// nothing between `"value":` and `,"type":`. A side table contains the JSON text by record and field number, so that a
/// change of another field does not rewrite the text.
package struct StoredFields: Hashable, Sendable {
    /// The JSON text of the entries.
    package var text: [UInt8]
    /// The layout of the text.
    package var layout: [UInt8]

    /// Creates stored fields. The layout is not validated.
    package init(text: [UInt8], layout: [UInt8]) {
        self.text = text
        self.layout = layout
    }

    /// The fields of a record without fields.
    package static let empty = StoredFields(text: [], layout: [LayoutFormat.version, 0, 0])

    /// The longest JSON text of a BYTES or BYTES_LIST value that is stored in the entry, in bytes.
    package static let inlineBytes = 4_096

    /// The number of bytes of the text, the layout and the external values.
    ///
    /// Reading it throws `INTERNAL_ERROR` if the layout is damaged.
    package var storedBytes: Int {
        get throws(RecordError) {
            let inline = text.count &+ layout.count
            guard (layout.first ?? 0) & LayoutFormat.hasExternals != 0 else { return inline }
            return try withView { view throws(RecordError) in
                view.entries.reduce(inline) { $1.isExternal ? $0 &+ $1.externalLength : $0 }
            }
        }
    }

    /// Whether the layout is plain (`StoredFieldsView.isPlain`).
    package var isPlain: Bool { layout.withUnsafeBytes { StoredFieldsView.isPlain($0) } }

    /// Calls `body` with a view of the fields.
    ///
    /// - Throws: `INTERNAL_ERROR` if the layout is damaged, and any error that `body` throws.
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

/// The position of one field in the stored text.
package struct LayoutEntry: Hashable, Sendable {
    /// The number of the field.
    package let fieldID: Int
    /// The type of the value.
    package let type: FieldType
    /// Whether the value is in the side table. `value` is then empty.
    package let isExternal: Bool
    /// The range of the entry in the text, from the quote of the name to the closing brace.
    package let entry: Range<Int>
    /// The range of the value in the text.
    package let value: Range<Int>
    /// The decoded size of the value.
    package let decodedSize: Int
    /// The length in bytes of the external value's JSON text; 0 if the value is not external.
    package let externalLength: Int

    /// Creates the position of a field from its parts.
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

/// The constants of the layout format, and the coding of its numbers.
enum LayoutFormat {
    static let version: UInt8 = 1
    static let versionMask: UInt8 = 0x1F
    static let hasAssets: UInt8 = 0x20
    static let hasReferences: UInt8 = 0x40
    static let hasExternals: UInt8 = 0x80
    static let external: UInt8 = 0x80
    /// The maximum ratio of a record's stored bytes to its limit of decoded bytes. A record may consist of control
    /// characters, each with an escape of six bytes.
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

    /// Reads a number and advances the position. The result is `nil` if the number is truncated or has more than 49
    /// bits.
    @inline(__always)
    static func number(_ layout: UnsafeRawBufferPointer, _ position: inout Int) -> Int? {
        // Almost all numbers have one byte.
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
    /// The text after the value of an entry, such as `,"type":"INT64"}`.
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

    package var isReference: Bool { self == .reference || self == .referenceList }
}
