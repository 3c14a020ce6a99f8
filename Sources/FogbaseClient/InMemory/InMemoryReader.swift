internal import Encodings
internal import RecordModel
internal import RecordWire

/// The routes that read a record, a field, a list of records, or the change feed.
struct InMemoryReader {
    let call: InMemoryCall

    func read(in database: InMemoryDatabase) throws -> TransportResponse {
        let paths = try call.request["expand"].map(QueryInput.expand)
        let record = try call.record(in: database)
        if let paths, let type = database.schema[id: record.type] {
            var expansion = InMemoryExpansion(call, in: database)
            let expanded = try expansion.json(paths, of: [record], type: type)
            let json = try call.json(of: record, in: database)
            return TransportResponse(
                json: json.dropLast() + Array(",\"expanded\":".utf8) + expanded + [UInt8(ascii: "}")])
        }
        let tag = "\"\(call.entityTag(of: record, in: database))\""
        if let condition = call.request.field("if-match"), condition != "*",
            !InMemoryRequest.tags(condition).contains(record.tag)
        {
            throw RecordError(
                .conflict, "The record has another tag than If-Match demands", cause: .preconditionFailed)
        }
        if let condition = call.request.field("if-none-match"),
            condition == "*" || condition.split(separator: ",").contains(where: { $0.filter { $0 != " " } == tag })
        {
            return TransportResponse(status: 304, fields: ["etag": tag])
        }
        return TransportResponse(json: try call.json(of: record, in: database), fields: ["etag": tag])
    }

    /// Reads the content of a BYTES or ASSET field.
    func readField(in database: InMemoryDatabase) throws -> TransportResponse {
        let record = try call.record(in: database)
        let name = call.request.path[3]
        guard let field = database.schema[id: record.type]?[name],
            let entry = try record.fields.withView({ view throws(RecordError) in view.entry(field.id) })
        else { throw RecordError(.notFound, "The record has no field with this name") }
        if field.type.element == .asset {
            let assets = try record.fields.withView { view throws(RecordError) in try view.assets() }
                .filter { $0.fieldID == field.id }
            let index = Int(call.request["index"] ?? "0") ?? 0
            guard assets.indices.contains(index), let file = database.files.content(of: assets[index].asset) else {
                throw RecordError(.notFound, "The list has no member with this index")
            }
            return try file.respond(to: call.request)
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
        return try InMemoryContent(bytes: content ?? [], type: nil, tag: record.tag).respond(to: call.request)
    }

    func list(in database: inout InMemoryDatabase) throws -> TransportResponse {
        let typeName = try call.request.typeName
        let limit = try call.request.limit(database.limits)
        let paths = try call.request["expand"].map(QueryInput.expand) ?? []
        guard let type = database.schema[typeName] else {
            return TransportResponse(
                json: paths.isEmpty ? ["records": []] : ["records": [], "expanded": ["records": []]])
        }
        var records = try call.records(of: type, in: database)
        let owner = "list \(call.caller.writerID) \(call.zone) \(type.id)"
        let (cursor, before) = (call.request["cursor"], call.request["before"])
        guard cursor == nil || before == nil else {
            throw RecordError.badRequest("A page starts after 'cursor' or ends before 'before'. Give one of them")
        }
        if let cursor = before ?? cursor {
            guard case .listing(let last)? = database.positions[cursor, owner] else { throw RecordError.invalidCursor }
            records.removeAll { before == nil ? $0.id <= last : $0.id >= last }
        }
        var page = try InMemoryPage(
            records, limit: limit, isBackward: before != nil, isFirst: cursor == nil, of: database, call)
        page.close { database.positions.keep(.listing(after: $0.id), owner) }
        if !paths.isEmpty {
            var expansion = InMemoryExpansion(call, in: database)
            page.append(expanded: try expansion.json(paths, of: page.records, type: type))
        }
        return TransportResponse(json: page.finish())
    }

    /// Returns the changes of a zone since a sync token, the oldest change first.
    func changes(in database: inout InMemoryDatabase) throws(RecordError) -> TransportResponse {
        let limit = try call.request.limit(database.limits)
        let types = try call.request.feedTypes
        let all = (database.replacedRecords + database.records.values).filter { $0.key.zone == call.zone }
        let since = call.request["since"] ?? ""
        guard call.zone == .publicDefault || !call.zone.isDefault || !all.isEmpty else {
            // The default zone was never written, so the server has never issued a sync token for it.
            guard ["", "now"].contains(since) else { throw .tokenIsTooOld }
            return TransportResponse(json: ["changes": [], "token": "", "moreComing": false])
        }
        let changed = all.filter { record in
            types.map { $0.contains { database.schema[$0]?.id == record.type } } ?? true
        }.sorted { $0.sequence < $1.sequence }
        let owner = "feed \(call.caller.writerID) \(call.zone)"
        let rights = call.caller.participation.flatMap { _ in call.caller.userID }.flatMap { user in
            database.sharing.rightsChanges[InMemorySharing.Membership(account: user, zone: call.zone)]
        }
        var (last, complete) = try database.feedPosition(since, owner, rights: rights ?? 0)
        var json = Array(#"{"changes":["#.utf8)
        var count = 0
        var isCut = false
        for record in changed where record.sequence > last {
            if count == limit || json.count > database.limits.pageBytes {
                isCut = true
                break
            }
            last = record.sequence
            guard let type = database.schema[id: record.type] else { continue }
            let isReadable = call.may(.read, record, type)
            guard isReadable || couldRead(record, type, after: complete) else { continue }
            if count > 0 { json.append(UInt8(ascii: ",")) }
            count += 1
            if record.isDeleted || !isReadable {
                Array(record.key.name.text.utf8).withUnsafeBytes {
                    RecordComposer.appendTombstone(name: $0, typeName: type.name, to: &json)
                }
            } else {
                try call.append(record, of: database, to: &json)
            }
        }
        if !isCut { (last, complete) = (database.sequence, database.sequence) }
        let token = database.positions.keep(.feed(after: last, complete: complete, rights: rights ?? 0), owner)
        json += Array("],\"token\":\"\(token)\",\"moreComing\":\(isCut)}".utf8)
        return TransportResponse(json: json)
    }

    private func couldRead(_ record: InMemoryRecord, _ type: RecordTypeDefinition, after complete: Int64) -> Bool {
        guard let former = record.formerReaders else { return false }
        return Authorization.couldRead(
            call.caller, in: call.scope, type: type, creator: record.creator, formerReaders: former, after: complete)
    }
}

extension InMemoryRequest {
    /// The record types of a change feed; `nil` for all.
    ///
    /// - Throws: BAD_REQUEST for an invalid type, or a condition, which only streams can have.
    fileprivate var feedTypes: [RecordTypeName]? {
        get throws(RecordError) {
            for name in ["where", "arg"] where self[name] != nil {
                throw .badRequest(
                    "A condition goes with a stream of events, which InMemoryServer does not have",
                    details: [("parameter", .text(name))])
            }
            let types = try all("type").map { name throws(RecordError) -> RecordTypeName in
                guard let type = RecordTypeName(name) else {
                    throw .badRequest(
                        "A record type's name \(Identifier.rule)", details: [("parameter", .text("type"))])
                }
                return type
            }
            return types.isEmpty ? nil : types
        }
    }
}

extension RecordError {
    static let invalidCursor = RecordError.badRequest(
        "The cursor does not belong to this caller and query. Ask for the first page again", cause: .tokenInvalid)

    static let tokenIsTooOld = RecordError.badRequest(
        "The sync token is too old. Read the feed from its beginning", cause: .tokenExpired)
}
