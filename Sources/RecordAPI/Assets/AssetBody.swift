internal import HTTP
internal import RecordEngine
internal import RecordModel
internal import RecordWire

/// The body of an upload. Its pieces are large enough that handing each to another thread is worthwhile.
final class AssetBody {
    private let body: HTTPRequestBody
    private let assets: AssetStore
    private let sender: TransferSender?
    private var isTaken = false

    /// - Parameter sender: The sender, which must stay authenticated; `nil` for a path that is the credential.
    init(_ body: HTTPRequestBody, for assets: AssetStore, from sender: TransferSender? = nil) {
        self.body = body
        self.assets = assets
        self.sender = sender
    }

    func next() async throws -> [UInt8]? {
        switch body {
        case .empty: return nil
        case .bytes(let bytes):
            if isTaken || bytes.isEmpty { return nil }
            isTaken = true
            return bytes
        case .stream(let reader):
            let piece = try await reader.next(gathering: assets.pieceBytes, in: assets.buffers.take)
            try await sender?.check()
            return piece
        }
    }
}

extension HTTPRequestBody {
    /// The length in bytes that is known before the body has arrived; `nil` if unknown.
    var announcedLength: Int64? {
        switch self {
        case .empty: 0
        case .bytes(let bytes): Int64(bytes.count)
        case .stream(let reader): reader.expectedLength.map(Int64.init)
        }
    }
}

extension ReceivedAsset {
    /// The file as the value of an ASSET field, as in the response to an upload.
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
