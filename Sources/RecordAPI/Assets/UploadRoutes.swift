internal import Cryptography
internal import HTTP
internal import RecordEngine
internal import RecordModel
internal import RecordWire

/// The routes for resumable uploads; see `Tus`.
enum UploadRoutes {
    static let routes: [Route] = [
        Route(
            "OPTIONS /assets/uploads", "describeUploads", .assets,
            "Tells which version of tus, the protocol of uploads that can be resumed, is spoken", rate: .read,
            authentication: .bearerAndPath, options: [.tus, .serverWide],
            responses: [.empty(204, "Tus-Version, Tus-Extension, Tus-Max-Size and Tus-Checksum-Algorithm tell")],
            respondedBy: .open { _, api in describe(api) }
        ),
        Route(
            "POST /assets/uploads", "createUpload", .assets,
            "Begins an upload that can be resumed (tus 1.0.0), with its first part if there is a body", rate: .upload,
            authentication: .bearerAndPath, options: .tus,
            headers: ["tusResumable", "newUploadLength", "uploadDeferLength", "uploadMetadata", "uploadChecksum"],
            body: .bytes(Tus.mediaType, isRequired: false),
            responses: [
                .empty(201, "The upload's address in Location, with Upload-Offset and Upload-Expires"),
                .error(412, "Tus-Resumable is missing, or another version"),
                .error(413, "Too large, or over the quota"), .error(415, "The body does not say that it is a part"),
                .error(460, "The part has another checksum; there is no upload"), .error(507, "The disk is full"),
            ]
        ) { call in try await create(call) },
        Route(
            "HEAD /assets/uploads/{name}", "uploadOffset", .assets,
            "Tells where an upload goes on, and ends a request that still brings bytes for it", rate: .read,
            authentication: .bearerAndPath, options: .tus, headers: ["tusResumable"],
            responses: [
                .empty(200, "Upload-Offset, Upload-Length or Upload-Defer-Length, Upload-Metadata, Upload-Expires"),
                .empty(404, "There is no such upload of the caller's"), .empty(410, "The upload has expired"),
                .empty(412, "Tus-Resumable is missing, or another version"),
            ]
        ) { call in try await offset(call) },
        Route(
            "PATCH /assets/uploads/{name}", "continueUpload", .assets,
            "Brings the next part of an upload; the last one completes it", rate: .upload,
            authentication: .bearerAndPath, options: .tus,
            headers: ["tusResumable", "uploadOffset", "uploadLength", "uploadChecksum"],
            body: .bytes(Tus.mediaType, isRequired: true),
            responses: [
                .empty(204, "The part is durable up to Upload-Offset"),
                .error(404, "There is no such upload of the caller's"),
                .error(409, "The upload is at another offset, or a newer request goes on with it"),
                .error(410, "The upload has expired"), .error(412, "Tus-Resumable is missing, or another version"),
                .error(413, "More than the upload's length, or over the quota"),
                .error(415, "The body does not say that it is a part"),
                .error(460, "The part has another checksum and was dropped"), .error(507, "The disk is full"),
            ]
        ) { call in try await proceed(call) },
        Route(
            "DELETE /assets/uploads/{name}", "terminateUpload", .assets,
            "Ends an upload and drops what has come of it", rate: .upload, authentication: .bearerAndPath,
            options: .tus, headers: ["tusResumable"],
            responses: [
                .empty(204, "Gone"), .error(404, "There is no such upload of the caller's"),
                .error(410, "The upload has expired"), .error(412, "Tus-Resumable is missing, or another version"),
            ]
        ) { call in try await terminate(call) },
        Route(
            "GET /assets/uploads/{name}", "readUpload", .assets,
            "Shows how far an upload is and, once it is complete, the value of an ASSET field", rate: .read,
            authentication: .bearerAndPath, options: .tus,
            responses: [
                .json(200, "Upload", "How far it is"), .error(404, "There is no such upload of the caller's"),
                .error(410, "The upload has expired"),
            ]
        ) { call in try await read(call) },
    ]

    /// `OPTIONS /assets/uploads`: describes the supported version, extensions and limits. Needs no credential, version
    /// or database.
    static func describe(_ api: RecordAPI) -> HTTPResponse {
        var fields = HTTPFields()
        fields.append(.tusVersion, literal: Tus.version)
        fields.append(.tusExtension, literal: Tus.extensions)
        fields.append(.tusMaxSize, String(api.registry.configuration.limits.assetBytes))
        fields.append(.tusChecksumAlgorithm, Tus.algorithms.map(\.rawValue).joined(separator: ","))
        fields.append(.allow, literal: "POST, OPTIONS")
        fields.append(.cacheControl, literal: "no-cache")
        return HTTPResponse(.noContent, fields: fields)
    }

