package import RecordModel

/// What is worth knowing of a key that `IndexKey` made.
package struct IndexKeyTraits: Hashable, Sendable {
    /// Whether the record has a value in every column.
    package var isComplete = true
    /// The position of the first column whose text is longer than what the key keeps of it.
    package var cutColumn: Int?

    package init() {}
}

extension IndexedRecord {
    /// The keys of the record in an index: one in an ordered index; one per distinct member, ascending, in one on a list.
    ///
    /// - Throws: `INTERNAL_ERROR` if the stored fields are damaged.
    package func keys(of index: IndexDefinition) throws(RecordError) -> [[UInt8]] {
        switch index.kind {
        case .ordered:
            var key: [UInt8] = []
            try appendKey(of: index, to: &key)
            return [key]
        case .members: return try memberKeys(of: index)
        case .widening: return []
        }
    }

    /// Appends the one key of the record in an ordered index.
    @discardableResult
    package func appendKey(of index: IndexDefinition, to key: inout [UInt8]) throws(RecordError) -> IndexKeyTraits {
        var traits = IndexKeyTraits()
        for (position, column) in index.columns.enumerated() {
            switch column.source {
            case .field(let id):
                guard let entry = fields.entry(id), !entry.isExternal else {
                    traits.isComplete = false
                    IndexKey.append(nil, isAscending: column.isAscending, to: &key)
                    continue
                }
                if traits.cutColumn == nil, entry.type == .string || entry.type == .reference,
                    IndexKey.mayBeCut(entry.decodedSize)
                {
                    traits.cutColumn = position
                }
                try append(entry, column, to: &key)
            case .system(let field):
                // Numbers only: the names of records are no columns.
                let value: QueryValue? =
                    switch field {
                    case .createdTimestamp: .integer(created)
                    case .modifiedTimestamp: .integer(modified)
                    case .createdUserRecordName: .account(creator)
                    case .modifiedUserRecordName: .account(modifier)
                    default: nil
                    }
                if value == nil { traits.isComplete = false }
                IndexKey.append(value, isAscending: column.isAscending, to: &key)
            }
        }
        return traits
    }

    /// Appends a value straight from its canonical text where that is quicker than to decode it.
    private func append(
        _ entry: LayoutEntry, _ column: IndexDefinition.Column, to key: inout [UInt8]
    ) throws(RecordError) {
        let isAscending = column.isAscending
        let text = fields.valueText(of: entry)
        switch entry.type {
        case .int64, .timestamp:
            guard let integer = Self.integer(text) else { throw .damagedFields(fieldID: entry.fieldID) }
            let value = QueryValue.integer(integer)
            IndexKey.append(
                column.readsAsDouble && entry.type == .int64 ? value.asDouble : value, isAscending: isAscending,
                to: &key)
            return
        case .string:
            if let plain = Self.plainText(text, from: 1) {
                IndexKey.append(text: plain, isAscending: isAscending, to: &key)
                return
            }
        case .reference:
            if let plain = Self.plainText(text, from: Self.referenceHead) {
                IndexKey.append(text: plain, isAscending: isAscending, to: &key)
                return
            }
        default: break
        }
        let value = QueryValue(try CanonicalValue.decode(text, as: entry.type))
        IndexKey.append(value, isAscending: isAscending, to: &key)
    }

    /// The length of `{"recordName":"`.
    private static let referenceHead = 15

    /// The number that canonical decimal text says.
    private static func integer(_ text: UnsafeRawBufferPointer) -> Int64? {
        guard let first = text.first else { return nil }
        let isNegative = first == UInt8(ascii: "-")
        guard text.count > (isNegative ? 1 : 0) else { return nil }
        // Downwards, since the least number has no positive twin.
        var number: Int64 = 0
        for byte in text[(isNegative ? 1 : 0)...] {
            let digit = byte &- UInt8(ascii: "0")
            guard digit < 10 else { return nil }
            let (product, isLarge) = number.multipliedReportingOverflow(by: 10)
            let (sum, isLarger) = product.subtractingReportingOverflow(Int64(digit))
            guard !isLarge, !isLarger else { return nil }
            number = sum
        }
        if isNegative { return number }
        return number == .min ? nil : -number
    }

    /// As much of the string that begins at an offset as a key keeps; `nil` if it has escapes there.
    private static func plainText(_ text: UnsafeRawBufferPointer, from start: Int) -> UnsafeRawBufferPointer? {
        let limit = min(text.count, start &+ IndexKey.textBytes)
        guard start < text.count, text[start &- 1] == UInt8(ascii: "\"") else { return nil }
        var end = start
        while end < limit {
            let byte = text[end]
            if byte == UInt8(ascii: "\"") { break }
            if byte == UInt8(ascii: "\\") { return nil }
            end &+= 1
        }
        return UnsafeRawBufferPointer(rebasing: text[start..<end])
    }

    private func memberKeys(of index: IndexDefinition) throws(RecordError) -> [[UInt8]] {
        guard let column = index.columns.first, case .field(let id) = column.source else { return [] }
        var keys: [[UInt8]] = []
        for member in try members(of: id, asDouble: column.readsAsDouble) {
            var key: [UInt8] = []
            IndexKey.append(member, isAscending: column.isAscending, to: &key)
            keys.append(key)
        }
        keys.sort { $0.lexicographicallyPrecedes($1) }
        // Two members may be one to the index: texts that differ behind what a key keeps.
        var distinct = 0
        for position in keys.indices where position == 0 || keys[position] != keys[distinct - 1] {
            keys.swapAt(distinct, position)
            distinct += 1
        }
        keys.removeSubrange(distinct...)
        return keys
    }

    /// Whether the record may have other keys in an index than another state of it: cheap, and sure only if false.
    package func mayDiffer(from other: IndexedRecord, inField id: Int) -> Bool {
        switch (fields.entry(id), other.fields.entry(id)) {
        case (nil, nil): return false
        case (let mine?, let theirs?):
            return !fields.valueText(of: mine).elementsEqual(other.fields.valueText(of: theirs))
        default: return true
        }
    }
}
