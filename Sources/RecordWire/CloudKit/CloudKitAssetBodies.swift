package import RecordModel

/// The body of `assets/upload` (CloudKit Web Services Reference, "Uploading Assets").
package struct CloudKitUploadBody: Sendable {
    /// A file that the client is about to upload.
    package struct Token: Hashable, Sendable {
        /// The type of the record that will have the asset.
        package var recordType: RecordTypeName
        /// The field that will have the asset.
        package var fieldName: FieldName
        /// The record that will have the asset; `nil` for a new one.
        package var recordName: RecordName?
    }

    /// The files, in order.
    package var tokens: [Token] = []
    /// The zone of the records.
    package var zone = CloudKitZoneID()

    /// The most files of one request.
    package static let maxTokens = 200

    /// Reads the body.
    ///
    /// - Throws: `BAD_REQUEST`; cause `TOO_LARGE` for too many tokens.
    package static func read(_ body: [UInt8]) throws(RecordError) -> CloudKitUploadBody {
        var read = CloudKitUploadBody()
        var hasTokens = false
        try CloudKitReader.readBody(body) { reader, key throws(RecordError) in
            switch key {
            case "tokens":
                hasTokens = true
                try reader.objects("tokens", limit: maxTokens) { reader throws(RecordError) in
                    read.tokens.append(try Token(reading: &reader))
                }
            case "zoneID": read.zone = try reader.zone() ?? CloudKitZoneID()
            default: _ = try reader.value()
            }
        }
        guard hasTokens else { throw .unexpectedInput("the body needs 'tokens'") }
        return read
    }
}

extension CloudKitUploadBody.Token {
    fileprivate init(reading reader: inout CloudKitReader) throws(RecordError) {
        var type: RecordTypeName?
        var field: FieldName?
        var name: RecordName?
        try reader.object("A token") { reader, key throws(RecordError) in
            switch key {
            case "recordType": type = try reader.request.recordTypeName()
            case "fieldName":
                guard let text = try reader.string("fieldName") else { return }
                field = FieldName(text)
                if field == nil { throw .badRequest("A field's name \(Identifier.rule)") }
            case "recordName":
                guard let text = try reader.string("recordName") else { return }
                name = RecordName(text)
                if name == nil { throw .invalidRecordName }
            default: _ = try reader.value()
            }
        }
        guard let type, let field else { throw .unexpectedInput("a token needs 'recordType' and 'fieldName'") }
        self.init(recordType: type, fieldName: field, recordName: name)
    }
}

/// The body of `assets/rereference` (CloudKit Web Services Reference, "Referencing Existing Assets").
package struct CloudKitRereferenceBody: Sendable {
    /// An asset of a record.
    package struct Item: Hashable, Sendable {
        /// The record that has the asset, as received.
        package var recordName: String
        /// The field that has the asset, as received.
        package var fieldName: String
        /// The checksum of the asset in a list; `nil` for the first one.
        package var fileChecksum: String?
    }

    /// The assets, in order.
    package var assets: [Item] = []
    /// The zone of the records.
    package var zone = CloudKitZoneID()

    /// The most assets of one request.
    package static let maxAssets = 200

    /// Reads the body.
    ///
    /// - Throws: `BAD_REQUEST`; cause `TOO_LARGE` for too many assets.
    package static func read(_ body: [UInt8]) throws(RecordError) -> CloudKitRereferenceBody {
        var read = CloudKitRereferenceBody()
        var hasAssets = false
        try CloudKitReader.readBody(body) { reader, key throws(RecordError) in
            switch key {
            case "assets":
                hasAssets = true
                try reader.objects("assets", limit: maxAssets) { reader throws(RecordError) in
                    read.assets.append(try Item(reading: &reader))
                }
            case "zoneID": read.zone = try reader.zone() ?? CloudKitZoneID()
            default: _ = try reader.value()
            }
        }
        guard hasAssets else { throw .unexpectedInput("the body needs 'assets'") }
        return read
    }
}

extension CloudKitRereferenceBody.Item {
    fileprivate init(reading reader: inout CloudKitReader) throws(RecordError) {
        var record: String?
        var field: String?
        var checksum: String?
        try reader.object("An asset") { reader, key throws(RecordError) in
            switch key {
            case "recordName": record = try reader.string("recordName")
            case "fieldName": field = try reader.string("fieldName")
            case "fileChecksum": checksum = try reader.string("fileChecksum")
            default: _ = try reader.value()
            }
        }
        guard let record, let field else { throw .unexpectedInput("an asset needs 'recordName' and 'fieldName'") }
        self.init(recordName: record, fieldName: field, fileChecksum: checksum)
    }
}
