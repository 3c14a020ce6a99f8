internal import Foundation
public import RecordModel

extension Database {
    /// Fetches the target of a reference.
    ///
    /// - Throws: `FogbaseError.notFound` if the type has no such record, or the caller cannot read the record;
    ///   `decoding` if the record does not fit the model.
    public func fetch<Model: RecordDecodable>(
        _ type: Model.Type = Model.self, _ reference: Reference
    ) async throws -> Stored<Model> {
        try await fetch(type, reference.name)
    }

    /// Fetches the targets of references, in as few requests as possible.
    ///
    /// ```swift
    /// let posts = try await database.fetch(Post.self, likes.map(\.post))
    /// ```
    ///
    /// - Returns: The found records. Records that do not exist, have another type, or cannot be read by the caller are
    ///   omitted.
    /// - Throws: `FogbaseError` if a request failed. Missing records are not errors.
    public func fetch<Model: RecordDecodable>(
        _ type: Model.Type = Model.self, _ references: [Reference]
    ) async throws -> NamedRecords<Model> {
        try await fetch(type, names: references.map(\.name))
    }

    /// Fetches records by their names, in as few requests as possible.
    ///
    /// - Returns: The found records. Records that do not exist, have another type, or cannot be read by the caller are
    ///   omitted.
    /// - Throws: `FogbaseError` if a request failed. Missing records are not errors.
    public func fetch<Model: RecordDecodable>(
        _ type: Model.Type = Model.self, names: [String]
    ) async throws -> NamedRecords<Model> {
        var found = NamedRecords<Model>(names)
        // Use half of the body, because a name can need escapes. Add 3 bytes per name for the quotes and the comma.
        try await connection.sendInParts(
            found.names, room: { (min($0.listMembers, $0.pageSize), RequestSizes.queryBytes / 2) },
            bytes: { $0.utf8.count + 3 }
        ) { part in
            var query = Query<Model>().filter(SystemKey.id, in: Array(part))
            if part.count > RequestSizes.shortPage { query = query.limit(to: part.count) }
            var page = try await fetch(query)
            while true {
                for result in page.results { found.insert(result) }
                guard let next = page.next else { break }
                page = try await fetch(after: next)
            }
        }
        return found
    }
}
