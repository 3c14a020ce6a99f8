internal import RecordWire

/// A page of changes of one model's records. It contains each changed record once, in the current state.
public struct ModelChangePage<Model: RecordDecodable>: Sendable {
    /// Records that were created or changed, the oldest change first. If a record does not fit the model, its entry is
    /// a failure. The other entries are not affected.
    public var results: [Result<Stored<Model>, FogbaseError>] = []
    /// The names of records that were deleted, or that the caller can no longer read.
    public var deleted: [String] = []
    /// The position after this page. Save the token after processing the page.
    public var token: ChangeToken
    /// Whether more changes are available now. This can be `true` for an empty page too.
    public var moreComing: Bool

    /// The records that fit the model.
    public var items: [Stored<Model>] { results.compactMap { try? $0.get() } }

    /// The errors of the records that do not fit the model. Each error has the record's name.
    public var failures: [FogbaseError] {
        results.compactMap { result in
            guard case .failure(let error) = result else { return nil }
            return error
        }
    }

    /// Whether the page has no changes of the model's records.
    public var isEmpty: Bool { results.isEmpty && deleted.isEmpty }
}

extension ModelChangePage: FeedPage {
    static var empty: ModelChangePage { ModelChangePage(token: ChangeToken(""), moreComing: false) }

    mutating func append(_ scanner: inout RecordScanner, isRemoved: Bool) throws {
        let name = scanner.head.recordName
        guard !isRemoved else {
            deleted.append(name)
            return
        }
        // The feed has the deletion of an earlier record with this name.
        deleted.removeAll { $0 == name }
        results.append(try scanner.result())
    }
}
