internal import RecordWire

/// The limits of a server.
public struct ServerLimits: Hashable, Sendable {
    /// The maximum total size of a record's values, in bytes.
    public var recordBytes: Int64
    /// The maximum number of operations in a batch.
    public var batchOperations: Int64
    /// The maximum size of a file, in bytes.
    public var assetBytes: Int64
    /// The maximum number of records in a page.
    public var pageSize: Int64
    /// The maximum size of a request body, in bytes. Uploads of files have another limit.
    public var bodyBytes: Int64
    /// All numeric limits, by their names in `/limits`.
    public var all: [String: Int64]

    init(_ response: TransportResponse) throws {
        var all: [String: Int64] = [:]
        for member in try response.readTree().object?.members ?? [] { all[member.key] = member.value.integer }
        func limit(_ name: String) throws -> Int64 {
            guard let limit = all[name] else {
                throw FogbaseError.notFogbase(status: response.status, "The limits have no \(name)")
            }
            return limit
        }
        recordBytes = try limit("recordBytes")
        batchOperations = try limit("batchOperations")
        assetBytes = try limit("assetBytes")
        pageSize = try limit("pageSize")
        bodyBytes = try limit("bodyBytes")
        self.all = all
    }
}
