package import RecordModel

/// Stored fields that someone else owns, for instance the columns of an open SQLite row. Valid as long as they are.
///
/// `init` walks the layout once and checks that it fits the text; after it every range lies inside the text.
package struct StoredFieldsView {
    package let text: UnsafeRawBufferPointer
    package let layout: UnsafeRawBufferPointer
    /// The decoded size of all values, external ones included.
    package let decodedSize: Int
    package let count: Int
    /// Whether some value lies in the side table.
    package let hasExternals: Bool
    /// Whether some field is REFERENCE or REFERENCE_LIST.
    package let hasReferences: Bool
    /// Whether some field is ASSET or ASSET_LIST.
    package let hasAssets: Bool
    /// Where the first entry stands in the layout.
    let firstEntry: Int

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
        var walk = LayoutIterator(text: text, layout: layout, position: head.firstEntry)
        while let entry = walk.next() {
            seen &+= 1
            total &+= entry.decodedSize
            externals = externals || entry.isExternal
            references = references || entry.type.isReference
            assets = assets || entry.type.element == .asset
        }
        guard walk.isComplete, seen == count, total == decodedSize, externals == hasExternals,
            references == hasReferences,
            assets == hasAssets
        else { throw .damagedFields }
    }

    /// Whether an answer that shows all fields is the stored text as it is: no value lies elsewhere or gets a URL. Looks at
    /// the head of the layout alone.
    package static func isPlain(_ layout: UnsafeRawBufferPointer) -> Bool {
        layout.first == LayoutFormat.version || layout.first == LayoutFormat.version | LayoutFormat.hasReferences
    }

    /// How much of a text is of other fields than some, by one walk over the layout.
    ///
    /// - Parameter hidden: The numbers of those that do not count, ascending.
    package static func bytes(
        of text: UnsafeRawBufferPointer, layout: UnsafeRawBufferPointer, without hidden: [Int]
    ) -> Int {
        guard !hidden.isEmpty, let head = LayoutHead(layout) else { return text.count }
        var bytes = text.count
        var walk = LayoutIterator(text: text, layout: layout, position: head.firstEntry)
        var next = 0
        while let entry = walk.next() {
            while next < hidden.count, hidden[next] < entry.fieldID { next += 1 }
            guard next < hidden.count else { break }
            if hidden[next] == entry.fieldID { bytes -= entry.entry.count }
        }
        return bytes
    }

    // By the head of a layout alone.

    /// Whether some value lies in the side table.
    package static func hasExternals(_ layout: [UInt8]) -> Bool {
        (layout.first ?? 0) & LayoutFormat.hasExternals != 0
    }

    /// Whether some field is REFERENCE or REFERENCE_LIST.
    package static func hasReferences(_ layout: [UInt8]) -> Bool {
        (layout.first ?? 0) & LayoutFormat.hasReferences != 0
    }

    /// Whether some field is ASSET or ASSET_LIST.
    package static func hasAssets(_ layout: [UInt8]) -> Bool {
        (layout.first ?? 0) & LayoutFormat.hasAssets != 0
    }

    /// The assets in ASSET and ASSET_LIST fields, in the order of the fields.
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

    /// The entries, ascending by field number.
    package var entries: Entries { Entries(view: self) }

    package struct Entries: Sequence {
        let view: StoredFieldsView

        package func makeIterator() -> LayoutIterator {
            LayoutIterator(text: view.text, layout: view.layout, position: view.firstEntry)
        }
    }

    package func forEachEntry<Failure: Error>(_ body: (LayoutEntry) throws(Failure) -> Void) throws(Failure) {
        for entry in entries { try body(entry) }
    }

    /// The entry of a field, or `nil` if the record does not have the field. O(fields).
    package func entry(_ fieldID: Int) -> LayoutEntry? {
        for entry in entries where entry.fieldID >= fieldID {
            return entry.fieldID == fieldID ? entry : nil
        }
        return nil
    }

    /// The bytes of a value in the text; empty if it is external.
    package func valueText(of entry: LayoutEntry) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: text[entry.value])
    }

    /// The name of a field as its entry writes it.
    package func name(of entry: LayoutEntry) -> String {
        let start = entry.entry.lowerBound + 1
        let end = entry.value.lowerBound - LayoutFormat.afterName
        return String(decoding: UnsafeRawBufferPointer(rebasing: text[start..<end]), as: UTF8.self)
    }

    /// Decodes a value.
    ///
    /// - Parameter external: Gives the JSON text of an external value by its field number.
    /// - Throws: What `external` throws; `INTERNAL_ERROR` if the text is damaged.
    package func value(of entry: LayoutEntry, external: (Int) throws -> [UInt8]) throws -> FieldValue {
        if entry.isExternal {
            return try CanonicalValue.decode(try external(entry.fieldID), as: entry.type)
        }
        return try CanonicalValue.decode(valueText(of: entry), as: entry.type)
    }

    /// The references in REFERENCE and REFERENCE_LIST fields, in the order of the fields.
    ///
    /// - Parameter includingNone: Whether those with the action NONE are wanted too.
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

    /// Checks all that `init` leaves out: the frame of each entry, that each value is canonical, and its decoded size.
    /// External values are the caller's to check, with `CanonicalValue.check`.
    ///
    /// - Throws: `INTERNAL_ERROR` with the field's number in the details.
    package func check() throws(RecordError) {
        for entry in entries {
            var frame: [UInt8] = []
            CanonicalValue.appendEntryHead(name(of: entry), to: &frame)
            let isFramed =
                FieldName(name(of: entry)) != nil
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

/// What a layout says before its entries.
struct LayoutHead {
    /// `LayoutFormat.hasAssets` and its like.
    let flags: UInt8
    /// The decoded size of all values.
    let decodedSize: Int
    /// How many entries there are.
    let count: Int
    /// Where the first one stands in the layout.
    let firstEntry: Int

    /// `nil` for a layout of another version, or one that is cut off.
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

/// Walks the entries of a layout and stops at the end or at the first thing that is not sound.
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

    /// Whether the walk has reached the end of both layout and text.
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
    /// What storage gave is not what this module wrote.
    static let damagedFields = RecordError(.internalError, "The stored fields of a record are damaged")

    static func damagedFields(fieldID: Int) -> RecordError {
        var error = damagedFields
        error.details = [("fieldID", .number(Int64(fieldID)))]
        return error
    }
}
