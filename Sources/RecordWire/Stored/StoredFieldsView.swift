package import RecordModel

/// A view of borrowed stored fields, such as the columns of an open SQLite row. The view is valid as long as their
/// owner.
///
/// `init` scans the layout once and checks it against the text. After this check, each range lies within the text.
package struct StoredFieldsView {
    /// The JSON text of the entries.
    package let text: UnsafeRawBufferPointer
    /// The layout of the text.
    package let layout: UnsafeRawBufferPointer
    /// The decoded size of all values, including external ones.
    package let decodedSize: Int
    /// The number of fields.
    package let count: Int
    /// Whether the value of at least one field is in the side table.
    package let hasExternals: Bool
    /// Whether the record has a REFERENCE or REFERENCE_LIST field.
    package let hasReferences: Bool
    /// Whether the record has an ASSET or ASSET_LIST field.
    package let hasAssets: Bool
    /// The position of the first entry in the layout.
    let firstEntry: Int

    /// Creates a view and validates the layout.
    ///
    /// - Throws: `INTERNAL_ERROR` if the layout is damaged or does not fit the text.
    package init(text: UnsafeRawBufferPointer, layout: UnsafeRawBufferPointer) throws(RecordError) {
        self.text = text
        self.layout = layout
        guard let head = LayoutHead(layout) else { throw .damagedFields }
        hasExternals = head.flags & LayoutFormat.hasExternals != 0
        hasReferences = head.flags & LayoutFormat.hasReferences != 0
        hasAssets = head.flags & LayoutFormat.hasAssets != 0
        decodedSize = head.decodedSize
        count = head.count
        firstEntry = head.firstEntry

        var seen = 0
        var total = 0
        var externals = false
        var references = false
        var assets = false
        var scan = LayoutIterator(text: text, layout: layout, position: head.firstEntry)
        while let entry = scan.next() {
            seen &+= 1
            total &+= entry.decodedSize
            externals = externals || entry.isExternal
            references = references || entry.type.isReference
            assets = assets || entry.type.element == .asset
        }
        guard scan.isComplete, seen == count, total == decodedSize, externals == hasExternals,
            references == hasReferences,
            assets == hasAssets
        else { throw .damagedFields }
    }

    /// Returns whether the fields have neither external values nor assets. A response with all fields then contains the
    /// stored text unchanged. The function reads only the head of the layout.
    package static func isPlain(_ layout: UnsafeRawBufferPointer) -> Bool {
        layout.first == LayoutFormat.version || layout.first == LayoutFormat.version | LayoutFormat.hasReferences
    }

    /// Returns the length in bytes of a text without some of its fields. The function scans the layout once.
    ///
    /// - Parameter hidden: The numbers of the fields to leave out, ascending.
    package static func bytes(
        of text: UnsafeRawBufferPointer, layout: UnsafeRawBufferPointer, without hidden: [Int]
    ) -> Int {
        guard !hidden.isEmpty, let head = LayoutHead(layout) else { return text.count }
        var bytes = text.count
        var scan = LayoutIterator(text: text, layout: layout, position: head.firstEntry)
        var next = 0
        while let entry = scan.next() {
            while next < hidden.count, hidden[next] < entry.fieldID { next += 1 }
            guard next < hidden.count else { break }
            if hidden[next] == entry.fieldID { bytes -= entry.entry.count }
        }
        return bytes
    }

    // The following functions read only the head of a layout.

    /// Returns whether the value of at least one field is in the side table.
    package static func hasExternals(_ layout: [UInt8]) -> Bool {
        (layout.first ?? 0) & LayoutFormat.hasExternals != 0
    }

    /// Returns whether the record has a REFERENCE or REFERENCE_LIST field.
    package static func hasReferences(_ layout: [UInt8]) -> Bool {
        (layout.first ?? 0) & LayoutFormat.hasReferences != 0
    }

    /// Returns whether the record has an ASSET or ASSET_LIST field.
    package static func hasAssets(_ layout: [UInt8]) -> Bool {
        (layout.first ?? 0) & LayoutFormat.hasAssets != 0
    }

    /// Returns the assets in ASSET and ASSET_LIST fields, in the order of the fields.
    ///
    /// - Throws: `INTERNAL_ERROR` if the text is damaged.
    package func assets() throws(RecordError) -> [(fieldID: Int, asset: Asset)] {
        guard hasAssets else { return [] }
        var found: [(fieldID: Int, asset: Asset)] = []
        for entry in entries where entry.type.element == .asset {
            let members: [FieldValue] =
                switch try CanonicalValue.decode(valueText(of: entry), as: entry.type) {
                case .list(_, let members): members
                case let single: [single]
                }
            for case .asset(let asset) in members { found.append((entry.fieldID, asset)) }
        }
        return found
    }

    /// The entries, in ascending order of field numbers.
    package var entries: Entries { Entries(view: self) }

    /// A sequence of the entries of a view.
    package struct Entries: Sequence {
        let view: StoredFieldsView

        package func makeIterator() -> LayoutIterator {
            LayoutIterator(text: view.text, layout: view.layout, position: view.firstEntry)
        }
    }

    /// Calls `body` with each entry.
    ///
    /// - Throws: Any error that `body` throws.
    package func forEachEntry<Failure: Error>(_ body: (LayoutEntry) throws(Failure) -> Void) throws(Failure) {
        for entry in entries { try body(entry) }
    }

    /// Returns the entry of a field; `nil` if the record lacks the field.
    ///
    /// - Complexity: O(fields).
    package func entry(_ fieldID: Int) -> LayoutEntry? {
        for entry in entries where entry.fieldID >= fieldID {
            return entry.fieldID == fieldID ? entry : nil
        }
        return nil
    }

    /// Returns the JSON text of a value; empty for an external value.
    package func valueText(of entry: LayoutEntry) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: text[entry.value])
    }

    /// Returns the name of a field in its entry.
    package func name(of entry: LayoutEntry) -> String {
        let start = entry.entry.lowerBound + 1
        let end = entry.value.lowerBound - LayoutFormat.afterName
        return String(decoding: UnsafeRawBufferPointer(rebasing: text[start..<end]), as: UTF8.self)
    }

    /// Decodes a value.
    ///
    /// - Parameter external: Returns the JSON text of an external value, given its field number.
    /// - Throws: `INTERNAL_ERROR` if the text is damaged, and any error that `external` throws.
    package func value(of entry: LayoutEntry, external: (Int) throws -> [UInt8]) throws -> FieldValue {
        if entry.isExternal {
            return try CanonicalValue.decode(try external(entry.fieldID), as: entry.type)
        }
        return try CanonicalValue.decode(valueText(of: entry), as: entry.type)
    }

    /// Returns the references in REFERENCE and REFERENCE_LIST fields, in the order of the fields.
    ///
    /// - Parameter includingNone: Whether to include references with the action NONE.
    /// - Throws: `INTERNAL_ERROR` if the text is damaged.
    package func references(includingNone: Bool) throws(RecordError) -> [(fieldID: Int, reference: Reference)] {
        guard hasReferences else { return [] }
        var found: [(fieldID: Int, reference: Reference)] = []
        for entry in entries where entry.type.isReference {
            let members: [FieldValue] =
                switch try CanonicalValue.decode(valueText(of: entry), as: entry.type) {
                case .list(_, let members): members
                case let single: [single]
                }
            for case .reference(let reference) in members where includingNone || reference.action != .none {
                found.append((entry.fieldID, reference))
            }
        }
        return found
    }

    /// Checks the properties that `init` does not check: the text around each value, whether each value is canonical,
    /// and each decoded size. The caller must check external values with `CanonicalValue.check`.
    ///
    /// - Throws: `INTERNAL_ERROR` with the field's number in the details.
    package func check() throws(RecordError) {
        for entry in entries {
            var frame: [UInt8] = []
            CanonicalValue.appendEntryHead(name(of: entry), to: &frame)
            let isFramed =
                (FieldName(name(of: entry)) ?? FieldName.ofShare(name(of: entry))) != nil
                && frame.elementsEqual(text[entry.entry.lowerBound..<entry.value.lowerBound])
                && text[entry.value.upperBound..<entry.entry.upperBound].elementsEqual(
                    UnsafeBufferPointer(
                        start: entry.type.entrySuffix.utf8Start, count: entry.type.entrySuffix.utf8CodeUnitCount))
            let isSound =
                entry.isExternal
                || CanonicalValue.check(valueText(of: entry), as: entry.type) == entry.decodedSize
            guard isFramed, isSound else { throw .damagedFields(fieldID: entry.fieldID) }
        }
    }
}

