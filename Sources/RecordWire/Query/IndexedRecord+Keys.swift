internal import Geography
package import RecordModel
internal import TextSearch

/// Properties of a key that `IndexedRecord` built.
package struct IndexKeyTraits: Hashable, Sendable {
    /// Whether the record has a value in every column.
    package var isComplete = true
    /// The position of the first column whose text is truncated in the key.
    package var truncatedColumn: Int?

    /// Creates the properties of a complete key without truncated texts.
    package init() {}
}

extension IndexedRecord {
    /// Returns the keys of the record in an index. An ordered index contains one key. An index on a list contains one
    /// key per distinct member, and the keys are returned in ascending order.
    ///
    /// - Throws: `INTERNAL_ERROR` if the stored fields are damaged.
    package func keys(of index: IndexDefinition) throws(RecordError) -> [[UInt8]] {
        var keys = KeyList()
        try appendKeys(of: index, to: &keys)
        return keys.all
    }

    /// Appends the keys of the record in an index to an empty list, in ascending order and without duplicates.
    ///
    /// - Throws: `INTERNAL_ERROR` if the stored fields are damaged.
    package func appendKeys(of index: IndexDefinition, to keys: inout KeyList) throws(RecordError) {
        switch index.kind {
        case .ordered:
            var key: [UInt8] = []
            try appendKey(of: index, to: &key)
            keys.append { $0.append(contentsOf: key) }
        case .members: try appendMemberKeys(of: index, to: &keys)
        case .parts: try appendPartKeys(of: index, to: &keys)
        case .words: try appendWordKeys(of: index, to: &keys)
        case .places: try appendPlaceKeys(of: index, to: &keys)
        case .widening: return
        }
    }

    /// Appends the record's key in an ordered index.
    ///
    /// - Throws: `INTERNAL_ERROR` if the stored fields are damaged.
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
                if column.form != .exact {
                    let value = QueryValue(try CanonicalValue.decode(fields.valueText(of: entry), as: entry.type))
                    let formed = value.map { column.form.of($0, first: IndexKey.decidingBytes) }
                    if case .text(let text)? = formed, IndexKey.mayBeTruncated(text.count),
                        traits.truncatedColumn == nil
                    {
                        traits.truncatedColumn = position
                    }
                    IndexKey.append(formed, isAscending: column.isAscending, to: &key)
                    continue
                }
                if traits.truncatedColumn == nil, entry.type == .string || entry.type == .reference,
                    IndexKey.mayBeTruncated(entry.decodedSize)
                {
                    traits.truncatedColumn = position
                }
                try append(entry, column, to: &key)
            case .system(let field):
                // These system fields are numbers only, because record names cannot be columns.
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

    /// Appends a value to a key. The canonical text is converted directly where this is faster than decoding.
    ///
    /// - Throws: `INTERNAL_ERROR` if the text is damaged.
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

    /// Returns the number that a canonical decimal text represents.
    private static func integer(_ text: UnsafeRawBufferPointer) -> Int64? {
        guard let first = text.first else { return nil }
        let isNegative = first == UInt8(ascii: "-")
        guard text.count > (isNegative ? 1 : 0) else { return nil }
        // Accumulate a negative number, because the magnitude of the least Int64 does not fit in an Int64.
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

    /// Returns the content of the string that starts at an offset, truncated to the length that a key keeps. The result
    /// is `nil` if this content contains escapes.
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

    private func appendMemberKeys(of index: IndexDefinition, to keys: inout KeyList) throws(RecordError) {
        guard let column = index.columns.first, case .field(let id) = column.source else { return }
        for member in try members(of: id, asDouble: column.readsAsDouble) {
            let formed = column.form.of(member, first: IndexKey.decidingBytes)
            keys.append { IndexKey.append(formed, isAscending: column.isAscending, to: &$0) }
        }
        // Two distinct members can have the same key, because keys truncate long texts.
        keys.sort()
    }

    private func appendPartKeys(of index: IndexDefinition, to keys: inout KeyList) throws(RecordError) {
        guard let column = index.columns.first, case .field(let id) = column.source else { return }
        func appendFallback() { keys.append { IndexKey.append(.text([]), isAscending: column.isAscending, to: &$0) } }
        var parts: [UInt64] = []
        var bytes = 0
        for text in try texts(of: id) {
            let formed = column.form.of(text, first: TextParts.maxBytesPerRecord + 1) { _ in }
            bytes += formed.count
            if bytes > TextParts.maxBytesPerRecord { return appendFallback() }
            TextParts.append(formed, to: &parts)
        }
        parts.sort()
        var distinct = 0
        for position in parts.indices where position == 0 || parts[position] != parts[distinct - 1] {
            parts[distinct] = parts[position]
            distinct += 1
        }
        if distinct > TextParts.maxPerRecord { return appendFallback() }
        var text: [UInt8] = []
        for part in parts[..<distinct] {
            text.removeAll(keepingCapacity: true)
            TextParts.append(part, to: &text)
            keys.append { key in
                text.withUnsafeBytes { IndexKey.append(text: $0, isAscending: column.isAscending, to: &key) }
            }
        }
    }

    private func appendPlaceKeys(of index: IndexDefinition, to keys: inout KeyList) throws(RecordError) {
        guard let column = index.columns.first, case .field(let id) = column.source else { return }
        let places = try places(of: id)
        guard !places.isEmpty else { return keys.append { IndexKey.append(nil as PlaceKey?, to: &$0) } }
        for place in Set(places.map(PlaceKey.init)).sorted() { keys.append { IndexKey.append(place, to: &$0) } }
    }

    private func appendWordKeys(of index: IndexDefinition, to keys: inout KeyList) throws(RecordError) {
        guard let column = index.columns.first, case .field(let id) = column.source, fields.entry(id) != nil
        else { return }
        var terms = IndexTerms()
        for text in try texts(of: id) { terms.add(text) }
        func append(_ text: [UInt8], _ payload: Int64) {
            keys.append(payload: payload) { key in
                text.withUnsafeBytes { IndexKey.append(text: $0, isAscending: column.isAscending, to: &key) }
            }
        }
        append(TextTerms.everyRecord, Int64(FieldLength(terms.lengths[0]).code))
        let postings = terms.postings
        if postings.count > TextTerms.maxPerRecord { return append(TextTerms.overflow, 0) }
        for posting in postings { append(posting.term, posting.payload.rawValue) }
    }

    /// Returns the text of a STRING, or the members of a STRING_LIST; empty if the record lacks the field.
    ///
    /// - Throws: `INTERNAL_ERROR` if the stored fields are damaged.
    package func texts(of id: Int) throws(RecordError) -> [[UInt8]] {
        guard let entry = fields.entry(id) else { return [] }
        let values = entry.type.isList ? try members(of: id) : try [value(of: .field(id))].compactMap(\.self)
        return values.compactMap { if case .text(let text) = $0 { text } else { nil } }
    }
}
