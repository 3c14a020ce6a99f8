/// A part of a database's changes, as far as they concern one model: each record once and as it is now.
public struct ModelChangePage<Model: RecordDecodable>: Sendable {
    /// Records that are new or have changed, the oldest change first. One that does not fit the model is a failure and
    /// hides no other.
    public var results: [Result<Stored<Model>, FogbaseError>] = []
    /// The names of records that are not there any more, or that the caller may not read any more.
    public var deleted: [String] = []
    /// Where to go on. Keep it once the page is worked in.
    public var token: ChangeToken
    /// Whether there is more at once. A page may be empty and more be coming.
    public var moreComing: Bool
    /// How many changes the server has sent, those of other types among them.
    var count = 0

    /// The records that fit the model.
    public var items: [Stored<Model>] { results.compactMap { try? $0.get() } }

    /// Why records do not fit the model; each error has the record's name.
    public var failures: [FogbaseError] {
        results.compactMap { result in
            guard case .failure(let error) = result else { return nil }
            return error
        }
    }

    /// Whether nothing has changed of the model's records.
    public var isEmpty: Bool { results.isEmpty && deleted.isEmpty }
}

extension ModelChangePage: FeedPage {}
