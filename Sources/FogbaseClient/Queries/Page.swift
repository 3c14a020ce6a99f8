internal import RecordWire

/// A page of a query's records.
public struct Page<Model: RecordDecodable>: Sendable {
    /// The records in the query's order. If a record does not fit the model, its entry is a failure. The other entries
    /// are not affected.
    public var results: [Result<Stored<Model>, FogbaseError>] = []
    /// The cursor of the next page; `nil` on the last page.
    public var next: Cursor<Model>?
    /// The cursor of the previous page, for `fetch(before:)`; `nil` on the first page.
    public var previous: Cursor<Model>?
    /// The records that `expanding` has added.
    public var expanded = ExpandedRecords()
    /// The texts with the words found, by field, for each of ``results``. Empty unless the query is of
    /// a search with ``Search/highlighting(_:length:)``.
    public var highlights: [[Model.Fields: Highlight]] = []
    /// The number of all matching records; `nil` unless the query was sent with `fetchCounting`.
    public var count: Int?
    /// Notices from the server, for example about an index that the server has added.
    public var notices: [String] = []

    /// The records that fit the model.
    public var items: [Stored<Model>] {
        results.compactMap { try? $0.get() }
    }

    /// The errors of the records that do not fit the model. Each error has the record's name.
    public var failures: [FogbaseError] {
        results.compactMap { result in
            guard case .failure(let error) = result else { return nil }
            return error
        }
    }
}

/// The position after or before a page of a query. A cursor is valid only for the same query and the same user.
public struct Cursor<Model: RecordDecodable>: Sendable {
    let query: Query<Model>
    let token: String
}
