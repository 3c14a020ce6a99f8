package import RecordModel

/// The members of a record dictionary other than the fields. The type is not copyable: in a measurement, copying it
/// took a fifth of the time of writing a page.
package struct RecordHeader: ~Copyable {
    /// The record's name in UTF-8.
    package var name: UnsafeRawBufferPointer
    /// The record type.
    package var typeName: RecordTypeName
    /// The revision of the record. The change tag is derived from it.
    package var revision: Int64
    /// The time of creation, in milliseconds since 1970-01-01 UTC.
    package var created: Int64
    /// The record name of the user who created the record.
    package var creator: String
    /// The time of the last change, in milliseconds since 1970-01-01 UTC.
    package var modified: Int64
    /// The record name of the user who last changed the record.
    package var modifier: String
    /// The access list as JSON text; `nil` if the caller may not see it.
    package var access: [UInt8]?

    /// Creates the header of a record that is to be written.
    package init(
        name: UnsafeRawBufferPointer, typeName: RecordTypeName, revision: Int64, created: Int64, creator: String,
        modified: Int64, modifier: String, access: [UInt8]? = nil
    ) {
        self.name = name
        self.typeName = typeName
        self.revision = revision
        self.created = created
        self.creator = creator
        self.modified = modified
        self.modifier = modifier
        self.access = access
    }
}

