internal import Cryptography
internal import Encodings
internal import HTTP
internal import RecordEngine
internal import RecordModel
internal import RecordWire

/// The assets operations of CloudKit Web Services.
///
/// A client asks for one URL per file, sends the bytes to it, and puts the response into the field of a record. The URL
/// is the permission to upload, because clients fetch it without a credential.
enum CloudKitAssets {
    static let routes: [CloudKitRoute] = [
        CloudKitRoute(
            "POST /database/1/{container}/{environment}/{database}/assets/upload", "assets/upload", rate: .upload
        ) { call in try await permit(&call) },
        CloudKitRoute(
            "POST /database/1/{container}/{environment}/{database}/assets/upload/{permission}", "assets/upload",
            rate: .upload, callers: .holders
        ) { call in try await receive(&call) },
        CloudKitRoute(
            "PUT /database/1/{container}/{environment}/{database}/assets/upload/{permission}", "assets/upload",
            rate: .upload, callers: .holders
        ) { call in try await receive(&call) },
        CloudKitRoute(
            "POST /database/1/{container}/{environment}/{database}/assets/rereference", "assets/rereference",
            rate: .upload
        ) { call in try await rereference(&call) },
    ]

    // MARK: Uploads

    /// `assets/upload`: returns one URL for each file, in order.
    static func permit(_ call: inout CloudKitCall) async throws -> HTTPResponse {
        let body = try await call.document { bytes throws(RecordError) in try CloudKitUploadBody.read(bytes) }
        let address = try call.address(of: body.zone)
        let prefix =
            "\(call.baseURL)/database/1/\(PathSegment.encode(call.path.id.container.text))/"
            + "\(call.path.id.environment.rawValue)/\(call.path.database.rawValue)/assets/upload/"
        var tokens: [JSONValue] = []
        for token in body.tokens {
            let target = UploadTarget(
                recordType: token.recordType, fieldName: token.fieldName,
                recordName: token.recordName ?? AssetReader.makeRecordName())
            let permission = try call.reader.assets.permitUpload(to: target, in: address, for: call.caller)
            tokens.append([
                "recordName": .string(target.recordName.text), "fieldName": .string(target.fieldName.text),
                "url": .string(prefix + permission),
            ])
        }
        return .cloudKit(JSONObject([("tokens", .array(tokens))]))
    }

    /// Receives the bytes of a file: the whole body, or the first file of a form.
    static func receive(_ call: inout CloudKitCall) async throws -> HTTPResponse {
        var upload = try call.reader.assets.permittedUpload(call.parameters[3])
        let source = AssetBody(call.request.body, for: call.database.assetStore)
        let type = call.request.fields[.contentType]
        let received: ReceivedAsset
        do {
            if let type, let media = MediaType(type), media.isType("multipart", "form-data") {
                received = try await receiveFile(of: FormBody(source, media), upload, call)
            } else {
                upload.contentType = AssetRoutes.mediaType(type)
                upload.length = call.request.body.announcedLength
                received = try await call.reader.assets.receive(upload) { try await source.next() }
            }
        } catch let error as RecordError {
            // CloudKit has no other code for a file that is too large.
            throw error.cause == .tooLarge ? RecordError(.quotaExceeded, error.reason) : error
        }
        return .cloudKit(JSONObject([("singleFile", file(received.asset))]))
    }

    private static func receiveFile(
        of form: FormBody, _ upload: AssetUpload, _ call: CloudKitCall
    ) async throws -> ReceivedAsset {
        while let part = try await form.nextPart() {
            guard part.isFile else {
                _ = try await form.field()
                continue
            }
            var upload = upload
            upload.contentType = AssetRoutes.mediaType(part.contentType)
            return try await call.reader.assets.receive(upload) { try await form.next() }
        }
        throw RecordError.badRequest("The form has no file: none of its parts has a file name")
    }

    /// Returns an asset as the value that a client puts into a field. The content is not encrypted, so clients only
    /// pass `wrappingKey` and `referenceChecksum` on, which some of them expect.
    private static func file(_ asset: Asset) -> JSONValue {
        [
            "fileChecksum": .string(asset.fileChecksum), "receipt": .string(asset.receipt ?? ""),
            "size": .integer(asset.size), "wrappingKey": .string(Base64.encode(RandomBytes.make(16))),
            "referenceChecksum": .string(asset.fileChecksum),
        ]
    }

    // MARK: References

    /// `assets/rereference`: makes assets of records writable to other records.
    static func rereference(_ call: inout CloudKitCall) async throws -> HTTPResponse {
        let body = try await call.document { bytes throws(RecordError) in try CloudKitRereferenceBody.read(bytes) }
        let locations = body.assets.map {
            AssetLocation(recordName: $0.recordName, fieldName: $0.fieldName, fileChecksum: $0.fileChecksum)
        }
        let address = try call.address(of: body.zone)
        let results = try await call.reader.assets.rereference(locations, in: address, for: call.caller)
        let face = try call.face(zone: body.zone, numbersAsStrings: false)
        var list = RecordList(#"{"assets":["#)
        for (location, result) in zip(locations, results) {
            list.beginMember()
            switch result {
            case .success(let asset): file(asset).write(to: &list.json)
            case .failure(let error):
                CloudKitComposer.append(
                    error, recordName: location.recordName, fieldName: location.fieldName, as: face, to: &list.json)
            }
        }
        return .cloudKit(list.json + Array("]}".utf8))
    }
}
