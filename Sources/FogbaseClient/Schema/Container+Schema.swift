public import Foundation
internal import RecordWire

extension Container {
    /// Fetches the schema of the container. The client must be an administrator, or have an API key with the
    /// permission.
    ///
    /// - Throws: `FogbaseError.accessDenied` if the caller lacks the permission.
    public func schema() async throws -> ContainerSchema {
        let response = try await connection.send(Call("GET", "schema"))
        return ContainerSchema(try response.readTree(), json: response.body, version: response.fields["etag"])
    }

    /// Replaces the schema with a document. The server rejects the whole document if the change would lose data.
    ///
    /// - Parameters:
    ///   - json: The document, `{"types":{…}}`, as in ``ContainerSchema/json``.
    ///   - version: The version that the current schema must have; `nil` accepts any version.
    ///   - keepsRights: Whether to leave the permissions of existing types and fields unchanged.
    ///   - isDryRun: Whether to report the changes without applying them.
    /// - Returns: The applied changes, or in a dry run the changes that would be applied.
    /// - Throws: `FogbaseError.conflict` if the schema's version differs from `version`; `badRequest` if the document
    ///   is invalid or would lose data; `accessDenied` if the caller lacks the permission.
    @discardableResult
    public func putSchema(
        _ json: Data, ifUnchanged version: String? = nil, keepsRights: Bool = false, isDryRun: Bool = false
    ) async throws -> SchemaChange {
        var call = Call("PUT", "schema")
        call.setJSON(Array(json))
        // A retry is safe, because applying the same document again changes nothing.
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

    /// Replaces the schema with a document that is given as text.
    ///
    /// - Throws: The same errors as `putSchema` with `Data`.
    @discardableResult
    public func putSchema(
        _ json: String, ifUnchanged version: String? = nil, keepsRights: Bool = false, isDryRun: Bool = false
    ) async throws -> SchemaChange {
        try await putSchema(Data(json.utf8), ifUnchanged: version, keepsRights: keepsRights, isDryRun: isDryRun)
    }

    /// Fetches the limits of the server.
    ///
    /// - Throws: `FogbaseError.notFogbase` if the response is not from a Fogbase server.
    public func limits() async throws -> ServerLimits {
        try await connection.limits()
    }
}
