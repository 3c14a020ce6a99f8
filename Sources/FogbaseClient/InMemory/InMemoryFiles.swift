internal import Encodings
internal import Foundation
internal import RecordModel
internal import RecordWire

/// The files of `InMemoryServer`, by checksum.
struct InMemoryFiles {
    /// An upload token: the proof that a caller has uploaded a file.
    struct Receipt {
        var asset: Asset
        var uploader: UserID
        /// The user ID of the owner of the database; 0 for the public database.
        var database: Int64
    }

    private var contents: [String: [UInt8]] = [:]
    private var receipts: [String: Receipt] = [:]

    /// Stores a file.
    ///
    /// - Returns: The value for a record's field, with its upload token.
    private mutating func add(
        _ content: [UInt8], type: String?, filename: String?, uploader: UserID, database: Int64
    ) -> Asset {
        var asset = Asset(
            fileChecksum: Base64.encode(FileFingerprint.of(content)), size: Int64(content.count),
            contentType: type ?? "application/octet-stream", filename: filename)
        contents[asset.fileChecksum] = content
        let receipt = UUID().uuidString
        receipts[receipt] = Receipt(asset: asset, uploader: uploader, database: database)
        asset.receipt = receipt
        asset.downloadURL = url(of: asset)
        return asset
    }

    /// Returns the URL of a file, relative to the server. The URL encodes the checksum and the media type, and never
    /// expires.
    func url(of asset: Asset) -> String {
        let token = Data("\(asset.fileChecksum)\n\(asset.contentType ?? "")".utf8).base64EncodedString()
            .replacingOccurrences(of: "+", with: "-").replacingOccurrences(of: "/", with: "_")
            .replacingOccurrences(of: "=", with: "")
        let name = asset.filename.map { "/" + Connection.encode($0) } ?? ""
        return "/assets/" + token + name
    }

    func content(of asset: Asset) -> InMemoryContent? {
        contents[asset.fileChecksum].map {
            InMemoryContent(bytes: $0, type: asset.contentType, tag: asset.fileChecksum)
        }
    }

    /// Returns the file for the token in a URL of `url(of:)`.
    private func file(_ token: String) -> InMemoryContent? {
        var text = token.replacingOccurrences(of: "-", with: "+").replacingOccurrences(of: "_", with: "/")
        text += String(repeating: "=", count: (4 - text.utf8.count % 4) % 4)
        guard let data = Data(base64Encoded: text) else { return nil }
        let lines = String(decoding: data, as: UTF8.self)
            .split(separator: "\n", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        guard lines.count == 2, let content = contents[lines[0]] else { return nil }
        return InMemoryContent(bytes: content, type: lines[1], tag: lines[0])
    }

    /// Reads a file by its URL.
    ///
    /// - Throws: NOT_FOUND if this server did not create the URL.
    func read(_ request: InMemoryRequest) throws -> TransportResponse {
        guard let file = file(request.path[1]) else {
            throw RecordError(.notFound, "The asset is not here, or the URL is not one that this server has made")
        }
        return try file.respond(to: request)
    }

    /// Stores the body of a request as a file.
    ///
    /// - Throws: ACCESS_DENIED or AUTHENTICATION_REQUIRED if the caller lacks the permission to upload; `InMemoryError`
    ///   if the request has a form or a digest.
    mutating func upload(_ call: InMemoryCall, schema: Schema) throws -> TransportResponse {
        let request = call.request
        guard Authorization.judgeUploading(call.caller, to: call.scope, schema: schema).decision == .allowed else {
            throw RecordError.rejected(call.caller, .create, .upload)
        }
        let type = request.field("content-type")
        if type?.lowercased().hasPrefix("multipart/") == true { throw InMemoryError.notThere("uploads by forms") }
        if request.field("content-digest") != nil { throw InMemoryError.notThere("digests of uploads") }
        let asset = add(
            request.body, type: type, filename: request["filename"].flatMap { $0.isEmpty ? nil : $0 },
            uploader: call.caller.writerID, database: call.zone.owner)
        var value = JSONObject([("fileChecksum", .string(asset.fileChecksum)), ("size", .integer(asset.size))])
        value["contentType"] = asset.contentType.map(JSONValue.string)
        value["filename"] = asset.filename.map(JSONValue.string)
        value["receipt"] = asset.receipt.map(JSONValue.string)
        value["downloadURL"] = asset.downloadURL.map(JSONValue.string)
        return TransportResponse(json: ["asset": .object(value)], status: 201)
    }

    /// Checks the files in an operation's fields, and returns the file properties to store, by checksum.
    ///
    /// Each file must have the token of an upload by the same caller to the same database, or be in the same field
    /// already.
    ///
    /// - Throws: BAD_REQUEST if a file fulfills neither condition, or has another size.
    func prove(
        _ assets: [(fieldID: Int, asset: Asset)], existing: InMemoryRecord?, _ type: RecordTypeDefinition,
        _ call: InMemoryCall
    ) throws(RecordError) -> [String: Asset] {
        let stored = try existing?.fields.withView { view throws(RecordError) in try view.assets() } ?? []
        var known: [String: Asset] = [:]
        for (field, asset) in assets {
            var found: Asset?
            if let receipt = asset.receipt {
                found = receipts[receipt].flatMap { receipt in
                    receipt.uploader == call.caller.writerID && receipt.database == call.zone.owner
                        && receipt.asset.fileChecksum == asset.fileChecksum ? receipt.asset : nil
                }
            } else if let existing, call.may(.read, existing, type) {
                found = stored.first { $0.fieldID == field && $0.asset.fileChecksum == asset.fileChecksum }?.asset
            }
            let details = [("field", RecordError.Detail.text(type[id: field]?.name.text ?? ""))]
            guard var kept = found else {
                throw .badRequest(
                    "The file is not one of an upload by you to this database. Send the value with its receipt",
                    cause: .tokenInvalid, details: details)
            }
            guard kept.size == asset.size else {
                throw .badRequest("The asset has another size than the value says", details: details)
            }
            kept.contentType = asset.contentType ?? kept.contentType
            kept.filename = asset.filename ?? kept.filename
            known[asset.fileChecksum] = kept
        }
        return known
    }
}
