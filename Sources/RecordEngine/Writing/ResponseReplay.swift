internal import RecordModel
internal import RecordStorage
internal import RecordWire

/// Replays a stored response, with the caller's current permissions.
struct ResponseReplay {
    let writer: RecordWriter
    let opening: StaticString

    private var transaction: WriteTransaction { writer.transaction }

    /// Fills a response from a stored response.
    ///
    /// - Throws: INTERNAL_ERROR if the stored response is damaged.
    func show(_ remembered: StoredResponse, in response: inout WriteResponse) throws(RecordError) {
        guard let outline = ResponseOutline(remembered.body) else { throw .damagedResponse }
        let isBatch = outline.parts.first == .opening
        var list = RecordList(isBatch ? opening : "")
        for part in outline.parts {
            switch part {
            case .opening: break
            case .text(let text): list.json += text
            case .record(let record): try append(record, to: &list.json)
            case .serverRecord(let name):
                // Send the record's current state. The record only explains why a precondition failed.
                guard let name = RecordName(name), let json = try writer.readableRecord(name),
                    list.bytes + json.count <= transaction.responseBytes
                else { continue }
                list.json.appendServerRecord(json)
            case .notices(let notices): response.notices = Array(notices)
            }
        }
        // Responses to batches without an opening part are stored as a whole.
        if response.outcome == .batch, !isBatch {
            response.document = list.json
        } else {
            response.records = list
        }
    }

    private func append(_ record: ResponseOutline.StoredResponseRecord, to body: inout [UInt8]) throws(RecordError) {
        let found = try transaction.records.find(id: record.id)
        if let found, !found.row.isDeleted, found.row.revision == record.revision,
            let type = transaction.schema[id: found.row.type],
            case let visibility = writer.context.visibility(of: type), visibility.mayRead(found.row.facts)
        {
            try writer.responses.append(
                found.row, type: type, visibility, name: found.name,
                fields: StoredFields(text: found.fields, layout: found.layout), to: &body)
        } else if !record.json.isEmpty, try mayStillRead(record, found?.row) {
            body += record.json
        } else {
            guard let typeName = RecordTypeName(record.typeName) else { throw .damagedResponse }
            var name = record.name
            name.withUTF8 {
                RecordComposer.appendStub(
                    name: UnsafeRawBufferPointer($0), typeName: typeName, revision: record.revision, to: &body)
            }
        }
    }

    /// Returns whether the caller may still read the stored JSON of a record that has changed after the response. The
    /// caller needs WRITE as well, since the JSON may contain an access list.
    private func mayStillRead(
        _ record: ResponseOutline.StoredResponseRecord, _ row: RecordRow?
    ) throws(RecordError) -> Bool {
        guard let typeName = RecordTypeName(record.typeName), let type = transaction.schema[typeName],
            try transaction.callers.lastChangeOfRights(of: writer.caller, in: writer.address.scope) <= record.sequence
        else { return false }
        let visibility = writer.context.visibility(of: type)
        if let row {
            guard row.type == type.id else { return false }
            return visibility.mayRead(row.facts) && visibility.mayWrite(row.facts)
        }
        // The record has no tombstone either, so its last access list is unknown.
        guard !record.hasAccessList else { return false }
        return visibility.mayRead(RecordFacts(creator: record.creator))
    }
}

extension RecordError {
    fileprivate static let damagedResponse = RecordError(
        .internalError, "The first response to this Idempotency-Key cannot be read")
}
