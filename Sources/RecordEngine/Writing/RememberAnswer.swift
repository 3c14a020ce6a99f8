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
        var answer = WriteAnswer(outcome: outcome, name: found.name, tag: found.tag, isReplay: true)
        try AnswerReplay(writer: RecordWriter(self, request), opening: request.opening).show(found, in: &answer)
        return answer
    }

    /// The same of an answer that shows no records.
    func remembered(_ key: IdempotencyKey, for caller: Caller) throws(RecordError) -> WriteAnswer? {
        guard let (found, outcome) = try find(key, for: caller) else { return nil }
        var answer = WriteAnswer(outcome: outcome, name: found.name, tag: found.tag, isReplay: true)
        for case .text(let text)? in AnswerOutline(found.body)?.parts ?? [] { answer.document += text }
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
            body: AnswerOutline(answer, shown).bytes)
        try idempotency.remember(
            remembered, caller: caller.identityID, key: key.text, created: now,
            limit: Int64(limits.idempotencyBytes))
    }
}

extension [UInt8] {
    /// The last member of an error.
    mutating func appendServerRecord(_ json: [UInt8]) {
        appendLiteral(",\"serverRecord\":")
        append(contentsOf: json)
    }
}
