public import RecordModel
internal import RecordWire

/// The records that a query with `expanding` adds to a page.
///
/// ```swift
/// let page = try await database.fetch(Query<Comment>().expanding(.author))
/// for comment in page.items {
///     let author: Stored<Author>? = try page.expanded.target(of: comment.author)
/// }
/// ```
///
/// A record is missing if it does not exist or if the user may not read it.
public struct ExpandedRecords: Sendable {
    /// The JSON of the records, by name. `String` would treat names as equal that are different.
    private var records: [[UInt8]: [UInt8]] = [:]
    private var backward: [String: [[UInt8]: Referring]] = [:]

    private struct Referring: Sendable {
        var names: [String]
        var hasMore: Bool
    }

    /// Creates an empty set of records.
    public init() {}

    /// Reads the `expanded` member of a response.
    init(_ tree: JSONValue?) {
        for record in tree?["records"]?.array ?? [] {
            guard let name = record["recordName"]?.string else { continue }
            records[Array(name.utf8)] = record.bytes
        }
        for path in tree?["backward"]?.object?.members ?? [] {
            for parent in path.value.object?.members ?? [] {
                backward[path.key, default: [:]][Array(parent.key.utf8)] = Referring(
                    names: parent.value["recordNames"]?.array?.compactMap(\.string) ?? [],
                    hasMore: parent.value["moreComing"] == true)
            }
        }
    }

    /// The number of records.
    public var count: Int { records.count }

    /// Returns the record with a name; `nil` if it is missing.
    ///
    /// - Throws: `FogbaseError.decoding` if the record does not fit the model.
    public func record<Model: RecordDecodable>(
        named name: String, as type: Model.Type = Model.self
    ) throws -> Stored<Model>? {
        guard let json = records[Array(name.utf8)] else { return nil }
        return try json.withUnsafeBytes { bytes in
            var scanner = RecordScanner(bytes)
            try scanner.readDocument()
            return try Stored<Model>(&scanner)
        }
    }

    /// Returns the record to which a reference refers; `nil` if it is missing.
    ///
    /// - Throws: `FogbaseError.decoding` if the record does not fit the model.
    public func target<Model: RecordDecodable>(
        of reference: Reference?, as type: Model.Type = Model.self
    ) throws -> Stored<Model>? {
        guard let reference else { return nil }
        return try record(named: reference.name)
    }

    /// Returns the records to which a list of references refers, without those that are missing.
    ///
    /// - Throws: `FogbaseError.decoding` if a record does not fit the model.
    public func targets<Model: RecordDecodable>(
        of references: [Reference], as type: Model.Type = Model.self
    ) throws -> [Stored<Model>] {
        try references.compactMap { try target(of: $0) }
    }

    /// Returns the records that refer to a record of the page, in the order that `expanding` has requested, and whether
    /// there are more.
    ///
    /// - Parameters:
    ///   - record: A record of the page.
    ///   - type: The model of the records.
    ///   - field: The field of the path that `expanding` has requested.
    /// - Throws: `FogbaseError.decoding` if a record does not fit the model.
    public func records<Parent, Model: RecordDecodable>(
        referringTo record: Stored<Parent>, by field: Model.Fields, as type: Model.Type = Model.self
    ) throws -> (items: [Stored<Model>], hasMore: Bool) {
        let found = backward["\(Model.recordType).\(field.rawValue)"]?[Array(record.id.utf8)]
        return (try (found?.names ?? []).compactMap { try self.record(named: $0) }, found?.hasMore ?? false)
    }
}
