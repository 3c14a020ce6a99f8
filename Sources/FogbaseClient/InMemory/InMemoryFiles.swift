internal import Encodings
internal import Foundation
internal import RecordModel
internal import RecordWire

/// The files of `InMemoryServer`, by their checksums.
struct InMemoryFiles {
    /// A proof of an upload.
    struct Receipt {
        var asset: Asset
        var uploader: UserID
        var zone: Int64
    }

    private(set) var contents: [String: [UInt8]] = [:]
    private(set) var receipts: [String: Receipt] = [:]

    /// Keeps a file.
    ///
    /// - Returns: The value that a record's field gets, with its receipt.
    mutating func add(_ content: [UInt8], type: String?, filename: String?, uploader: UserID, zone: Int64) -> Asset {
        var asset = Asset(
            fileChecksum: Base64.encode(FileFingerprint.of(content)), size: Int64(content.count),
            contentType: type ?? "application/octet-stream", filename: filename)
        contents[asset.fileChecksum] = content
        let receipt = UUID().uuidString
        receipts[receipt] = Receipt(asset: asset, uploader: uploader, zone: zone)
        asset.receipt = receipt
        asset.downloadURL = url(of: asset)
        return asset
    }

    /// Where a file is read, relative to the server. It says what the file is, and is good as long as the server is there.
    func url(of asset: Asset) -> String {
        let token = Data("\(asset.fileChecksum)\n\(asset.contentType ?? "")".utf8).base64EncodedString()
            .replacingOccurrences(of: "+", with: "-").replacingOccurrences(of: "/", with: "_")
            .replacingOccurrences(of: "=", with: "")
        let name = asset.filename.map { "/" + Connection.encode($0) } ?? ""
        return "/assets/" + token + name
    }

    /// The file at an address of `url`.
    func file(_ token: String) -> (type: String, checksum: String, content: [UInt8])? {
        var text = token.replacingOccurrences(of: "-", with: "+").replacingOccurrences(of: "_", with: "/")
        text += String(repeating: "=", count: (4 - text.utf8.count % 4) % 4)
        guard let data = Data(base64Encoded: text) else { return nil }
        let lines = String(decoding: data, as: UTF8.self)
            .split(separator: "\n", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        guard lines.count == 2, let content = contents[lines[0]] else { return nil }
        return (lines[1], lines[0], content)
    }
}

extension InMemoryDatabase {
    /// Takes a file as the body of a request.
    mutating func upload(_ call: InMemoryCall) throws -> TransportResponse {
        let request = call.request
        guard Authorization.judgeUploading(call.caller, to: call.scope, schema: schema).decision == .allowed else {
            throw RecordError.refused(call.caller, .create, .upload)
        }
        let type = request.field("content-type")
        if type?.lowercased().hasPrefix("multipart/") == true { throw InMemoryRefusal.notThere("uploads by forms") }
        if request.field("content-digest") != nil { throw InMemoryRefusal.notThere("digests of uploads") }
        let asset = files.add(
            request.body, type: type, filename: request["filename"].flatMap { $0.isEmpty ? nil : $0 },
            uploader: call.caller.writerID, zone: call.zone)
        var value = JSONObject([("fileChecksum", .string(asset.fileChecksum)), ("size", .integer(asset.size))])
        value["contentType"] = asset.contentType.map(JSONValue.string)
        value["filename"] = asset.filename.map(JSONValue.string)
        value["receipt"] = asset.receipt.map(JSONValue.string)
        value["downloadURL"] = asset.downloadURL.map(JSONValue.string)
        return TransportResponse(json: ["asset": .object(value)], status: 201)
    }

