internal import HTTP
internal import RecordEngine
internal import RecordModel
internal import RecordWire

extension RecordAPI {
    /// `POST /assets`: a file as the body, or several as `multipart/form-data`.
    ///
    /// The caller is judged before the body is asked for, so that a stranger's gigabyte never crosses the network.
    func uploadAsset(_ call: RecordCall) async throws -> HTTPResponse {
        let address = try call.address()
        try call.reader.allowUploading(call.caller, to: address)
        let type = call.request.fields[.contentType]
        if let type, let media = MediaType(type), media.isType("multipart", "form-data") {
            return try await uploadParts(call, media, to: address)
        }
        let upload = AssetUpload(
            caller: call.caller, address: address, contentType: Self.assetType(type),
            filename: call.query["filename"].flatMap { $0.isEmpty ? nil : $0 },
            length: call.request.body.announcedLength, digest: try ContentDigest.expected(call.request.fields))
        let source = AssetBody(call.request.body, for: call.database.assets)
        let received = try await call.reader.receiveAsset(upload) { try await source.next() }
        return .json(["asset": received.json], status: .created)
    }

    /// What a Content-Type says of a file. That of forms says that nobody has named a type (curl's default).
    static func assetType(_ text: String?) -> String? {
        guard let text, let type = MediaType(text), !type.isType("application", "x-www-form-urlencoded") else {
            return nil
        }
        return text
    }
}

/// The body of an upload, in pieces that are worth a thread's while.
final class AssetBody {
    private let body: HTTPRequestBody
    private let assets: AssetStore
    private var isTaken = false

    init(_ body: HTTPRequestBody, for assets: AssetStore) {
        self.body = body
        self.assets = assets
    }

    func next() async throws -> [UInt8]? {
        switch body {
        case .empty: return nil
        case .bytes(let bytes):
            if isTaken || bytes.isEmpty { return nil }
            isTaken = true
            return bytes
        case .stream(let reader): return try await reader.next(gathering: assets.pieceBytes, in: assets.buffers.take)
        }
    }
}

extension HTTPRequestBody {
    /// The length that is known before the body has come.
    var announcedLength: Int64? {
        switch self {
        case .empty: 0
        case .bytes(let bytes): Int64(bytes.count)
        case .stream(let reader): reader.expectedLength.map(Int64.init)
        }
    }
}

extension ReceivedAsset {
    /// The value of an ASSET field, as the answer to an upload has it.
    var json: JSONValue {
        var object: [(String, JSONValue)] = [
            ("fileChecksum", .string(asset.fileChecksum)), ("size", .integer(asset.size)),
        ]
        if let type = asset.contentType { object.append(("contentType", .string(type))) }
        if let name = asset.filename { object.append(("filename", .string(name))) }
        if let picture = asset.picture {
            object += [
                ("width", .integer(picture.width)), ("height", .integer(picture.height)),
                ("orientation", .integer(picture.orientation)),
            ]
        }
        if let receipt = asset.receipt { object.append(("receipt", .string(receipt))) }
        object.append(("downloadURL", .string(downloadURL)))
        return .object(JSONObject(object))
    }
}
