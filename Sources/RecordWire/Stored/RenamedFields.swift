package import RecordModel

extension StoredFieldsView {
    /// Returns the fields with the names that a type gives them by number; `nil` if they have these names already.
    ///
    /// Fields that the type lacks keep their names. The doctor reports them.
    package func renamed(for type: RecordTypeDefinition) -> StoredFields? {
        guard entries.contains(where: { hasOtherName($0, in: type) }) else { return nil }
        var renamed: [UInt8] = []
        renamed.reserveCapacity(text.count &+ 64)
        var layout = LayoutWriter(entries: count)
        for entry in entries {
            if !renamed.isEmpty { renamed.append(UInt8(ascii: ",")) }
            let start = renamed.count
            CanonicalValue.appendEntryHead(type[id: entry.fieldID]?.name.text ?? name(of: entry), to: &renamed)
            let valueOffset = renamed.count &- start
            renamed.appendBytes(UnsafeRawBufferPointer(rebasing: text[entry.value.lowerBound..<entry.entry.upperBound]))
            layout.append(
                fieldID: entry.fieldID, type: entry.type, length: renamed.count &- start, valueOffset: valueOffset,
                decodedSize: entry.decodedSize, external: entry.isExternal ? entry.externalLength : nil)
        }
        return StoredFields(text: renamed, layout: layout.finish())
    }

    private func hasOtherName(_ entry: LayoutEntry, in type: RecordTypeDefinition) -> Bool {
        guard let name = type[id: entry.fieldID]?.name.text else { return false }
        let stored = text[(entry.entry.lowerBound + 1)..<(entry.value.lowerBound - LayoutFormat.afterName)]
        return !name.utf8.elementsEqual(stored)
    }
}

extension StoredFields {
    /// Returns the fields with the names that a type gives them by number.
    ///
    /// - Throws: `INTERNAL_ERROR` if the layout is damaged.
    package func renamed(for type: RecordTypeDefinition) throws(RecordError) -> StoredFields {
        try withView { view throws(RecordError) in view.renamed(for: type) } ?? self
    }
}
