internal import HTTP
internal import RecordEngine
internal import RecordModel
internal import RecordWire

/// A record sent as a form. Each form field is a field of the record, each file is the value of an ASSET field, and
/// `recordName` is the record name.
struct RecordForm {
    private enum Part {
        case text(String)
        case file(ReceivedAsset)
    }

    /// The names of the form fields, in the order of their first occurrence.
    private var names: [String] = []
    private var parts: [String: [Part]] = [:]

    mutating func add(_ name: String, text: String) { add(name, .text(text)) }

    mutating func add(_ name: String, file: ReceivedAsset) { add(name, .file(file)) }

    private mutating func add(_ name: String, _ part: Part) {
        if parts[name] == nil { names.append(name) }
        parts[name, default: []].append(part)
    }

    /// Returns the JSON body that is equivalent to the form.
    ///
    /// - Parameters:
    ///   - type: The current record type; `nil` if this record will create the type.
    ///   - showsReceipts: Whether the files include their upload tokens. Without tokens, two requests with the same
    ///     files have the same body.
    /// - Throws: BAD_REQUEST for a repeated field that is not a list, for a field that is both text and file, and for a
    ///   record key other than `recordName`.
    func body(for type: RecordTypeDefinition?, showsReceipts: Bool) throws(RecordError) -> [UInt8] {
        var body = JSONObject()
        var fields = JSONObject()
        for name in names {
            let parts = parts[name] ?? []
            let texts = parts.compactMap { if case .text(let text) = $0 { text } else { nil } }
            let files = parts.compactMap { if case .file(let file) = $0 { file } else { nil } }
            guard texts.isEmpty || files.isEmpty else {
                throw .badRequest(
                    "The form has the field '\(name.prefix(64))' both as a text and as a file. Send one of them",
                    details: [("field", .text(name))])
            }
            if name == "recordName" {
                guard texts.count == 1 else { throw Self.repeated(name) }
                body[name] = .string(texts[0])
            } else if Self.keysOfRecords.contains(name), type?[name] == nil {
                // If the server stored an access list as text in a field, the list would not protect the record.
                throw .badRequest(
                    "A form has the fields of a record and 'recordName'. Send '\(name)' in JSON", cause: .readOnlyKey,
                    details: [("field", .text(name))])
            } else if files.isEmpty {
                fields[name] = try Self.value(texts, of: type?[name]?.type, name)
            } else {
                let values = files.map { showsReceipts ? $0.json : $0.identity }
                let isList = type?[name]?.type.isList ?? (files.count > 1)
                guard isList || files.count == 1 else { throw Self.repeated(name) }
                fields[name] =
                    isList
                    ? ["value": .array(values), "type": "ASSET_LIST"] : ["value": values[0], "type": "ASSET"]
            }
        }
        body["fields"] = .object(fields)
        return JSONValue.object(body).bytes
    }

    /// The keys of a record's dictionary, except for its name.
    private static let keysOfRecords: Set<String> = [
        "acl", "created", "modified", "recordType", "recordChangeTag", "deleted", "fields", "pluginFields", "zoneID",
        "preserve",
    ]

    private static func repeated(_ name: String) -> RecordError {
        .badRequest(
            "The form has the field '\(name.prefix(64))' more than once, and it is no list. Send it once",
            details: [("field", .text(name))])
    }

    /// Converts the texts of a form field to a value. If `type` is `nil`, the field is new and
    /// takes the texts unchanged.
    ///
    /// - Throws: BAD_REQUEST for several values of a field that is not a list.
    private static func value(
        _ texts: [String], of type: FieldType?, _ name: String
    ) throws(RecordError) -> JSONValue {
        guard let type else { return texts.count == 1 ? .string(texts[0]) : .array(texts.map(JSONValue.string)) }
        if type.isList {
            // Browsers may send one empty text for a list without a selection.
            return texts == [""] ? .array([]) : .array(texts.map { scalar($0, type.element) })
        }
        guard texts.count == 1 else { throw repeated(name) }
        return texts[0].isEmpty && type != .string ? .null : scalar(texts[0], type)
    }

