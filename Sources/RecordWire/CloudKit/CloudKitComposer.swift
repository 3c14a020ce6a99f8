package import RecordModel

/// Composes the record dictionaries of CloudKit's protocol. They are those of `RecordComposer` with a few differences:
///
/// - Assets have only the keys `fileChecksum`, `size` and `downloadURL`.
/// - With `numbersAsStrings`, INT64 and DOUBLE values are strings.
/// - Access lists are left out, and `zoneID` may be added.
package enum CloudKitComposer {
    /// Appends a record that is not deleted.
    ///
    /// - Parameters:
    ///   - header: The header, without an access list.
    ///   - external: Appends the JSON text of an external value, given the value's field number.
    ///   - zone: The `zoneID` as JSON; `nil` to leave it out.
    ///   - downloadURL: Returns the download URL of an asset; `nil` for none.
    /// - Throws: Any error that `external` throws.
    package static func append<Failure: Error>(
        _ header: borrowing RecordHeader, fields: StoredFieldsView, selection: FieldSelection, as face: CloudKitFace,
        external: (_ fieldID: Int, inout [UInt8]) throws(Failure) -> Void, zone: [UInt8]? = nil,
        downloadURL: (Asset) -> String?,
        to text: inout [UInt8]
    ) throws(Failure) {
        RecordComposer.appendHead(header, fieldBytes: fields.text.count, to: &text)
        var isFirst = true
        var filter = FieldFilter(selection)
        for entry in fields.entries where filter.shows(entry.fieldID) {
            if !isFirst { text.append(UInt8(ascii: ",")) }
            isFirst = false
            let element = entry.type.element
            if element == .asset || face.numbersAsStrings && (element == .int64 || element == .double) {
                text.appendBytes(
                    UnsafeRawBufferPointer(rebasing: fields.text[entry.entry.lowerBound..<entry.value.lowerBound]))
                appendMembers(entry, of: fields, downloadURL, to: &text)
            } else if entry.isExternal {
                text.appendBytes(
                    UnsafeRawBufferPointer(rebasing: fields.text[entry.entry.lowerBound..<entry.value.lowerBound]))
                try external(entry.fieldID, &text)
            } else {
                text.appendBytes(UnsafeRawBufferPointer(rebasing: fields.text[entry.entry]))
                continue
            }
            text.appendBytes(
                UnsafeRawBufferPointer(rebasing: fields.text[entry.value.upperBound..<entry.entry.upperBound]))
        }
        RecordComposer.appendTail(header, to: &text)
        appendZone(zone, to: &text)
    }

    /// Appends the dictionary of a record that the caller may write but not read.
    package static func appendStub(
        name: UnsafeRawBufferPointer, typeName: RecordTypeName, revision: Int64, as face: CloudKitFace,
        to text: inout [UInt8]
    ) {
        RecordComposer.appendStub(name: name, typeName: typeName, revision: revision, to: &text)
        // Clients need the keys that every record has.
        text.removeLast()
        text.appendLiteral(",\"fields\":{},\"pluginFields\":{}}")
        appendZone(face.zone.json, to: &text)
    }

    /// Appends the dictionary of a deleted record in a list of changes. As in live responses, its type is null.
    package static func appendTombstone(
        name: UnsafeRawBufferPointer, revision: Int64, as face: CloudKitFace, to text: inout [UInt8]
    ) {
        text.appendLiteral("{\"recordName\":")
        text.appendString(name)
        text.appendLiteral(",\"recordType\":null,\"recordChangeTag\":")
        text.appendString(RecordTag.text(revision))
        text.appendLiteral(",\"deleted\":true}")
        appendZone(face.zone.json, to: &text)
    }

    /// Appends the result of an operation that failed, or of a lookup that found nothing.
    ///
    /// The dictionary has no `recordType`, because clients recognize an error by its absence.
    package static func append(
        _ error: RecordError, recordName: String?, fieldName: String? = nil, ofOperation hasTag: Bool = false,
        as face: CloudKitFace, to text: inout [UInt8]
    ) {
        let error = error.asCloudKit(hasTag: hasTag)
        text.append(UInt8(ascii: "{"))
        if let recordName {
            text.appendLiteral("\"recordName\":")
            text.appendString(recordName)
            text.append(UInt8(ascii: ","))
        }
        if let fieldName {
            text.appendLiteral("\"fieldName\":")
            text.appendString(fieldName)
            text.append(UInt8(ascii: ","))
        }
        text.appendLiteral("\"reason\":")
        text.appendString(error.reason)
        text.appendLiteral(",\"serverErrorCode\":")
        text.appendString(error.code.rawValue)
        if let seconds = error.retryAfter {
            text.appendLiteral(",\"retryAfter\":")
            text.appendInteger(Int64(seconds))
        }
        if error.code == .authenticationRequired, let url = face.redirectURL {
            text.appendLiteral(",\"redirectURL\":")
            text.appendString(url)
        }
        text.appendLiteral(",\"uuid\":")
        text.appendString(CloudKitUUID.text(ofRequest: face.requestID))
        text.append(UInt8(ascii: "}"))
    }

    /// Appends the value of a field whose members are not written as they are stored: assets and numbers.
    private static func appendMembers(
        _ entry: LayoutEntry, of fields: StoredFieldsView, _ downloadURL: (Asset) -> String?, to text: inout [UInt8]
    ) {
        let start = text.count
        var reader = JSONReader(fields.text)
        reader.position = entry.value.lowerBound
        do {
            let token = try reader.value()
            guard token.end == entry.value.upperBound else { throw ValueMismatch(token) }
            if entry.type.isList {
                var separator = UInt8(ascii: "[")
                try CanonicalValue.forEachMember(token, of: reader) { member throws(ValueMismatch) in
                    text.append(separator)
                    separator = UInt8(ascii: ",")
                    try append(member, of: reader, entry.type.element, downloadURL, to: &text)
                }
                if separator == UInt8(ascii: "[") { text.append(separator) }
                text.append(UInt8(ascii: "]"))
            } else {
                try append(token, of: reader, entry.type, downloadURL, to: &text)
            }
        } catch {
            // Copy a damaged value unchanged. The doctor's `check` reports it.
            text.removeLast(text.count &- start)
            text.appendBytes(UnsafeRawBufferPointer(rebasing: fields.text[entry.value]))
        }
    }

    private static func append(
        _ token: JSONToken, of reader: JSONReader, _ type: FieldType, _ downloadURL: (Asset) -> String?,
        to text: inout [UInt8]
    ) throws(ValueMismatch) {
        guard type == .asset else {
            text.append(UInt8(ascii: "\""))
            text.appendBytes(UnsafeRawBufferPointer(rebasing: reader.bytes[token.range]))
            text.append(UInt8(ascii: "\""))
            return
        }
        appendAsset(try CompositeReader.asset(token, of: reader), downloadURL, to: &text)
    }

    private static func appendAsset(_ asset: Asset, _ downloadURL: (Asset) -> String?, to text: inout [UInt8]) {
        text.appendLiteral("{\"fileChecksum\":")
        text.appendString(asset.fileChecksum)
        text.appendLiteral(",\"size\":")
        text.appendInteger(asset.size)
        if let url = downloadURL(asset) {
            text.appendLiteral(",\"downloadURL\":")
            text.appendString(url)
        }
        text.append(UInt8(ascii: "}"))
    }

    private static func appendZone(_ zone: [UInt8]?, to text: inout [UInt8]) {
        guard let zone else { return }
        text.removeLast()
        text.appendLiteral(",\"zoneID\":")
        text += zone
        text.append(UInt8(ascii: "}"))
    }
}

extension CloudKitZoneID {
    /// The zone dictionary of a response as JSON, with the zone's type.
    package var json: [UInt8] {
        var text: [UInt8] = []
        append(to: &text)
        return text
    }

    /// Appends the zone dictionary of a response, with the zone's type.
    package func append(to text: inout [UInt8]) {
        text.appendLiteral("{\"zoneName\":")
        text.appendString(zoneName)
        if let ownerRecordName {
            text.appendLiteral(",\"ownerRecordName\":")
            text.appendString(ownerRecordName)
        }
        text.appendLiteral(",\"zoneType\":")
        text.appendString(isDefault ? "DEFAULT_ZONE" : "REGULAR_CUSTOM_ZONE")
        text.append(UInt8(ascii: "}"))
    }
}
