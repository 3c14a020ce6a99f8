public import Foundation
internal import RecordWire

extension Container {
    /// Reads the schema. That takes an administrator, or a key with the right.
    public func schema() async throws -> ContainerSchema {
        let response = try await connection.send(Call("GET", "schema"))
        return ContainerSchema(try response.readTree(), json: response.body, version: response.fields["etag"])
    }

    /// Makes the schema what a document says. What would lose data is refused as a whole.
    ///
    /// - Parameters:
    ///   - json: `{"types":{…}}`, as `schema()` has it.
    ///   - version: The state that it shall still have; `nil` is any.
    ///   - keepsRights: Leaves who may do what as it is, for types and fields that are there.
    ///   - isDryRun: Changes nothing, and answers the same.
    /// - Throws: `FogbaseError.conflict` if the schema has changed since `version`.
    @discardableResult
    public func putSchema(
        _ json: Data, ifUnchanged version: String? = nil, keepsRights: Bool = false, isDryRun: Bool = false
    ) async throws -> SchemaChange {
        var call = Call("PUT", "schema")
        call.setJSON(Array(json))
        // The document is the truth: a second one changes nothing.
        call.isRepeatable = version == nil
        if let version { call.fields.append(("If-Match", version)) }
        if keepsRights { call.query.append(("rights", "keep")) }
        if isDryRun { call.query.append(("dryRun", "true")) }
        let response = try await connection.send(call)
        guard !response.body.isEmpty else { return SchemaChange(nil, schema: nil) }
        let tree = try response.readTree()
        let schema = ContainerSchema(tree, json: response.body, version: response.fields["etag"])
        return SchemaChange(tree["changes"], schema: schema)
    }

    /// Makes the schema what a document says, as text.
    @discardableResult
    public func putSchema(
        _ json: String, ifUnchanged version: String? = nil, keepsRights: Bool = false, isDryRun: Bool = false
    ) async throws -> SchemaChange {
        try await putSchema(Data(json.utf8), ifUnchanged: version, keepsRights: keepsRights, isDryRun: isDryRun)
    }

    /// Reads the limits of the server.
    public func limits() async throws -> ServerLimits {
        try await connection.limits()
    }
}
