public import RecordModel

/// The result of fetching records by names or references.
///
/// ```swift
/// let posts = try await database.fetch(Post.self, likes.map(\.post))
/// for like in likes { print(try posts[like.post]?.title ?? "It is gone") }
/// ```
public struct NamedRecords<Model: RecordDecodable>: Sendable {
    /// The found records by name. If a record does not fit the model, its entry is a failure. Records that do not
    /// exist, or that the caller cannot read, are omitted.
    public private(set) var results: [String: Result<Stored<Model>, FogbaseError>] = [:]
    /// The requested names in order, without duplicates.
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

    /// The record with a name; `nil` if the record was not found.
    ///
    /// - Throws: `FogbaseError.decoding` if the record does not fit the model.
    public subscript(name: String) -> Stored<Model>? {
        get throws { try results[name]?.get() }
    }

    /// The target of a reference; `nil` if the target was not found.
    ///
    /// - Throws: `FogbaseError.decoding` if the record does not fit the model.
    public subscript(reference: Reference) -> Stored<Model>? {
        get throws { try results[reference.name]?.get() }
    }

    /// The records that were found and fit the model, in the requested order.
    public var items: [Stored<Model>] { names.compactMap { try? results[$0]?.get() } }

    /// The errors of the records that do not fit the model. Each error has the record's name.
    public var failures: [FogbaseError] {
        names.compactMap { name in
            guard case .failure(let error) = results[name] else { return nil }
            return error
        }
    }

    /// The requested names without a result, because the record does not exist or the caller cannot read it.
    public var missing: [String] { names.filter { results[$0] == nil } }
}
