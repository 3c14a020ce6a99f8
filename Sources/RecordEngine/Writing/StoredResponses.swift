internal import RecordModel
internal import RecordStorage
internal import RecordWire

/// Responses to requests with an idempotency key.
///
/// A short response is repeated unchanged, so that a client that increments a counter and retries gets the same number.
/// For a longer response, only the state of each record is stored. A record that still has the stored state is repeated
/// in full; a changed record is repeated with only name, type and change tag. The caller's current permissions apply to
/// all records.
extension WriteTransaction {
    /// Returns the first response to a request; `nil` if the request's idempotency key is unknown.
    ///
    /// - Throws: BAD_REQUEST with cause IDEMPOTENCY_KEY_REUSED if the key belongs to another request.
    func remembered(_ request: WriteRequest, _ key: IdempotencyKey) throws(RecordError) -> WriteResponse? {
        guard let (found, outcome) = try find(key, for: request.caller) else { return nil }
        var response = WriteResponse(outcome: outcome, name: found.name, tag: found.tag, isReplay: true)
        try ResponseReplay(writer: RecordWriter(self, request), opening: request.opening).show(found, in: &response)
        return response
    }

    /// Returns the first response to a request, for requests with responses without records.
    ///
    /// - Throws: BAD_REQUEST with cause IDEMPOTENCY_KEY_REUSED if the key belongs to another request.
    func remembered(_ key: IdempotencyKey, for caller: Caller) throws(RecordError) -> WriteResponse? {
        guard let (found, outcome) = try find(key, for: caller) else { return nil }
        var response = WriteResponse(outcome: outcome, name: found.name, tag: found.tag, isReplay: true)
        for case .text(let text)? in ResponseOutline(found.body)?.parts ?? [] { response.document += text }
        return response
    }

    private func find(
        _ key: IdempotencyKey, for caller: Caller
    ) throws(RecordError) -> (StoredResponse, WriteResponse.Outcome)? {
        let oldest = now - limits.idempotencySeconds * 1_000
        let found = try idempotency.find(caller: caller.identityID, key: key.text, after: oldest)
        guard let found else { return nil }
        guard found.request == key.request, let outcome = WriteResponse.Outcome(rawValue: found.outcome) else {
            throw RecordError(
                .badRequest, "This Idempotency-Key was used for another request. Use a new key for each request",
                cause: .idempotencyMismatch)
        }
        return (found, outcome)
    }

    /// Stores the response to a request under the request's idempotency key.
    ///
    /// - Parameter shown: The byte ranges of records in the response's body.
    func remember(
        _ response: WriteResponse, _ key: IdempotencyKey, for caller: Caller, shown: [ShownRecord] = []
    ) throws(RecordError) {
        let remembered = StoredResponse(
            request: key.request, outcome: response.outcome.rawValue, name: response.name, tag: response.tag,
            body: ResponseOutline(response, shown).bytes)
        try idempotency.remember(
            remembered, caller: caller.identityID, key: key.text, created: now,
            limit: Int64(limits.idempotencyBytes))
    }
}

extension [UInt8] {
    /// Appends the `serverRecord` member, which is the last member of an error.
    mutating func appendServerRecord(_ json: [UInt8]) {
        appendLiteral(",\"serverRecord\":")
        append(contentsOf: json)
    }
}