    /// `POST /assets/uploads`: creates an upload, with its first part if the request has a body.
    ///
    /// If the first part is rejected or interrupted, the upload is deleted, because the client does not know its name.
    static func create(_ call: RecordCall) async throws -> HTTPResponse {
        let request = call.request
        let address = try call.address()
        try call.reader.assets.allowUploading(call.caller, to: address)
        guard !request.fields.contains(.uploadConcat) else {
            throw RecordError.badRequest("This server does not put uploads together. Send one upload in order")
        }
        let length = try Tus.length(request.fields)
        let metadata = try TusMetadata(request.fields)
        let count = request.body.announcedLength
        if count != 0 { try requirePart(request.fields) }
        let part = ResumablePart(offset: 0, count: count, checksum: try Tus.checksum(request.fields))
        let new = NewResumableUpload(
            caller: call.caller, address: address, length: length,
            contentType: AssetRoutes.mediaType(metadata?.contentType), filename: metadata?.filename,
            metadata: metadata?.text)
        var status = try await call.reader.uploads.create(new)
        if count != 0 {
            let upload = ResumableAddress(name: status.name, caller: call.caller, address: address)
            let body = TusBody(request.body, from: try TransferSender(call))
            do {
                status = try await call.reader.uploads.append(part, to: upload) { try await body.next() }
            } catch {
                try? await call.reader.uploads.terminate(upload)
                throw error
            }
        }
        var fields = Self.fields(of: status)
        fields.append(.location, call.location(of: "/assets/uploads/\(status.name)"))
        return HTTPResponse(.created, fields: fields)
    }

    /// `PATCH /assets/uploads/{name}`: appends the next part.
    static func proceed(_ call: RecordCall) async throws -> HTTPResponse {
        let fields = call.request.fields
        try requirePart(fields)
        guard let offset = try Tus.number(.uploadOffset, "Upload-Offset", in: fields) else {
            throw RecordError.badRequest(
                "Say with Upload-Offset where the part goes on", details: [("header", .text("Upload-Offset"))])
        }
        let part = ResumablePart(
            offset: offset, length: try Tus.number(.uploadLength, "Upload-Length", in: fields),
            count: call.request.body.announcedLength, checksum: try Tus.checksum(fields))
        let body = TusBody(call.request.body, from: try TransferSender(call))
        let status = try await call.reader.uploads.append(part, to: try upload(call)) { try await body.next() }
        return HTTPResponse(.noContent, fields: Self.fields(of: status))
    }

    /// `HEAD /assets/uploads/{name}`: returns the offset at which to continue. The client has lost its previous
    /// request, so the server ends that request.
    static func offset(_ call: RecordCall) async throws -> HTTPResponse {
        let status = try await call.reader.uploads.status(of: try upload(call), endsOthers: true)
        var fields = Self.fields(of: status)
        if let length = status.length {
            fields.append(.uploadLength, String(length))
        } else {
            fields.append(.uploadDeferLength, literal: "1")
        }
        if let metadata = status.metadata { fields.append(.uploadMetadata, metadata) }
        return HTTPResponse(.ok, fields: fields)
    }

    /// `GET /assets/uploads/{name}`: returns the progress and the result of an upload. Does not end a running request.
    static func read(_ call: RecordCall) async throws -> HTTPResponse {
        let status = try await call.reader.uploads.status(of: try upload(call), endsOthers: false)
        var object: [(String, JSONValue)] = [("offset", .integer(status.offset))]
        if let length = status.length { object.append(("length", .integer(length))) }
        object.append(("expiresAt", .integer(status.expires)))
        if let asset = status.asset { object.append(("asset", asset.json)) }
        var response = HTTPResponse.json(.object(JSONObject(object)))
        // The response contains an upload token, which must not be cached.
        response.fields.set(.cacheControl, "no-store")
        return response
    }

    /// `DELETE /assets/uploads/{name}`: ends an upload and deletes its bytes.
    static func terminate(_ call: RecordCall) async throws -> HTTPResponse {
        try await call.reader.uploads.terminate(try upload(call))
        return HTTPResponse(.noContent, fields: .bodyless)
    }

    private static func upload(_ call: RecordCall) throws(RecordError) -> ResumableAddress {
        ResumableAddress(name: call.parameters[0], caller: call.caller, address: try call.address())
    }

    /// Returns the header fields of every response about an upload.
    private static func fields(of status: ResumableStatus) -> HTTPFields {
        var fields = HTTPFields()
        fields.append(.uploadOffset, String(status.offset))
        fields.append(.uploadExpires, ascii: HTTPDate.text(unixSeconds: status.expires / 1_000))
        fields.append(.cacheControl, literal: "no-store")
        return fields
    }

    /// Rejects a body whose media type is not that of a tus part.
    ///
    /// - Throws: BAD_REQUEST (`unsupportedMediaType`).
    private static func requirePart(_ fields: HTTPFields) throws(RecordError) {
        guard let text = fields[.contentType], let type = MediaType(text),
            type.isType("application", "offset+octet-stream")
        else {
            throw .badRequest("Send parts with Content-Type: \(Tus.mediaType)", cause: .unsupportedMediaType)
        }
    }
}