    /// What is to be stored of the files that an operation brings, by their checksums: each comes with the receipt of an
    /// upload by the same caller to the same database, or stands in the same field already.
    func prove(
        _ assets: [(fieldID: Int, asset: Asset)], existing: KeptRecord?, _ type: RecordTypeDefinition,
        _ call: InMemoryCall
    ) throws(RecordError) -> [String: Asset] {
        let stored = try existing?.fields.withView { view throws(RecordError) in try view.assets() } ?? []
        var known: [String: Asset] = [:]
        for (field, asset) in assets {
            var found: Asset?
            if let receipt = asset.receipt {
                found = files.receipts[receipt].flatMap { receipt in
                    receipt.uploader == call.caller.writerID && receipt.zone == call.zone
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

    /// Reads a file by its URL.
    func readFile(_ request: InMemoryRequest) throws -> TransportResponse {
        guard let file = files.file(request.path[1]) else {
            throw RecordError(.notFound, "The asset is not here, or the URL is not one that this server has made")
        }
        return try serve(file.content, type: file.type, tag: file.checksum, request)
    }

    /// Reads the content of a BYTES or ASSET field.
    func readField(_ call: InMemoryCall) throws -> TransportResponse {
        let record = try readable(call)
        let name = call.request.path[3]
        guard let field = schema[id: record.type]?[name],
            let entry = try record.fields.withView({ view throws(RecordError) in view.entry(field.id) })
        else { throw RecordError(.notFound, "The record has no field with this name") }
        if field.type.element == .asset {
            let assets = try record.fields.withView { view throws(RecordError) in try view.assets() }
                .filter { $0.fieldID == field.id }
            let index = Int(call.request["index"] ?? "0") ?? 0
            guard assets.indices.contains(index), let content = files.contents[assets[index].asset.fileChecksum] else {
                throw RecordError(.notFound, "The list has no member with this index")
            }
            let asset = assets[index].asset
            return try serve(content, type: asset.contentType, tag: asset.fileChecksum, call.request)
        }
        guard field.type == .bytes else {
            throw RecordError.badRequest(
                "Only BYTES and ASSET fields have content of their own; read the record instead", cause: .typeMismatch,
                details: [("found", .text(field.type.schemaName))])
        }
        let json = record.externals[field.id] ?? Array(record.fields.text[entry.value])
        let content = json.withUnsafeBytes {
            Base64.decode(UnsafeRawBufferPointer(rebasing: $0.dropFirst().dropLast()))
        }
        return try serve(content ?? [], type: nil, tag: record.tag, call.request)
    }

    /// Sends content, or one range of it.
    private func serve(
        _ content: [UInt8], type: String?, tag: String, _ request: InMemoryRequest
    ) throws -> TransportResponse {
        if request["width"] != nil || request["height"] != nil { throw InMemoryRefusal.notThere("thumbnails") }
        let tag = "\"\(tag)\""
        let type = type == "text/plain" ? "text/plain; charset=utf-8" : type
        var response = TransportResponse(
            status: 200,
            fields: ["content-type": type ?? "application/octet-stream", "etag": tag, "accept-ranges": "bytes"])
        if request.field("if-none-match") == tag {
            response.status = 304
            return response
        }
        var range = 0..<content.count
        if let text = request.field("range"), [nil, tag].contains(request.field("if-range")) {
            switch Self.range(text, of: content.count) {
            case .whole: break
            case .part(let part):
                range = part
                response.status = 206
                response.fields["content-range"] = "bytes \(part.lowerBound)-\(part.upperBound - 1)/\(content.count)"
            case .nothing:
                var refusal = TransportResponse.refusing(
                    RecordError.badRequest(
                        "The byte range begins behind the end of the value", cause: .rangeNotSatisfiable))
                refusal.fields["content-range"] = "bytes */\(content.count)"
                return refusal
            }
        }
        response.body = Data(content[range])
        response.fields["content-length"] = String(range.count)
        return response
    }

    /// What of the content a request asks for.
    private enum Wanted {
        case whole
        case part(Range<Int>)
        case nothing
    }

    /// The first range that is asked for.
    private static func range(_ text: String, of count: Int) -> Wanted {
        guard text.hasPrefix("bytes=") else { return .whole }
        let ends = text.dropFirst(6).prefix { $0 != "," }
            .split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false).map { Int($0) }
        guard ends.count == 2 else { return .whole }
        switch (ends[0], ends[1]) {
        case (let start?, let last):
            let end = last.map { min($0, count - 1) + 1 } ?? count
            return start < end ? .part(start..<end) : .nothing
        case (nil, let length?): return count > 0 && length > 0 ? .part(max(0, count - length)..<count) : .nothing
        case (nil, nil): return .whole
        }
    }
}
