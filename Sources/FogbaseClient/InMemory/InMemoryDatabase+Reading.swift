internal import Foundation
internal import RecordModel
internal import RecordWire

/// Where a page ended; clients carry its name.
struct InMemoryPosition {
    enum Place {
        /// A list: the last record.
        case listing(after: Int64)
        /// A query: the last record as it was, and the moment that `now()` means on all pages.
        case query(after: KeptRecord, now: Int64)
        /// The feed: the last change, and up to where everything is known.
        case feed(after: Int64, complete: Int64)
    }

    var place: Place
    /// What it belongs to: caller, zone and query.
    var owner: String
}

/// Reading records, lists and changes.
extension InMemoryDatabase {
    func read(_ call: InMemoryCall) throws(RecordError) -> TransportResponse {
        let record = try readable(call)
        let tag = "\"\(entityTag(of: record, call))\""
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
        var json: [UInt8] = []
        try append(record, call, to: &json)
        return TransportResponse(json: json, fields: ["etag": tag])
    }

    /// The record in the path, if the caller may read it.
    func readable(_ call: InMemoryCall) throws(RecordError) -> KeptRecord {
        let typeName = try call.request.typeName
        let name = try call.request.recordName
        guard let type = schema[typeName] else { throw .recordNotFound }
        if call.caller == .anonymous, call.reach(.read, type) == .none {
            throw .refused(call.caller, .read, .records(typeName))
        }
        guard let record = find(name, zone: call.zone), record.type == type.id, call.may(.read, record, type) else {
            throw .recordNotFound
        }
        return record
    }

    /// The records of a type that the caller may read, in creation order.
    func readable(_ type: RecordTypeDefinition, _ call: InMemoryCall) throws(RecordError) -> [KeptRecord] {
        if call.reach(.read, type) == .none { throw .refused(call.caller, .read, .records(type.name)) }
        return all(of: type, zone: call.zone).filter { call.may(.read, $0, type) }
    }

    mutating func list(_ call: InMemoryCall) throws(RecordError) -> TransportResponse {
        let typeName = try call.request.typeName
        let limit = try call.request.limit(limits)
        guard let type = schema[typeName] else { return TransportResponse(json: ["records": []]) }
        var records = try readable(type, call)
        let owner = "list \(call.caller.writerID) \(call.zone) \(type.id)"
        if let cursor = call.request["cursor"] {
            guard case .listing(let last)? = positions[cursor, owner] else { throw .cursorIsNone }
            records.removeAll { $0.id <= last }
        }
        var page = try InMemoryPage(records, limit: limit, of: self, call)
        if let last = page.last { page.close(cursor: keep(.listing(after: last.id), owner)) }
        return TransportResponse(json: page.finish())
    }

    /// What changed in a zone since a token, oldest first.
    mutating func changes(_ call: InMemoryCall) throws(RecordError) -> TransportResponse {
        let limit = try call.request.limit(limits)
        let changed = (ghosts + records.values).filter { $0.key.zone == call.zone }
            .sorted { $0.sequence < $1.sequence }
        guard call.scope == .publicDatabase || !changed.isEmpty else {
            // Nothing was ever written there, so nobody got a token.
            guard call.request["since"]?.isEmpty ?? true else { throw Self.tokenExpired }
            return TransportResponse(json: ["changes": [], "token": "", "moreComing": false])
        }
        let owner = "feed \(call.caller.writerID) \(call.zone)"
        var (last, complete): (Int64, Int64) = (0, 0)
        if let since = call.request["since"], !since.isEmpty {
            guard case .feed(let place, let known)? = positions[since, owner] else {
                throw .badRequest(
                    "The sync token does not belong to this caller and zone. Read the feed from its beginning",
                    cause: .tokenInvalid)
            }
            guard place >= oldestToken else {
                throw Self.tokenExpired
            }
            (last, complete) = (place, known)
        }
        var json = Array(#"{"changes":["#.utf8)
        var count = 0
        var isCut = false
        for record in changed where record.sequence > last {
            if count == limit || json.count > limits.pageBytes {
                isCut = true
                break
            }
            last = record.sequence
            guard let type = schema[id: record.type] else { continue }
            let isReadable = call.may(.read, record, type)
            guard isReadable || couldRead(record, type, call, after: complete) else { continue }
            if count > 0 { json.append(UInt8(ascii: ",")) }
            count += 1
            if record.isDeleted || !isReadable {
                appendTombstone(record, to: &json)
            } else {
                try append(record, call, to: &json)
            }
        }
        let token = keep(.feed(after: isCut ? last : sequence, complete: isCut ? complete : sequence), owner)
        json += Array("],\"token\":\"\(token)\",\"moreComing\":\(isCut)}".utf8)
        return TransportResponse(json: json)
    }

    private static let tokenExpired = RecordError.badRequest(
        "The sync token is too old. Read the feed from its beginning", cause: .tokenExpired)

    private func couldRead(
        _ record: KeptRecord, _ type: RecordTypeDefinition, _ call: InMemoryCall, after complete: Int64
    ) -> Bool {
        guard let former = record.formerReaders else { return false }
        return Authorization.couldRead(
            call.caller, in: call.scope, type: type, creator: record.creator, formerReaders: former,
            after: complete)
    }

    /// Keeps a position under a name of its own.
    mutating func keep(_ place: InMemoryPosition.Place, _ owner: String) -> String {
        let name = UUID().uuidString
        positions[name] = InMemoryPosition(place: place, owner: owner)
        return name
    }
}

extension [String: InMemoryPosition] {
    /// The place that a token stands for; `nil` if it is another owner's, or none.
    subscript(token: String, owner: String) -> InMemoryPosition.Place? {
        self[token].flatMap { $0.owner == owner ? $0.place : nil }
    }
}

/// `{"records":[…],"cursor"?,…}`.
struct InMemoryPage {
    private var json = Array(#"{"records":["#.utf8)
    /// The last record of the page, if there are more behind it.
    private(set) var last: KeptRecord?

    init(
        _ records: [KeptRecord], limit: Int, of database: InMemoryDatabase, _ call: InMemoryCall
    ) throws(RecordError) {
        var shown: KeptRecord?
        for (index, record) in records.enumerated() {
            if index == limit || json.count > database.limits.pageBytes {
                last = shown
                break
            }
            if index > 0 { json.append(UInt8(ascii: ",")) }
            try database.append(record, call, to: &json)
            shown = record
        }
        json.append(UInt8(ascii: "]"))
    }

    mutating func close(cursor: String) {
        json += Array(",\"cursor\":\"\(cursor)\"".utf8)
    }

    mutating func append(count: Int) {
        json += Array(",\"count\":\(count)".utf8)
    }

    consuming func finish() -> [UInt8] {
        json + [UInt8(ascii: "}")]
    }
}

extension RecordError {
    static let cursorIsNone = RecordError.badRequest(
        "The cursor does not belong to this caller and query. Ask for the first page again", cause: .tokenInvalid)
}
