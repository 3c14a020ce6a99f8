package import RecordModel
internal import RecordStorage
package import RecordWire

/// A request for records by name, of any types (CloudKit Web Services Reference, "Fetching Records by Record Name").
package struct NamesRequest: PageRequest {
    let names: [String]
    let address: DatabaseAddress
    /// The sender of the request.
    package var caller: Caller
    let fields: [String]?
    let face: CloudKitFace
    let opening: StaticString

    /// Creates a request.
    ///
    /// - Parameters:
    ///   - names: The record names as received. An invalid name is one without a record.
    ///   - fields: The fields of each record; `nil` for all. Those of `face` take precedence.
    ///   - opening: The protocol's text before the records.
    package init(
        _ names: [String], in address: DatabaseAddress, for caller: Caller, fields: [String]?, as face: CloudKitFace,
        opening: StaticString
    ) {
        self.names = names
        self.address = address
        self.caller = caller
        self.fields = fields
        self.face = face
        self.opening = opening
    }

    /// Makes the page.
    ///
    /// - Returns: `nil` if the time limit ends before the page is complete.
    /// - Throws: See `RecordReader.lookUp`.
    package func page(by reader: RecordReader, _ time: inout PageTimeLimit) throws(RecordError) -> RecordPage? {
        try reader.lookUp(self, &time)
    }
}

extension RecordReader {
    /// Returns one member for each name, in order: the record, or an error.
    ///
    /// The error is NOT_FOUND for a record that does not exist or whose existence the caller may not know, and
    /// ACCESS_DENIED for a record that the caller may write but not read.
    ///
    /// - Throws: AUTHENTICATION_REQUIRED or ACCESS_DENIED for the private database of another account; ZONE_NOT_FOUND;
    ///   BAD_REQUEST with cause TOO_LARGE if the response would be too large; TRY_AGAIN_LATER.
    package func lookUp(_ request: NamesRequest) async throws(RecordError) -> RecordPage {
        try await page(request)
    }

    fileprivate func lookUp(_ request: NamesRequest, _ time: inout PageTimeLimit) throws(RecordError) -> RecordPage? {
        if !Authorization.mayEnter(request.caller, request.address.scope) {
            throw .rejected(request.caller, .read, .privateDatabase)
        }
        let zone = try zoneID(request.address)
        var page = RecordPage(request.opening)
        for (position, name) in request.names.enumerated() {
            page.records.beginMember()
            var bytes = 0
            do throws(RecordError) {
                guard let zone, let name = RecordName(name) else { throw .recordNotFound }
                bytes = try append(name, at: position, zone: zone, request, to: &page.records.json)
            } catch {
                guard error.code != .internalError else { throw error }
                CloudKitComposer.append(error, recordName: name, as: request.face, to: &page.records.json)
            }
            let limit = Self.lookUpPages * database.limits.pageBytes
            guard page.records.bytes <= limit else {
                throw .badRequest(
                    "The records are larger than the \(limit) bytes of one response. Ask for fewer records, or for fewer fields with desiredKeys",
                    cause: .tooLarge, details: [("limit", .number(Int64(limit)))])
            }
            if time.isOver(afterRowOf: bytes), !time.endsPage { return nil }
        }
        return page
    }

    /// The most bytes of a lookup, as a multiple of a page's. Unlike a page, a lookup has a member for each name, so it
    /// cannot end early.
    private static let lookUpPages = 4

    /// Appends the record with a name.
    ///
    /// - Returns: The number of bytes read.
    /// - Throws: NOT_FOUND; ACCESS_DENIED. Nothing is appended then.
    private func append(
        _ name: RecordName, at position: Int, zone: ZoneID, _ request: NamesRequest, to output: inout [UInt8]
    ) throws(RecordError) -> Int {
        guard let cursor = try store.records.find(zone: zone, name: name.text) else { throw .recordNotFound }
        defer { cursor.finish() }
        let row = cursor.row
        guard !row.isDeleted, let type = type(row.type) else { throw .recordNotFound }
        let visibility = Visibility(of: type, for: request.caller, in: request.address.scope)
        guard visibility.knows(row.facts) else { throw .recordNotFound }
        guard visibility.mayRead(row.facts) else { throw .rejected(request.caller, .read, .record(type.name)) }
        let fields = request.face.desiredKeys(at: position) ?? request.fields
        try append(
            cursor.record, row.systemFields, type,
            VisibleFields(fields, of: type, visibility, as: .cloudKit(request.face)), to: &output)
        return cursor.record.fields.count
    }
}
