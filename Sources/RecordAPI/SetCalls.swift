internal import HTTP
internal import RecordEngine
internal import RecordModel
internal import RecordWire

/// What the routes that write by condition share.
extension RecordCall {
    /// What the address and the header fields ask for.
    ///
    /// - Parameter key: The idempotency key, made with the body as it was received.
    /// - Throws: BAD_REQUEST without a condition unless `all=true` says so, for both, and for conditions on a single
    ///   record's tag, which a set does not have.
    func setRequest(_ change: SetRequest.Change, key: IdempotencyKey?) throws(RecordError) -> SetRequest {
        let type = try typeName()
        guard !request.fields.contains(.ifMatch), !request.fields.contains(.ifNoneMatch) else {
            throw .badRequest("If-Match and If-None-Match guard one record. A set takes 'where' alone")
        }
        let input = try query.condition(on: type)
        let isForAll = try query.word("all")
        let isEmpty = input.condition?.allSatisfy(\.isWhitespace) ?? true
        switch (isEmpty, isForAll) {
        case (true, false):
            throw RequestQuery.invalid(
                "where", "Without 'where' this concerns every record of the type. Say all=true if you mean that")
        case (false, true):
            throw RequestQuery.invalid("all", "'all' goes without 'where'. Leave one of them out")
        case (true, true), (false, false): break
        }
        return SetRequest(
            query: QueryRequest(caller: caller, address: try address(), typeName: type, input: input),
            change: change, isForAll: isForAll, isDryRun: try query.word("dryRun"),
            maxAffected: try query.count("maxAffected"), idempotency: key)
    }

    /// Changes a set. It counts for one write, and afterwards for one more by every hundred records that it met, which is
    /// about what a slice of it takes of the writer's time: how many there are, nobody knows before. What fails in the
    /// middle has met them too.
    mutating func changeSet(_ set: SetRequest) async throws(RecordError) -> WriteAnswer {
        let answer: WriteAnswer
        do throws(RecordError) {
            answer = try await reader.changeSet(set)
        } catch {
            // Not where it was refused before the first of them.
            if error.details.contains(where: { $0.key == "changed" }),
                case .number(let matched)? = error.details.first(where: { $0.key == "matched" })?.value
            {
                rate.charge(Int(matched) / 100)
            }
            throw error
        }
        if !set.isDryRun, !answer.isReplay,
            case .integer(let matched)? = (try? JSONValue.parse(answer.body))?["matched"]
        {
            rate.charge(Int(matched) / 100)
        }
        return answer
    }

    func response(toSet answer: WriteAnswer) -> HTTPResponse {
        var response = HTTPResponse.json(answer.body)
        if answer.isReplay, let name = Self.idempotencyReplayed { response.fields.append(name, literal: "true") }
        return response
    }
}
