import RecordModel

/// Builds a layout. The head contains totals, so the writer adds it last.
struct LayoutWriter {
    private var body: [UInt8] = []
    private var count = 0
    private var head = LayoutFormat.version
    private(set) var decodedSize = 0
    /// The number of bytes of the JSON texts of all external values.
    private(set) var externalBytes = 0

    init(entries: Int) {
        body.reserveCapacity(entries &* 8)
    }

    var hasReferences: Bool { head & LayoutFormat.hasReferences != 0 }

    /// Appends an entry.
    ///
    /// - Parameter external: The length in bytes of the JSON text of an external value; `nil` for other values.
    mutating func append(
        fieldID: Int, type: FieldType, length: Int, valueOffset: Int, decodedSize size: Int, external: Int?
    ) {
        LayoutFormat.append(fieldID, to: &body)
        body.append(type.rawValue | (external == nil ? 0 : LayoutFormat.external))
        LayoutFormat.append(length, to: &body)
        LayoutFormat.append(valueOffset, to: &body)
        LayoutFormat.append(size, to: &body)
        if let external {
            LayoutFormat.append(external, to: &body)
            externalBytes &+= external
            head |= LayoutFormat.hasExternals
        }
        if type.element == .asset { head |= LayoutFormat.hasAssets }
        if type.isReference { head |= LayoutFormat.hasReferences }
        count &+= 1
        decodedSize &+= size
    }

    mutating func append(_ entry: LayoutEntry) {
        append(
            fieldID: entry.fieldID, type: entry.type, length: entry.entry.count,
            valueOffset: entry.value.lowerBound &- entry.entry.lowerBound, decodedSize: entry.decodedSize,
            external: entry.isExternal ? entry.externalLength : nil)
    }

    func finish() -> [UInt8] {
        var layout: [UInt8] = []
        layout.reserveCapacity(body.count &+ 8)
        layout.append(head)
        LayoutFormat.append(decodedSize, to: &layout)
        LayoutFormat.append(count, to: &layout)
        layout.append(contentsOf: body)
        return layout
    }
}
