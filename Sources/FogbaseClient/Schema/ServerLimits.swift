internal import RecordWire

/// What a server takes at most.
public struct ServerLimits: Hashable, Sendable {
    /// The largest record, in bytes of its values.
    public var recordBytes: Int64
    /// The most operations of a batch.
    public var batchOperations: Int64
    /// The largest file, in bytes.
    public var assetBytes: Int64
    /// The most records of a page.
    public var pageSize: Int64
    /// The largest body of a request, in bytes; files are not meant.
    public var bodyBytes: Int64
    /// All of the server's limits that are numbers, by their names in `/limits`.
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
