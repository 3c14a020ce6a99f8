internal import Foundation
internal import RecordWire

extension Database {
    /// Reads what has changed in the database, under the caller's rights.
    ///
    /// - Parameters:
    ///   - token: Where the page before has ended; `nil` begins at the beginning.
    ///   - limit: The most changes of the page; `nil` leaves it to the server.
    ///   - fields: The fields of records to send; `nil` is all of them.
    /// - Throws: `FogbaseError.tokenExpired` if the token is too old, or the caller's rights have changed: begin anew, and drop
    ///   what does not come.
    public func changes(
        since token: ChangeToken? = nil, limit: Int? = nil, fields: [String]? = nil
    ) async throws -> ChangePage {
        var call = Call("GET", "changes")
        // A database that was never written has a token without a text.
        if let token, !token.text.isEmpty { call.query.append(("since", token.text)) }
        if let limit { call.query.append(("limit", String(limit))) }
        if let fields { call.query.append(("fields", fields.joined(separator: ","))) }
        return try ChangePage(try await connection.send(call))
    }

    /// Follows the database's changes until the task that reads them is cancelled.
    ///
    /// - Parameters:
    ///   - token: Where to begin; `nil` is the beginning.
    ///   - interval: How long to wait before looking again, while there is much to see.
    ///   - longestInterval: How long to wait where nothing has happened for long.
    ///   - fields: The fields of records to send; `nil` is all of them.
    public func changeFeed(
        since token: ChangeToken? = nil, every interval: Duration = .seconds(2),
        atMost longestInterval: Duration = .seconds(60), fields: [String]? = nil
    ) -> ChangeFeed {
        ChangeFeed(
            database: self, token: token, interval: interval, longestInterval: max(interval, longestInterval),
            fields: fields)
    }
}

extension ChangePage {
    fileprivate init(_ response: TransportResponse) throws {
        var (changed, deleted): ([Record], [DeletedRecord]) = ([], [])
        let members = try response.readRecords(list: "changes") { scanner in
            if scanner.head.deleted {
                deleted.append(DeletedRecord(scanner.head.recordType ?? "", name: scanner.head.recordName))
            } else {
                changed.append(Record(&scanner))
            }
        }
        guard let token = members["token"]?.string else {
            throw FogbaseError.notFogbase(status: response.status, "A page of changes has no token")
        }
        self.init(
            changed: changed, deleted: deleted, token: ChangeToken(token),
            moreComing: members["moreComing"]?.bool ?? false)
    }
}
