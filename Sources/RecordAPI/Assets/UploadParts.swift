internal import HTTP
internal import RecordEngine
internal import RecordModel
internal import RecordWire

extension RecordAPI {
    /// `POST /assets` with `multipart/form-data`, as browsers send forms: each part with a file name is a file. Files are
    /// stored one after the other as they come; if one is refused, so is the request, and nobody gets the others' receipts.
    func uploadParts(_ call: RecordCall, _ type: MediaType, to address: DatabaseAddress) async throws -> HTTPResponse {
        guard call.query["filename"] == nil else {
            throw RecordError.badRequest("The files of a form have names of their own; leave 'filename' out")
        }
        let form = try FormBody(AssetBody(call.request.body, for: call.database.assets), type)
        var assets: [JSONValue] = []
        while let part = try await form.nextPart() {
            guard part.isFile else {
                _ = try await form.field()
                continue
            }
            guard assets.count < FormBody.maxFiles else { throw RecordError.tooManyFormFiles }
            let upload = AssetUpload(
                caller: call.caller, address: address, contentType: Self.assetType(part.contentType),
                filename: part.filename.flatMap(ContentDisposition.safeFilename))
            let received = try await call.reader.receiveAsset(upload) { try await form.next() }
            assets.append(received.json)
        }
        guard !assets.isEmpty else {
            throw RecordError.badRequest("The form has no file: none of its parts has a file name")
        }
        return .json(["assets": .array(assets)], status: .created)
    }
}
