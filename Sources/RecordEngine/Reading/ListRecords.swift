package import RecordModel
internal import RecordStorage
internal import RecordWire

extension RecordReader {
    /// Appends `{"records":[…],"cursor"?}`: a page of a type's records in creation order.
    ///
    /// A page ends at `limit` records or, earlier, when it passes the configured bytes.
    ///
    /// - Parameters:
    ///   - limit: 1 to the configured page size.
    ///   - cursor: Where the previous page of the same caller and listing ended.
    /// - Throws: AUTHENTICATION_REQUIRED or ACCESS_DENIED if the caller may read none; NOT_FOUND for an unknown type in
    ///   production (in development the list is empty); TOKEN_INVALID for a cursor of another listing.
    package func list(
        type typeName: RecordTypeName, in address: DatabaseAddress, for caller: Caller, fields: [String]?,
        limit: Int, cursor text: String?, to output: inout [UInt8]
    ) throws(RecordError) {
        guard let type = schema[typeName] else {
            guard database.environment == .development else {
                throw RecordError(.notFound, "Unknown record type", cause: .unknownName)
            }
            output.appendLiteral("{\"records\":[]}")
            return
        }
        let reach = Authorization.reach(of: .read, for: caller, in: address.scope, grants: type.grants)
        if reach == .none {
            throw .refused(caller == .anonymous ? .authenticationRequired : .denied, .read)
        }
        guard let zone = try zoneID(address) else {
            output.appendLiteral("{\"records\":[]}")
            return
        }
        let listing = ListingCursor.Binding(zone: zone, type: type.id, caller: caller)
        let after = try text.map { text throws(RecordError) in
            try ListingCursor.open(text, listing, with: database.keys)
        }
        let selection = FieldSelection(fields, of: type)
        output.appendLiteral("{\"records\":[")
        let start = output.count
        var last: Int64 = 0
        var count = 0
        var hasMore = false
        var read = 0
        // One more than the page: whether it comes decides on the cursor.
        let first = try store { () throws(StoreError) in
            try reading.list(zone: zone, type: type.id, after: after ?? 0, limit: limit + 1, reach: reach)
        }
        if let records = first {
            defer { records.finish() }
            repeat {
                if count == limit || output.count - start > database.limits.pageBytes
                    || read / Self.readPerShown > database.limits.pageBytes
                {
                    hasMore = true
                    break
                }
                let row = records.row
                read += records.fields.count
                if count > 0 { output.append(UInt8(ascii: ",")) }
                try append(records, row, type, selection: selection, to: &output)
                last = row.id
                count += 1
            } while try store({ () throws(StoreError) in try records.next() })
        }
        output.append(UInt8(ascii: "]"))
        if hasMore {
            output.appendLiteral(",\"cursor\":")
            output.appendString(ListingCursor.seal(last, listing, with: database.keys))
        }
        output.append(UInt8(ascii: "}"))
    }
}