    /// Converts one text. A text that does not match the type stays a text; the writer rejects it with a specific
    /// error.
    private static func scalar(_ text: String, _ type: FieldType) -> JSONValue {
        switch type {
        case .int64:
            if text == "true" || text == "false" { return .bool(text == "true") }
            return Int64(text).map(JSONValue.integer) ?? .string(text)
        case .double:
            // The writer reports any rounding in a notice.
            if let whole = Int64(text) { return .integer(whole) }
            let isDecimal = text.utf8.allSatisfy { "0123456789+-.eE".utf8.contains($0) }
            guard isDecimal, let number = Double(text), number.isFinite else { return .string(text) }
            return .double(number)
        case .timestamp: return Int64(text).map(JSONValue.integer) ?? .string(text)
        case .reference where !text.hasPrefix("{"): return ["recordName": .string(text)]
        case .reference, .location, .asset:
            return (try? JSONValue.parse(Array(text.utf8))) ?? .string(text)
        default: return .string(text)
        }
    }
}

extension ReceivedAsset {
    /// The properties that all uploads of the same file share.
    fileprivate var identity: JSONValue {
        [
            "fileChecksum": .string(asset.fileChecksum), "contentType": .string(asset.contentType ?? ""),
            "filename": .string(asset.filename ?? ""),
        ]
    }
}

/// The content of a request that writes one record, as JSON.
struct RecordContent {
    var body: [UInt8]
    /// The bytes that identify a repeated request; `nil` if the body identifies it.
    var identity: [UInt8]?
}

extension RecordCall {
    /// Returns the record in the request's body: JSON, or a form. The files of a form are uploaded with the caller's
    /// permissions and quota. If the record is rejected later, the uploaded files are unused and are deleted
    /// eventually.
    ///
    /// - Throws: The errors of reading the body and of uploading.
    mutating func recordContent(
        of type: RecordTypeName, at address: DatabaseAddress
    ) async throws -> RecordContent {
        guard !request.fields.has(.contentType, "application/json"), let text = request.fields[.contentType],
            let media = MediaType(text)
        else { return RecordContent(body: try await body()) }
        let form: RecordForm
        if media.isType("multipart", "form-data") {
            form = try await formWithFiles(media, to: address)
        } else if media.isType("application", "x-www-form-urlencoded") {
            form = try await formOfTexts()
        } else {
            return RecordContent(body: try await body())
        }
        try reauthorize()
        let definition = reader.schema[type]
        return RecordContent(
            body: try form.body(for: definition, showsReceipts: true),
            identity: try form.body(for: definition, showsReceipts: false))
    }

    private mutating func formWithFiles(_ media: MediaType, to address: DatabaseAddress) async throws -> RecordForm {
        let form = try FormBody(
            AssetBody(request.body, for: database.assetStore, from: try TransferSender(self)), media)
        var record = RecordForm()
        var files = 0
        while let part = try await form.nextPart() {
            guard part.isFile else {
                let content = try await form.field()
                // For a file field without a chosen file, browsers send an empty part; it is ignored.
                if part.filename != nil, content.isEmpty { continue }
                guard part.filename == nil else {
                    throw RecordError.badRequest(
                        "The form has a file without a name in the field '\(part.name.prefix(64))'. Give it a file name",
                        details: [("field", .text(part.name))])
                }
                guard let text = String(validating: content, as: UTF8.self) else { throw Self.unreadableForm }
                record.add(part.name, text: text)
                continue
            }
            if files == 0 {
                try rate.takeUpload()
                try reauthorize()
                try reader.assets.allowUploading(caller, to: address)
            }
            guard files < FormBody.maxFiles else { throw RecordError.tooManyFormFiles }
            files += 1
            let upload = AssetUpload(
                caller: caller, address: address, contentType: AssetRoutes.mediaType(part.contentType),
                filename: part.filename.flatMap(ContentDisposition.safeFilename))
            record.add(part.name, file: try await reader.assets.receive(upload) { try await form.next() })
        }
        return record
    }

    private func formOfTexts() async throws -> RecordForm {
        let body: [UInt8]
        do throws(HTTPBodyError) {
            body = try await request.body.collect(upTo: FormBody.maxFieldBytes)
        } catch {
            if case .tooLarge = error { throw RecordError.formFieldsTooLarge }
            throw error
        }
        // curl sent JSON with its default media type, which is for forms.
        if let first = body.first(where: { $0 != 0x20 && $0 != 0x0A && $0 != 0x0D && $0 != 0x09 }),
            first == UInt8(ascii: "{")
        {
            throw RecordError.notJSON
        }
        guard let fields = FormFields.parse(body) else { throw Self.unreadableForm }
        var record = RecordForm()
        for (name, value) in fields { record.add(name, text: value) }
        return record
    }

    private static let unreadableForm = RecordError.badRequest(
        "The form's fields cannot be read: a percent escape is malformed, or they are not UTF-8. Encode them again")
}
