internal import Foundation
internal import RecordWire

extension Database {
    /// Fetches a page of the changes to the zone's records. Changes to records that the caller cannot read are
    /// omitted.
    ///
    /// ```swift
    /// var page = try await database.changes(since: saved)
    /// while page.moreComing { page = try await database.changes(since: page.token) }
    /// ```
    ///
    /// - Parameters:
    ///   - token: The token of the last page; `nil` starts from the beginning.
    ///   - limit: The maximum number of changes; `nil` uses the server's default.
    ///   - fields: The fields to send; `nil` requests all fields.
    ///   - types: The record types to return; `nil` returns all types. Pass the same types with each token.
    /// - Throws: `FogbaseError.tokenExpired` if the token is too old, or the caller's permissions have changed: start
    ///   from the beginning, and delete the records that are not returned again.
    public func changes(
        since token: ChangeToken? = nil, limit: Int? = nil, fields: [String]? = nil, types: [String]? = nil
    ) async throws -> ChangePage {
        try await connection.changes(
            FeedSelection(types: types, fields: fields), since: token, limit: limit, filling: .empty)
    }

    /// Fetches a page of the changes to one model's records. Changes to records that the caller cannot read are
    /// omitted.
    ///
    /// - Parameters:
    ///   - type: The model. The server sends only the model's fields.
    ///   - token: The token of the last page; `nil` starts from the beginning.
    ///   - limit: The maximum number of changes; `nil` uses the server's default.
    /// - Throws: `FogbaseError.tokenExpired` if the token is too old, or the caller's permissions have changed: start
    ///   from the beginning, and delete the records that are not returned again.
    public func changes<Model: RecordDecodable>(
        of type: Model.Type, since token: ChangeToken? = nil, limit: Int? = nil
    ) async throws -> ModelChangePage<Model> {
        try await connection.changes(.records(of: Model.self), since: token, limit: limit, filling: .empty)
    }

    /// Returns the changes of the zone as a sequence that ends when its task is canceled.
    ///
    /// - Parameters:
    ///   - token: The start position; `nil` is the beginning.
    ///   - interval: If the feed has to poll, the polling interval right after a change.
    ///   - longestInterval: The longest polling interval, after a long time without changes.
    ///   - fields: The fields to send; `nil` requests all fields.
    ///   - types: The record types to return; `nil` returns all types. Pass the same types with each token.
    public func changeFeed(
        since token: ChangeToken? = nil, every interval: Duration = .seconds(2),
        atMost longestInterval: Duration = .seconds(60), fields: [String]? = nil, types: [String]? = nil
    ) -> ChangeFeed {
        ChangeFeed(
            request: FeedRequest(
                connection: connection, selection: FeedSelection(types: types, fields: fields), token: token,
                interval: interval,
                longestInterval: max(interval, longestInterval)))
    }

    /// Returns the changes of one model's records as a sequence that ends when its task is canceled.
    ///
    /// - Parameters:
    ///   - type: The model. The server sends only the model's fields.
    ///   - token: The start position; `nil` is the beginning.
    ///   - interval: If the feed has to poll, the polling interval right after a change.
    ///   - longestInterval: The longest polling interval, after a long time without changes.
    public func changeFeed<Model: RecordDecodable>(
        of type: Model.Type, since token: ChangeToken? = nil, every interval: Duration = .seconds(2),
        atMost longestInterval: Duration = .seconds(60)
    ) -> ModelChangeFeed<Model> {
        ModelChangeFeed(
            request: FeedRequest(
                connection: connection, selection: .records(of: Model.self), token: token, interval: interval,
                longestInterval: max(interval, longestInterval)))
    }
}

extension Connection {
    /// Fetches a page of changes.
    ///
    /// - Parameter emptyPage: A page without changes.
    func changes<Page: FeedPage>(
        _ selection: FeedSelection, since token: ChangeToken?, limit: Int? = nil, filling emptyPage: Page
    ) async throws -> Page {
        var call = selection.call(since: token, streams: false)
        if let limit { call.query.append(("limit", String(limit))) }
        let response = try await send(call)
        var page = emptyPage
        let members = try response.readRecords(list: "changes") { scanner in
            try page.append(&scanner, isRemoved: scanner.head.deleted)
        }
        guard let token = members["token"]?.string else {
            throw FogbaseError.notFogbase(status: response.status, "A page of changes has no token")
        }
        page.token = ChangeToken(token)
        page.moreComing = members["moreComing"]?.bool ?? false
        return page
    }
}

extension FeedSelection {
    /// The records of a model, with the model's fields.
    static func records<Model: RecordDecodable>(of type: Model.Type) -> FeedSelection {
        FeedSelection(types: [Model.recordType], fields: Model.desiredKeys)
    }
}
