internal import RecordModel
internal import RecordStorage
internal import RecordWire

/// Shows a remembered answer again, to the caller and by the rights of a request.
struct AnswerReplay {
    let writer: RecordWriter
    let opening: StaticString

    private var transaction: WriteTransaction { writer.transaction }

    /// Puts what is remembered of an answer into one.
    func show(_ remembered: RememberedAnswer, in answer: inout WriteAnswer) throws(RecordError) {
        guard let outline = AnswerOutline(remembered.body) else { throw .damagedAnswer }
        let isBatch = outline.parts.first == .opening
        var list = RecordList(isBatch ? opening : "")
        for part in outline.parts {
            switch part {
            case .opening: break
            case .text(let text): list.json += text
            case .record(let record): try append(record, to: &list.json)
            case .serverRecord(let name):
                // Since it is about a state that hindered, that of now is as good.
                guard let name = RecordName(name), let json = try writer.readableRecord(name),
                    list.bytes + json.count <= transaction.answerBytes
                else { continue }
                list.json.appendServerRecord(json)
            case .notices(let notices): answer.notices = Array(notices)
            }
        }
        // Earlier versions remembered answers to batches as a whole.
        if answer.outcome == .batch, !isBatch {
            answer.document = list.json
        } else {
            answer.records = list
        }
    }

    private func append(_ record: AnswerOutline.RememberedRecord, to body: inout [UInt8]) throws(RecordError) {
        let found = try transaction.records.find(id: record.id)
        if let found, !found.row.isDeleted, found.row.revision == record.revision,
            let type = transaction.schema[id: found.row.type],
            case let visibility = writer.context.visibility(of: type), visibility.mayRead(found.row.facts)
        {
            try writer.answers.append(
                found.row, type: type, visibility, name: found.name,
                fields: StoredFields(text: found.fields, layout: found.layout), to: &body)
        } else if !record.json.isEmpty, try mayStillRead(record, found?.row) {
            body += record.json
        } else {
            guard let typeName = RecordTypeName(record.typeName) else { throw .damagedAnswer }
            var name = record.name
            name.withUTF8 {
                RecordComposer.appendStub(
                    name: UnsafeRawBufferPointer($0), typeName: typeName, revision: record.revision, to: &body)
            }
        }
    }

    /// Whether the caller may read what it was shown of a record that has changed since. Its access list stands there too,
    /// for those who may write the record.
    private func mayStillRead(
        _ record: AnswerOutline.RememberedRecord, _ row: RecordRow?
    ) throws(RecordError) -> Bool {
        guard let typeName = RecordTypeName(record.typeName), let type = transaction.schema[typeName],
            try transaction.callers.lastChangeOfRights(of: writer.caller, in: writer.address.scope) <= record.sequence
        else { return false }
        let visibility = writer.context.visibility(of: type)
        if let row {
            guard row.type == type.id else { return false }
            return visibility.mayRead(row.facts) && visibility.mayWrite(row.facts)
        }
        // Not even its tombstone is left. What a list would say now, nobody knows.
        guard !record.isGuarded else { return false }
        return visibility.mayRead(RecordFacts(creator: record.creator))
    }
}

extension RecordError {
    fileprivate static let damagedAnswer = RecordError(
        .internalError, "The first answer to this Idempotency-Key cannot be read")
}
