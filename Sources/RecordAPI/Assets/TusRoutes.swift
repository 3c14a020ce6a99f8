internal import Cryptography
internal import HTTP
internal import RecordEngine
internal import RecordModel
internal import RecordWire

/// Uploads in several requests: see `Tus`.
extension RecordAPI {
    /// `OPTIONS /assets/uploads`: what this server can do. It needs no credential, no version and no database.
    func describeUploads() -> HTTPResponse {
        var fields = HTTPFields()
        fields.append(.tusVersion, literal: Tus.version)
        fields.append(.tusExtension, literal: Tus.extensions)
        fields.append(.tusMaxSize, String(registry.configuration.limits.assetBytes))
        fields.append(.tusChecksumAlgorithm, Tus.algorithms.map(\.rawValue).joined(separator: ","))
        fields.append(.allow, literal: "POST, OPTIONS")
        fields.append(.cacheControl, literal: "no-cache")
        return HTTPResponse(.noContent, fields: fields)
    }

    /// `POST /assets/uploads`: a new upload, and its first part if the request brings one.
    ///
    /// If that part is refused or breaks off, the upload is gone: its client has not learned its name.
    func createUpload(_ call: RecordCall) async throws -> HTTPResponse {
        let request = call.request
        let address = try call.address()
        try call.reader.allowUploading(call.caller, to: address)
        guard !request.fields.contains(.uploadConcat) else {
            throw RecordError.badRequest("This server does not put uploads together. Send one upload in order")
        }
        let length = try Tus.length(request.fields)
        let metadata = try TusMetadata(request.fields)
        let count = request.body.announcedLength
        if count != 0 { try Self.requirePart(request.fields) }
        let part = ResumablePart(offset: 0, count: count, checksum: try Tus.checksum(request.fields))
        let new = NewResumableUpload(
            caller: call.caller, address: address, length: length,
            contentType: Self.assetType(metadata?.contentType), filename: metadata?.filename, metadata: metadata?.text)
        var status = try await call.reader.createUpload(new)
        if count != 0 {
            let upload = ResumableAddress(name: status.name, caller: call.caller, address: address)
            let body = TusBody(request.body)
            do {
                status = try await call.reader.continueUpload(upload, part) { try await body.next() }
            } catch {
                try? await call.reader.terminateUpload(upload)
                throw error
            }
        }
        var fields = Self.fields(of: status)
        fields.append(.location, call.location(of: "/assets/uploads/\(status.name)"))
        return HTTPResponse(.created, fields: fields)
    }

    /// `PATCH /assets/uploads/{name}`: the next part.
    func continueUpload(_ call: RecordCall) async throws -> HTTPResponse {
        let fields = call.request.fields
        try Self.requirePart(fields)
        guard let offset = try Tus.number(.uploadOffset, "Upload-Offset", in: fields) else {
            throw RecordError.badRequest(
                "Say with Upload-Offset where the part goes on", details: [("header", .text("Upload-Offset"))])
        }
        let part = ResumablePart(
            offset: offset, length: try Tus.number(.uploadLength, "Upload-Length", in: fields),
            count: call.request.body.announcedLength, checksum: try Tus.checksum(fields))
        let body = TusBody(call.request.body)
        let status = try await call.reader.continueUpload(try upload(call), part) { try await body.next() }
        return HTTPResponse(.noContent, fields: Self.fields(of: status))
    }

    /// `HEAD /assets/uploads/{name}`: where to go on. Whoever asks has lost the request before, which is ended.
    func uploadOffset(_ call: RecordCall) async throws -> HTTPResponse {
        let status = try await call.reader.uploadStatus(try upload(call), endsOthers: true)
        var fields = Self.fields(of: status)
        if let length = status.length {
            fields.append(.uploadLength, String(length))
        } else {
            fields.append(.uploadDeferLength, literal: "1")
        }
        if let metadata = status.metadata { fields.append(.uploadMetadata, metadata) }
        return HTTPResponse(.ok, fields: fields)
    }

    /// `GET /assets/uploads/{name}`: how far an upload is, and what has become of it. It disturbs nobody.
    func readUpload(_ call: RecordCall) async throws -> HTTPResponse {
        let status = try await call.reader.uploadStatus(try upload(call), endsOthers: false)
        var object: [(String, JSONValue)] = [("offset", .integer(status.offset))]
        if let length = status.length { object.append(("length", .integer(length))) }
        object.append(("expiresAt", .integer(status.expires)))
        if let asset = status.asset { object.append(("asset", asset.json)) }
        var response = HTTPResponse.json(.object(JSONObject(object)))
        // It has a receipt.
        response.fields.set(.cacheControl, "no-store")
        return response
    }

    /// `DELETE /assets/uploads/{name}`
    func terminateUpload(_ call: RecordCall) async throws -> HTTPResponse {
        try await call.reader.terminateUpload(try upload(call))
        return HTTPResponse(.noContent, fields: .bodyless)
    }

    private func upload(_ call: RecordCall) throws(RecordError) -> ResumableAddress {
        ResumableAddress(name: call.parameters[0], caller: call.caller, address: try call.address())
    }

    /// What every answer about an upload says.
    private static func fields(of status: ResumableStatus) -> HTTPFields {
        var fields = HTTPFields()
        fields.append(.uploadOffset, String(status.offset))
        fields.append(.uploadExpires, ascii: HTTPDate.text(unixSeconds: status.expires / 1_000))
        fields.append(.cacheControl, literal: "no-store")
        return fields
    }

    /// Refuses bodies that do not say that they are parts.
    private static func requirePart(_ fields: HTTPFields) throws(RecordError) {
        guard let text = fields[.contentType], let type = MediaType(text),
            type.isType("application", "offset+octet-stream")
        else {
            throw .badRequest("Send parts with Content-Type: \(Tus.mediaType)", cause: .unsupportedMediaType)
        }
    }
}
