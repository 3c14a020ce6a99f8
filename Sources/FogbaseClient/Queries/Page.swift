internal import RecordWire

/// A page of a query's records.
public struct Page<Model: RecordDecodable>: Sendable {
    /// The records in the query's order. One that does not fit the model is a failure and hides no other.
    public var results: [Result<Stored<Model>, FogbaseError>] = []
    /// Where the next page begins; `nil` at the end.
    public var next: Cursor<Model>?
    /// How many records meet the condition in all, where the query asked for it.
    public var count: Int?
    /// What the server says beside the records, such as an index that it has added.
    public var notices: [String] = []

    /// The records that fit the model.
    public var items: [Stored<Model>] {
        results.compactMap { try? $0.get() }
    }

    /// Why records do not fit the model; each error has the record's name.
    public var failures: [FogbaseError] {
        results.compactMap { result in
            guard case .failure(let error) = result else { return nil }
            return error
        }
    }
}

/// Where a page ended. It belongs to the query, and to whoever is signed in.
public struct Cursor<Model: RecordDecodable>: Sendable {
    let query: Query<Model>
    let token: String
}
