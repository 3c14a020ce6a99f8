internal import HTTP
internal import RecordEngine
internal import RecordModel
internal import RecordWire

/// The routes for files: uploads in one request, and reads by signed URLs.
enum AssetRoutes {
    static let routes: [Route] = [
        Route(
            "POST /assets", "uploadAsset", .assets,
            "Uploads a file, or several as multipart/form-data; the response is the value of an ASSET field",
            rate: .upload, query: ["filename"], headers: ["contentDigest"],
            responses: [
                .json(201, "UploadAnswer", "The value for an ASSET field, with its receipt"),
                .error(413, "Too large, or over the quota"), .error(507, "The disk is full"),
            ]
        ) { call in try await upload(call) },
        reading("GET /assets/{token}"),
        // The file name in the URL is for people, and for the files that browsers save.
        reading("GET /assets/{token}/{filename}"),
    ]

    /// Whether a target is the signed URL of an asset, which pages of all origins may read.
    static func isSigned(_ target: RequestTarget) -> Bool {
        target.segmentEquals(0, "assets") && (2...3).contains(target.segmentCount) && !Tus.isMeant(by: target)
    }

    /// Returns the response to a request whose method a path does not have. For the signed URL of an asset, pages of all
    /// origins may read it, and a preflight gets its own.
    static func opening(_ response: HTTPResponse, to request: HTTPRequest, allow methods: [HTTPMethod]) -> HTTPResponse
    {
        guard isSigned(request.target) else { return response }
        var response = CORSPolicy.forAll.preflight(request, allow: methods) ?? response
        CORSPolicy.openToAll(&response)
        response.hidesPath = true
        return response
    }

    private static func reading(_ name: StaticString) -> Route {
        Route(
            name, "readAsset", .assets, "Reads an asset by its signed URL, ranges of it, or a smaller picture",
            rate: .read, authentication: .url, query: ServedContent.parameters + ["log"],
            headers: ServedContent.headers,
            responses: ServedContent.responses
        ) { call in try await read(call) }
    }

    /// `POST /assets`: uploads one file as the body, or several as `multipart/form-data`.
    ///
    /// The caller is authorized before the body is read, so that a caller without permission cannot send a large body.
    ///
    /// - Throws: The errors of authorization and of receiving the file; BAD_REQUEST for an invalid Content-Digest or
    ///   form.
    static func upload(_ call: RecordCall) async throws -> HTTPResponse {
        let address = try call.address()
        try call.reader.assets.allowUploading(call.caller, to: address)
        let type = call.request.fields[.contentType]
        if let type, let media = MediaType(type), media.isType("multipart", "form-data") {
            return try await uploadParts(call, media, to: address)
        }
        let upload = AssetUpload(
            caller: call.caller, address: address, contentType: mediaType(type),
            filename: call.query["filename"].flatMap { $0.isEmpty ? nil : $0 },
            length: call.request.body.announcedLength, digest: try ContentDigest.expected(call.request.fields))
        let source = AssetBody(
            call.request.body, for: call.database.assetStore, from: try TransferSender(call))
        let received = try await call.reader.assets.receive(upload) { try await source.next() }
        return .json(["asset": received.json], status: .created)
    }

    /// Uploads the files of a `multipart/form-data` form, as browsers send it. Each part with a file name is a file.
    /// Files are stored in order as they arrive. If one file is rejected, the whole request fails and returns no upload
    /// tokens.
    private static func uploadParts(
        _ call: RecordCall, _ type: MediaType, to address: DatabaseAddress
    ) async throws -> HTTPResponse {
        guard call.query["filename"] == nil else {
            throw RecordError.badRequest("The files of a form have names of their own; leave 'filename' out")
        }
        let form = try FormBody(
            AssetBody(call.request.body, for: call.database.assetStore, from: try TransferSender(call)), type)
        var assets: [JSONValue] = []
        while let part = try await form.nextPart() {
            guard part.isFile else {
                _ = try await form.field()
                continue
            }
            guard assets.count < FormBody.maxFiles else { throw RecordError.tooManyFormFiles }
            let upload = AssetUpload(
                caller: call.caller, address: address, contentType: mediaType(part.contentType),
                filename: part.filename.flatMap(ContentDisposition.safeFilename))
            let received = try await call.reader.assets.receive(upload) { try await form.next() }
            assets.append(received.json)
        }
        guard !assets.isEmpty else {
            throw RecordError.badRequest("The form has no file: none of its parts has a file name")
        }
        return .json(["assets": .array(assets)], status: .created)
    }

    /// Returns the media type of a file from its Content-Type. The type of URL-encoded forms counts as no type, because
    /// it is curl's default.
    static func mediaType(_ text: String?) -> String? {
        guard let text, let type = MediaType(text), !type.isType("application", "x-www-form-urlencoded") else {
            return nil
        }
        return text
    }

    /// `GET /assets/{token}`: reads an asset by its signed URL. The URL is the only required permission.
    ///
    /// With `log=false`, the log of the latest requests leaves out small pictures, because a list of records shows many,
    /// which would displace the requests that an administrator looks for. It never leaves out a rejection, nor another
    /// file, so nobody can hide those.
    static func read(_ call: RecordCall) async throws -> HTTPResponse {
        let filename = call.request.target.segmentCount > 2 ? call.parameters[1] : ""
        let asset = try call.reader.assets.open(token: call.parameters[0], filename: filename)
        let isLogged = try call.query["log"] == nil || call.query.word("log")
        var response: HTTPResponse
        do {
            let content = try await ServedContent(asset, for: call)
            response = try content.response(to: call.request)
            response.isUnlogged = !isLogged && content.isSmallPicture
        } catch let error as RecordError where !isLogged && error.cause == .thumbnailsUnavailable {
            response = call.api.errorResponse(error, id: call.request.id)
            response.isUnlogged = true
        }
        return response
    }

    static let schemas: StaticString = #"""
        "Asset":{"type":"object","required":["fileChecksum","size"],"properties":{
        "fileChecksum":{"type":"string","description":"SHA-256 in base64"},"size":{"type":"integer"},
        "contentType":{"type":"string"},"filename":{"type":"string"},
        "width":{"type":"integer"},"height":{"type":"integer"},
        "orientation":{"type":"integer","minimum":1,"maximum":8,"description":"As EXIF counts; 1 is upright"},
        "receipt":{"type":"string","description":"In responses to uploads: the proof that the record needs which gets the value"},
        "downloadURL":{"type":"string"}}},
        "UploadAnswer":{"type":"object","properties":{"asset":{"$ref":"#/components/schemas/Asset"},
        "assets":{"type":"array","items":{"$ref":"#/components/schemas/Asset"}}}},
        "Upload":{"type":"object","required":["offset","expiresAt"],"properties":{
        "offset":{"type":"integer","description":"So many bytes are durable"},
        "length":{"type":"integer","description":"Absent until it is known"},
        "expiresAt":{"type":"integer","description":"Milliseconds since 1970"},
        "asset":{"$ref":"#/components/schemas/Asset"}}}
        """#
}