/// Composes record dictionaries (CloudKit Web Services Reference, "Record Dictionary") by copying ranges of stored
/// text.
package enum RecordComposer {
    /// Appends a record that is not deleted.
    ///
    /// - Parameters:
    ///   - external: Appends the JSON text of an external value, given the value's field number.
    ///   - downloadURL: Returns the download URL of an asset. Without this closure, assets have no download URL.
    /// - Throws: Any error that `external` throws.
    package static func append<Failure: Error>(
        _ header: borrowing RecordHeader, fields: StoredFieldsView, selection: FieldSelection,
        external: (_ fieldID: Int, inout [UInt8]) throws(Failure) -> Void,
        downloadURL: ((_ fieldID: Int, Asset) -> String?)? = nil, to text: inout [UInt8]
    ) throws(Failure) {
        appendHead(header, fieldBytes: fields.text.count, to: &text)
        try appendFields(fields, selection, external, downloadURL, to: &text)
        appendTail(header, to: &text)
    }

    /// Appends a record as the file of a container has it: without change tag and URLs. The caller appends further
    /// members and the brace that ends the object.
    package static func appendExported<Failure: Error>(
        _ header: borrowing RecordHeader, fields: StoredFieldsView,
        external: (_ fieldID: Int, inout [UInt8]) throws(Failure) -> Void, to text: inout [UInt8]
    ) throws(Failure) {
        appendHead(header, fieldBytes: fields.text.count, to: &text)
        try appendFields(fields, .all, external, nil, to: &text)
        text.appendLiteral("},")
        appendStamps(header, to: &text)
    }

    /// Appends a record whose layout is plain (`StoredFieldsView.isPlain`).
    ///
    /// - Parameter fields: The stored text.
    /// - Throws: `INTERNAL_ERROR` if the selection needs the layout and the layout is damaged. Nothing is appended
    ///   then.
    package static func append(
        _ header: borrowing RecordHeader, plainFields fields: UnsafeRawBufferPointer, layout: UnsafeRawBufferPointer,
        selection: FieldSelection, to text: inout [UInt8]
    ) throws(RecordError) {
        let start = text.count
        appendHead(header, fieldBytes: fields.count, to: &text)
        if case .all = selection {
            text.appendBytes(fields)
        } else if !appendSelected(selection, fields, layout, to: &text) {
            text.removeLast(text.count &- start)
            throw .damagedFields
        }
        appendTail(header, to: &text)
    }

    /// Appends a record whose layout is plain, from fields in arrays.
    ///
    /// - Throws: `INTERNAL_ERROR` if the selection needs the layout and the layout is damaged. Nothing is appended
    ///   then.
    package static func append(
        _ header: borrowing RecordHeader, plainFields fields: StoredFields, selection: FieldSelection,
        to text: inout [UInt8]
    ) throws(RecordError) {
        try fields.text.withUnsafeBufferPointer { stored throws(RecordError) in
            try fields.layout.withUnsafeBufferPointer { layout throws(RecordError) in
                try append(
                    header, plainFields: UnsafeRawBufferPointer(stored), layout: UnsafeRawBufferPointer(layout),
                    selection: selection, to: &text)
            }
        }
    }

    /// Appends the selected fields. Adjacent fields are copied as one range, including the commas between them.
    ///
    /// - Returns: False if the layout is damaged.
    private static func appendSelected(
        _ selection: FieldSelection, _ fields: UnsafeRawBufferPointer, _ layout: UnsafeRawBufferPointer,
        to text: inout [UInt8]
    ) -> Bool {
        guard let head = LayoutHead(layout) else { return false }
        var filter = FieldFilter(selection)
        var scan = LayoutIterator(text: fields, layout: layout, position: head.firstEntry)
        var seen = 0
        var isFirst = true
        var run = 0..<0
        func appendRun() {
            guard !run.isEmpty else { return }
            if !isFirst { text.append(UInt8(ascii: ",")) }
            isFirst = false
            text.appendBytes(UnsafeRawBufferPointer(rebasing: fields[run]))
            run = 0..<0
        }
        while let entry = scan.next() {
            seen &+= 1
            if filter.shows(entry.fieldID) {
                run = (run.isEmpty ? entry.entry.lowerBound : run.lowerBound)..<entry.entry.upperBound
            } else {
                appendRun()
            }
        }
        appendRun()
        return scan.isComplete && seen == head.count
    }

    static func appendHead(_ header: borrowing RecordHeader, fieldBytes: Int, to text: inout [UInt8]) {
        grow(&text, by: header.name.count &+ fieldBytes &+ 384)
        if appendHeadPiece(header, to: &text) { return }
        text.appendLiteral("{\"recordName\":")
        text.appendString(header.name)
        text.appendLiteral(",\"recordType\":\"")
        appendPlain(header.typeName.text, to: &text)
        text.appendLiteral("\",\"fields\":{")
    }

    static func appendTail(_ header: borrowing RecordHeader, to text: inout [UInt8]) {
        if appendTailPiece(header, to: &text) { return }
        text.appendLiteral("},\"pluginFields\":{},\"recordChangeTag\":\"")
        RecordTag.append(header.revision, to: &text)
        text.appendLiteral("\",")
        appendStamps(header, to: &text)
        text.appendLiteral(",\"deleted\":false}")
    }

    /// Appends the dates and users of a record, and its access list.
    private static func appendStamps(_ header: borrowing RecordHeader, to text: inout [UInt8]) {
        text.appendLiteral("\"created\":{\"timestamp\":")
        appendMoment(header.created, header.creator, to: &text)
        text.appendLiteral(",\"modified\":{\"timestamp\":")
        appendMoment(header.modified, header.modifier, to: &text)
        if let access = header.access {
            text.appendLiteral(",\"acl\":")
            text.append(contentsOf: access)
        }
    }

    /// Appends the dictionary of a deleted record.
    package static func appendTombstone(name: UnsafeRawBufferPointer, typeName: RecordTypeName, to text: inout [UInt8])
    {
        text.appendLiteral("{\"recordName\":")
        text.appendString(name)
        text.appendLiteral(",\"recordType\":\"")
        appendPlain(typeName.text, to: &text)
        text.appendLiteral("\",\"deleted\":true}")
    }

    /// Appends the dictionary of a record that left a feed: name and type.
    package static func appendReference(name: UnsafeRawBufferPointer, typeName: RecordTypeName, to text: inout [UInt8])
    {
        text.appendLiteral("{\"recordName\":")
        text.appendString(name)
        text.appendLiteral(",\"recordType\":\"")
        appendPlain(typeName.text, to: &text)
        text.appendLiteral("\"}")
    }

    /// Appends the dictionary of a record that the caller may write but not read: name, type and change tag.
    package static func appendStub(
        name: UnsafeRawBufferPointer, typeName: RecordTypeName, revision: Int64, to text: inout [UInt8]
    ) {
        text.appendLiteral("{\"recordName\":")
        text.appendString(name)
        text.appendLiteral(",\"recordType\":\"")
        appendPlain(typeName.text, to: &text)
        text.appendLiteral("\",\"recordChangeTag\":\"")
        RecordTag.append(revision, to: &text)
        text.appendLiteral("\",\"deleted\":false}")
    }

    @inline(__always)
    private static func appendFields<Failure: Error>(
        _ fields: StoredFieldsView, _ selection: FieldSelection,
        _ external: (_ fieldID: Int, inout [UInt8]) throws(Failure) -> Void,
        _ downloadURL: ((_ fieldID: Int, Asset) -> String?)?, to text: inout [UInt8]
    ) throws(Failure) {
        if case .all = selection, !fields.hasExternals, downloadURL == nil || !fields.hasAssets {
            text.appendBytes(fields.text)
            return
        }
        var isFirst = true
        var filter = FieldFilter(selection)
        for entry in fields.entries where filter.shows(entry.fieldID) {
            if !isFirst { text.append(UInt8(ascii: ",")) }
            isFirst = false
            if entry.type.element == .asset, let downloadURL {
                appendAssets(entry, of: fields, downloadURL, to: &text)
                continue
            }
            guard entry.isExternal else {
                text.appendBytes(UnsafeRawBufferPointer(rebasing: fields.text[entry.entry]))
                continue
            }
            grow(&text, by: entry.entry.count &+ entry.externalLength)
            text.appendBytes(
                UnsafeRawBufferPointer(rebasing: fields.text[entry.entry.lowerBound..<entry.value.lowerBound]))
            try external(entry.fieldID, &text)
            text.appendBytes(
                UnsafeRawBufferPointer(rebasing: fields.text[entry.value.upperBound..<entry.entry.upperBound]))
        }
    }

    /// Appends an ASSET or ASSET_LIST field with download URLs.
    private static func appendAssets(
        _ entry: LayoutEntry, of fields: StoredFieldsView, _ downloadURL: (_ fieldID: Int, Asset) -> String?,
        to text: inout [UInt8]
    ) {
        var copied = entry.entry.lowerBound
        var reader = JSONReader(fields.text)
        reader.position = entry.value.lowerBound
        // Copy a value that is no valid asset unchanged. The doctor's `check` reports it.
        if let token = try? reader.value(), token.end == entry.value.upperBound {
            func append(_ token: JSONToken) throws(ValueMismatch) {
                guard let url = downloadURL(entry.fieldID, try CompositeReader.asset(token, of: reader)) else { return }
                text.appendBytes(UnsafeRawBufferPointer(rebasing: fields.text[copied..<(token.end &- 1)]))
                text.appendLiteral(",\"downloadURL\":")
                text.appendString(url)
                copied = token.end &- 1
            }
            if entry.type.isList {
                try? CanonicalValue.forEachMember(token, of: reader, append)
            } else {
                try? append(token)
            }
        }
        text.appendBytes(UnsafeRawBufferPointer(rebasing: fields.text[copied..<entry.entry.upperBound]))
    }

    /// Appends a time and user. `deviceID` is always `2`, as CloudKit shows for records that a server wrote.
    @inline(__always)
    private static func appendMoment(_ milliseconds: Int64, _ user: String, to text: inout [UInt8]) {
        text.appendInteger(milliseconds)
        text.appendLiteral(",\"userRecordName\":")
        text.appendString(user)
        text.appendLiteral(",\"deviceID\":\"2\"}")
    }

    /// Appends an identifier, which needs no escaping.
    @inline(__always)
    private static func appendPlain(_ identifier: String, to text: inout [UInt8]) {
        var copy = identifier
        copy.withUTF8 { text.appendBytes(UnsafeRawBufferPointer($0)) }
    }

    /// Reserves capacity. The capacity at least doubles, so that a page of records needs a logarithmic number of
    /// allocations.
    @inline(__always)
    private static func grow(_ text: inout [UInt8], by count: Int) {
        if text.capacity &- text.count < count { text.reserveCapacity(max(text.count &+ count, text.capacity &* 2)) }
    }
}
