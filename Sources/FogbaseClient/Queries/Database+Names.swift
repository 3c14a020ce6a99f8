internal import Foundation
public import RecordModel

extension Database {
    /// Reads the record that a reference points to.
    ///
    /// - Throws: `FogbaseError.notFound` if there is no such record of this type, or the caller may not know of it.
    public func fetch<Model: RecordDecodable>(
        _ type: Model.Type = Model.self, _ reference: Reference
    ) async throws -> Stored<Model> {
        try await fetch(type, reference.name)
    }

    /// Reads the records that references point to, in as few requests as the server allows.
    ///
    /// - Returns: Those of the model's type that are there and may be read.
    public func fetch<Model: RecordDecodable>(
        _ type: Model.Type = Model.self, _ references: [Reference]
    ) async throws -> NamedRecords<Model> {
        try await fetch(type, names: references.map(\.name))
    }

    /// Reads several records by their names, in as few requests as the server allows.
    ///
    /// - Returns: Those of the model's type that are there and may be read.
    public func fetch<Model: RecordDecodable>(
        _ type: Model.Type = Model.self, names: [String]
    ) async throws -> NamedRecords<Model> {
        var found = NamedRecords<Model>(names)
        // A name may have to be escaped, and stands between quotes.
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