extension LayoutFormat {
    /// The length of `":{"value":` between a name and its value.
    static let afterName = 11
}

/// The head of a layout.
struct LayoutHead {
    /// The flags, such as `LayoutFormat.hasAssets`, and the version.
    let flags: UInt8
    /// The decoded size of all values.
    let decodedSize: Int
    /// The number of entries.
    let count: Int
    /// The position of the first entry in the layout.
    let firstEntry: Int

    /// Reads the head. The result is `nil` for a truncated layout or another version.
    init?(_ layout: UnsafeRawBufferPointer) {
        var position = 1
        guard layout.count > 0, layout[0] & LayoutFormat.versionMask == LayoutFormat.version,
            let size = LayoutFormat.number(layout, &position), let count = LayoutFormat.number(layout, &position)
        else { return nil }
        flags = layout[0]
        decodedSize = size
        self.count = count
        firstEntry = position
    }
}

/// Iterates over the entries of a layout. The iteration stops at the end or at the first invalid entry.
package struct LayoutIterator: IteratorProtocol {
    private let layout: UnsafeRawBufferPointer
    private let textCount: Int
    private var position: Int
    private var textPosition = 0
    private var lastFieldID = 0
    private var isFirst = true
    private(set) var isSound = true

    init(text: UnsafeRawBufferPointer, layout: UnsafeRawBufferPointer, position: Int) {
        self.layout = layout
        self.position = position
        textCount = text.count
    }

    /// Whether the iterator has reached the end of the layout and the text.
    var isComplete: Bool { isSound && position == layout.count && textPosition == textCount }

    @inline(__always)
    package mutating func next() -> LayoutEntry? {
        guard position < layout.count, let entry = read() else { return nil }
        return entry
    }

    private mutating func read() -> LayoutEntry? {
        isSound = false
        guard let fieldID = LayoutFormat.number(layout, &position), fieldID > lastFieldID, position < layout.count
        else { return nil }
        let typeByte = layout[position]
        position &+= 1
        guard let type = FieldType(rawValue: typeByte & ~LayoutFormat.external),
            let length = LayoutFormat.number(layout, &position),
            let offset = LayoutFormat.number(layout, &position),
            let decodedSize = LayoutFormat.number(layout, &position)
        else { return nil }
        let isExternal = typeByte & LayoutFormat.external != 0
        var externalLength = 0
        if isExternal {
            guard let length = LayoutFormat.number(layout, &position) else { return nil }
            externalLength = length
        }
        let start = isFirst ? textPosition : textPosition &+ 1
        let end = start &+ length
        let suffix = type.entrySuffix.utf8CodeUnitCount
        guard end <= textCount, offset > LayoutFormat.afterName, offset &+ suffix <= length else { return nil }
        let value = (start &+ offset)..<(end &- suffix)
        guard value.isEmpty == isExternal else { return nil }
        isFirst = false
        isSound = true
        lastFieldID = fieldID
        textPosition = end
        return LayoutEntry(
            fieldID: fieldID, type: type, isExternal: isExternal, entry: start..<end, value: value,
            decodedSize: decodedSize, externalLength: externalLength)
    }
}

extension RecordError {
    /// An error for stored fields that this module did not write.
    static let damagedFields = RecordError(.internalError, "The stored fields of a record are damaged")

    static func damagedFields(fieldID: Int) -> RecordError {
        var error = damagedFields
        error.details = [("fieldID", .number(Int64(fieldID)))]
        return error
    }
}
