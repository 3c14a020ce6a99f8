internal import RecordModel
internal import RecordStorage
internal import RecordWire

/// Answers to requests with an idempotency key.
///
/// A short answer comes again as it was: who draws a number, and asks again for it, gets the number that was drawn. Of a
/// longer one it is remembered which state each record had: one that still has it is shown again, another by name, type
/// and tag. Whatever is shown is judged by what the caller may read now.
extension WriteTransaction {
    /// The first answer to a request, if its key is known.
    ///
    /// - Throws: BAD_REQUEST if the key is another request's.
    func remembered(_ request: WriteRequest, _ key: IdempotencyKey) throws(RecordError) -> WriteAnswer? {
        guard let (found, outcome) = try find(key, for: request.caller) else { return nil }
        let body = try RecordWriter(self, request).body(of: found)
        return WriteAnswer(outcome: outcome, name: found.name, tag: found.tag, body: body, isReplay: true)
    }

    /// The same of an answer that shows no records.
    func remembered(_ key: IdempotencyKey, for caller: Caller) throws(RecordError) -> WriteAnswer? {
        guard let (found, outcome) = try find(key, for: caller) else { return nil }
        var answer = WriteAnswer(outcome: outcome, name: found.name, tag: found.tag, isReplay: true)
        for case .text(let text)? in AnswerOutline(found.body)?.parts ?? [] { answer.body += text }
        return answer
    }

    private func find(
        _ key: IdempotencyKey, for caller: Caller
    ) throws(RecordError) -> (RememberedAnswer, WriteAnswer.Outcome)? {
        let oldest = now - limits.idempotencySeconds * 1_000
        let found = try idempotency.find(caller: caller.identityID, key: key.text, after: oldest)
        guard let found else { return nil }
        guard found.request == key.request, let outcome = WriteAnswer.Outcome(rawValue: found.outcome) else {
            throw RecordError(
                .badRequest, "This Idempotency-Key was used for another request. Use a new key for each request",
                cause: .idempotencyMismatch)
        }
        return (found, outcome)
    }

    /// - Parameter shown: Where records stand in the answer's body.
    func remember(
        _ answer: WriteAnswer, _ key: IdempotencyKey, for caller: Caller, shown: [ShownRecord] = []
    ) throws(RecordError) {
        let remembered = RememberedAnswer(
            request: key.request, outcome: answer.outcome.rawValue, name: answer.name, tag: answer.tag,
            body: AnswerOutline(answer.body, shown).bytes)
        try idempotency.remember(
            remembered, caller: caller.identityID, key: key.text, created: now,
            limit: Int64(limits.idempotencyBytes))
    }
}

extension RecordWriter {
    /// The body of a remembered answer.
    fileprivate func body(of answer: RememberedAnswer) throws(RecordError) -> [UInt8] {
        guard let outline = AnswerOutline(answer.body) else { throw .damagedAnswer }
        var body: [UInt8] = []
        for part in outline.parts {
            switch part {
            case .text(let text): body += text
            case .record(let record): try append(record, to: &body)
            case .serverRecord(let name):
                // Since it is about a state that hindered, that of now is as good.
                guard let name = RecordName(name), let json = try readableRecord(name),
                    body.count + json.count <= transaction.answerBytes
                else { continue }
                body.appendServerRecord(json)
            }
        }
        return body
    }

    private func append(_ record: AnswerOutline.RememberedRecord, to body: inout [UInt8]) throws(RecordError) {
        let found = try transaction.records.find(id: record.id)
        if let found, !found.row.isDeleted, found.row.revision == record.revision,
            let type = transaction.schema[id: found.row.type], mayRead(found.row, type)
        {
            try append(
                found.row, type: type, name: found.name,
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
            try transaction.lastChangeOfRights(of: caller, in: address.scope) <= record.sequence
        else { return false }
        if let row {
            guard row.type == type.id else { return false }
            return mayRead(row, type) && authorizeWriting(row, type) == .allowed
        }
        // Not even its tombstone is left. What a list would say now, nobody knows.
        guard !record.isGuarded else { return false }
        let facts = RecordFacts(creator: record.creator, access: nil)
        return Authorization.authorize(caller, .read, in: address.scope, type: type, facts) == .allowed
    }

    // MARK: Noting what is shown

    /// Notes that an answer shows a record, from a place on.
    func noteShown(_ row: RecordRow, type: RecordTypeName, name: String, in range: Range<Int>) {
        guard notesShown else { return }
        shown.append(
            ShownRecord(
                range: range,
                part: .record(
                    AnswerOutline.RememberedRecord(
                        id: row.id, creator: row.creator, isGuarded: row.access != nil, revision: row.revision,
                        sequence: row.sequence, typeName: type.text, name: name))))
    }

    /// Appends the error of an item, and notes the record that it shows.
    func append(_ error: RecordError, name: RecordName?, to answer: inout [UInt8]) {
        var bare = error
        bare.serverRecord = nil
        ErrorComposer.append(bare, uuid: nil, recordName: name?.text, to: &answer)
        guard let record = error.serverRecord, let name else { return }
        let brace = answer.removeLast()
        let start = answer.count
        answer.appendServerRecord(record)
        if notesShown {
            shown.append(ShownRecord(range: start..<answer.count, part: .serverRecord(name: name.text)))
        }
        answer.append(brace)
    }

    /// Forgets what was shown behind a place in the answer, from which on it is undone.
    func forgetShown(from place: Int) {
        while let last = shown.last, last.range.upperBound > place { shown.removeLast() }
    }
}

extension [UInt8] {
    /// The last member of an error.
    fileprivate mutating func appendServerRecord(_ json: [UInt8]) {
        appendLiteral(",\"serverRecord\":")
        append(contentsOf: json)
    }
}

extension RecordError {
    fileprivate static let damagedAnswer = RecordError(
        .internalError, "The first answer to this Idempotency-Key cannot be read")
}
