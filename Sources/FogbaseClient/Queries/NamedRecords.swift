public import RecordModel

/// Records that were asked for by their names, or by references to them.
///
/// ```swift
/// let posts = try await database.fetch(Post.self, likes.map(\.post))
/// for like in likes { print(try posts[like.post]?.title ?? "It is gone") }
/// ```
public struct NamedRecords<Model: RecordDecodable>: Sendable {
    /// What was found, by name: one that does not fit the model is a failure. What is not there, or not for the caller to
    /// read, is not in it.
    public private(set) var results: [String: Result<Stored<Model>, FogbaseError>] = [:]
    /// The names in the order in which they were asked for, each once.
    public let names: [String]

    init(_ names: [String]) {
        var seen: Set<String> = []
        self.names = names.filter { seen.insert($0).inserted }
    }

    mutating func insert(_ result: Result<Stored<Model>, FogbaseError>) {
        switch result {
        case .success(let stored): results[stored.id] = result
        case .failure(let error): results[error.recordName ?? ""] = result
        }
    }

    /// The record with a name; `nil` if it was not found.
    ///
    /// - Throws: `FogbaseError.decoding` if it does not fit the model.
    public subscript(name: String) -> Stored<Model>? {
        get throws { try results[name]?.get() }
    }

    /// The record that a reference points to; `nil` if it was not found.
    ///
    /// - Throws: `FogbaseError.decoding` if it does not fit the model.
    public subscript(reference: Reference) -> Stored<Model>? {
        get throws { try results[reference.name]?.get() }
    }

    /// The records that were found and fit the model, in the order in which they were asked for.
    public var items: [Stored<Model>] { names.compactMap { try? results[$0]?.get() } }

    /// Why records do not fit the model; each error has the record's name.
    public var failures: [FogbaseError] {
        names.compactMap { name in
            guard case .failure(let error) = results[name] else { return nil }
            return error
        }
    }

    /// The names of those that are not there, or not for the caller to read.
    public var missing: [String] { names.filter { results[$0] == nil } }
}
