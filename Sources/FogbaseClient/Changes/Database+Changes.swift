internal import Foundation
internal import RecordWire

extension Database {
    /// Reads what has changed in the database, under the caller's rights.
    ///
    /// - Parameters:
    ///   - token: Where the page before has ended; `nil` begins at the beginning.
    ///   - limit: The most changes of the page; `nil` leaves it to the server.
    ///   - fields: The fields of records to send; `nil` is all of them.
    ///   - types: The record types to hand out; `nil` is all of them. The others come and are passed over here.
    /// - Throws: `FogbaseError.tokenExpired` if the token is too old, or the caller's rights have changed: begin anew, and drop
    ///   what does not come.
    public func changes(
        since token: ChangeToken? = nil, limit: Int? = nil, fields: [String]? = nil, types: [String]? = nil
    ) async throws -> ChangePage {
        let types = types.map(Set.init)
        var (page, count) = (ChangePage(token: ChangeToken("")), 0)
        (page.token, page.moreComing) = try await readChanges(since: token, limit: limit, fields: fields) { scanner in
            count += 1
            let type = scanner.head.recordType ?? ""
            guard types?.contains(type) ?? true else { return }
            if scanner.head.deleted {
                page.deleted.append(DeletedRecord(type, name: scanner.head.recordName))
            } else {
                page.changed.append(Record(&scanner))
            }
        }
        page.passedOver = count - page.count
        return page
    }

    /// Reads what has changed of one model's records, under the caller's rights.
    ///
    /// - Parameters:
    ///   - type: The model; its fields are the only ones that are sent.
    ///   - token: Where the page before has ended; `nil` begins at the beginning.
    ///   - limit: The most changes of the page, those of other types among them; `nil` leaves it to the server.
    /// - Throws: `FogbaseError.tokenExpired` if the token is too old, or the caller's rights have changed: begin anew, and drop
    ///   what does not come.
    public func changes<Model: RecordDecodable>(
        of type: Model.Type, since token: ChangeToken? = nil, limit: Int? = nil
    ) async throws -> ModelChangePage<Model> {
        var page = ModelChangePage<Model>(token: ChangeToken(""), moreComing: false)
        (page.token, page.moreComing) = try await readChanges(
            since: token, limit: limit, fields: Model.desiredKeys
        ) { scanner in
            page.count += 1
            guard scanner.head.recordType == Model.recordType else { return }
            if scanner.head.deleted {
                page.deleted.append(scanner.head.recordName)
            } else {
                do {
                    page.results.append(.success(try Stored(&scanner)))
                } catch let error as FogbaseError {
                    page.results.append(.failure(error))
                }
            }
        }
        return page
    }

    /// Follows the database's changes until the task that reads them is cancelled.
    ///
    /// - Parameters:
    ///   - token: Where to begin; `nil` is the beginning.
    ///   - interval: How long to wait before looking again, while there is much to see.
    ///   - longestInterval: How long to wait where nothing has happened for long.
    ///   - fields: The fields of records to send; `nil` is all of them.
    ///   - types: The record types to hand out; `nil` is all of them.
    public func changeFeed(
        since token: ChangeToken? = nil, every interval: Duration = .seconds(2),
        atMost longestInterval: Duration = .seconds(60), fields: [String]? = nil, types: [String]? = nil
    ) -> ChangeFeed {
        ChangeFeed(
            database: self, token: token, interval: interval, longestInterval: max(interval, longestInterval),
            fields: fields, types: types)
    }

    /// Follows the changes of one model's records until the task that reads them is cancelled.
    ///
    /// - Parameters:
    ///   - type: The model; its fields are the only ones that are sent.
    ///   - token: Where to begin; `nil` is the beginning.
    ///   - interval: How long to wait before looking again, while there is much to see.
    ///   - longestInterval: How long to wait where nothing has happened for long.
    public func changeFeed<Model: RecordDecodable>(
        of type: Model.Type, since token: ChangeToken? = nil, every interval: Duration = .seconds(2),
        atMost longestInterval: Duration = .seconds(60)
    ) -> ModelChangeFeed<Model> {
        ModelChangeFeed(
            database: self, token: token, interval: interval, longestInterval: max(interval, longestInterval))
    }

    /// Reads a page of changes.
    ///
    /// - Parameter each: Gets each change in order.
    /// - Returns: Where to go on, and whether there is more at once.
    private func readChanges(
        since token: ChangeToken?, limit: Int?, fields: [String]?, _ each: (inout RecordScanner) throws -> Void
    ) async throws -> (token: ChangeToken, moreComing: Bool) {
        var call = Call("GET", "changes")
        // A database that was never written has a token without a text.
        if let token, !token.text.isEmpty { call.query.append(("since", token.text)) }
        if let limit { call.query.append(("limit", String(limit))) }
        if let fields { call.query.append(("fields", fields.joined(separator: ","))) }
        let response = try await connection.send(call)
        let members = try response.readRecords(list: "changes", each)
        guard let token = members["token"]?.string else {
            throw FogbaseError.notFogbase(status: response.status, "A page of changes has no token")
        }
        return (ChangeToken(token), members["moreComing"]?.bool ?? false)
    }
}
