internal import RecordWire

/// An asset of a record, which must be transferred before the record is written.
struct AssetPlace: Hashable {
    let field: String
    /// The position in a list; `nil` for a field with one asset.
    let index: Int?
    let checksum: String
    let size: Int64?
    let url: String
}

/// A record of the source in the form in which this server writes it.
struct CarriedRecord: Hashable {
    let name: String
    let type: String
    /// The change tag at the source.
    let tag: String
    /// When the record was last modified at the source, in milliseconds since 1970.
    let modified: Int64?
    /// The record of an operation: `recordName`, `recordType`, `created`, `modified` and `fields`. Assets are missing
    /// until they are transferred.
    var document: JSONObject
    var assets: [AssetPlace] = []
    /// The names of the targets of references with the action VALIDATE.
    var validated: [String] = []
    var notes: [ImportNote] = []
    /// Whether the source has deleted the record after the page with it.
    var isGone = false

    /// The approximate number of bytes of the record in a request.
    var byteCount: Int { JSONValue.object(document).bytes.count }
}

/// A member of a list of records of the source.
enum SourceItem: Hashable {
    case record(CarriedRecord)
    case deleted(name: String, tag: String)
    /// An error of one record. `passes` is the delay in milliseconds after which another attempt may succeed.
    case failed(name: String?, reason: String, passes: Int64?)
    /// A record that this server has no place for.
    case unsupported(name: String, type: String, reason: String)
}

/// Maps record dictionaries of CloudKit's protocol to records of this server.
///
/// The names of records, types and fields stay. Values stay too, except that references lose the zone, and assets
/// become files of this server.
struct RecordMapping {
    let users: UserMap
    /// The zone of the records.
    let zone: String

    /// Maps a member of a list of records.
    func map(_ source: JSONObject) -> SourceItem {
        let error = SourceError(source)
        let name = source["recordName"]?.string
        if let code = error.code {
            return .failed(
                name: name, reason: "\(code), \(error.reason ?? "no reason")",
                passes: error.isPassing ? error.retryAfter ?? 1_000 : nil)
        }
        guard let name else { return .failed(name: nil, reason: "a record without a name", passes: nil) }
        let tag = source["recordChangeTag"]?.string ?? ""
        if source["deleted"]?.bool == true { return .deleted(name: name, tag: tag) }
        guard let type = source["recordType"]?.string else {
            return .failed(name: name, reason: "the record has no type", passes: nil)
        }
        if type.lowercased() == "cloudkit.share" {
            return .unsupported(name: name, type: type, reason: "Fogbase has no share records")
        }
        var record = CarriedRecord(
            name: name, type: type, tag: tag, modified: source["modified"]?["timestamp"]?.integer,
            document: JSONObject([("recordName", .string(name)), ("recordType", .string(type))]))
        for key in ["created", "modified"] {
            if let stamp = stamp(source[key], &record) { record.document[key] = stamp }
        }
        for key in ["parent", "share"] where source[key]?.object != nil {
            record.notes.append(ImportNote(key == "parent" ? .parent : .share, type: type))
        }
        var fields = JSONObject()
        for member in source["fields"]?.object?.members ?? [] {
            if let value = field(member.key, member.value, &record) { fields[member.key] = value }
        }
        record.document["fields"] = .object(fields)
        return .record(record)
    }

    /// Returns the time and user of a creation or change; `nil` for none.
    private func stamp(_ source: JSONValue?, _ record: inout CarriedRecord) -> JSONValue? {
        var stamp = JSONObject()
        if let time = source?["timestamp"]?.integer { stamp["timestamp"] = .integer(time) }
        if let user = source?["userRecordName"]?.string {
            if let account = users.account(of: user) {
                stamp["userRecordName"] = .string(account)
            } else {
                record.notes.append(ImportNote(.unmappedUser, subject: user))
            }
        }
        return stamp.count > 0 ? .object(stamp) : nil
    }

    // MARK: Fields

    private static let types: Set<String> = [
        "STRING", "INT64", "DOUBLE", "TIMESTAMP", "BYTES", "REFERENCE", "LOCATION", "ASSET",
    ]

    /// Returns the value of a field; `nil` for a field that is left out, or that gets its value later.
    private func field(_ name: String, _ source: JSONValue, _ record: inout CarriedRecord) -> JSONValue? {
        guard let value = source["value"], !value.isNull else { return nil }
        let tag = source["type"]?.string
        var type = tag ?? ""
        let isList = type.hasSuffix("_LIST")
        if isList { type.removeLast("_LIST".count) }
        if type.hasPrefix("ENCRYPTED_") || source["isEncrypted"]?.bool == true {
            if type.hasPrefix("ENCRYPTED_") { type.removeFirst("ENCRYPTED_".count) }
            record.notes.append(ImportNote(.encrypted, type: record.type, subject: name))
        }
        if type == "ASSETID" { type = "ASSET" }
        guard tag != nil else { return ["value": value] }
        guard Self.types.contains(type), isList == (value.array != nil) else {
            record.notes.append(ImportNote(.unknownType, type: record.type, subject: name))
            return nil
        }
        let typeName = type == "ASSET" ? "ASSETID" : type
        let shown = JSONValue.string(isList ? typeName + "_LIST" : typeName)
        if type == "ASSET" {
            let members = value.array ?? [value]
            for (index, member) in members.enumerated() {
                record.assets.append(
                    AssetPlace(
                        field: name, index: isList ? index : nil, checksum: member["fileChecksum"]?.string ?? "",
                        size: member["size"]?.integer, url: member["downloadURL"]?.string ?? ""))
            }
            return members.isEmpty ? ["value": [], "type": shown] : nil
        }
        guard type == "REFERENCE" || type == "LOCATION" else { return ["value": value, "type": shown] }
        let members = (value.array ?? [value]).compactMap { member in
            type == "LOCATION" ? Self.location(member) : reference(member, in: name, &record)
        }
        if isList { return ["value": .array(members), "type": shown] }
        return members.first.map { ["value": $0, "type": shown] }
    }

    private static let locationKeys = [
        "latitude", "longitude", "horizontalAccuracy", "verticalAccuracy", "altitude", "speed", "course", "timestamp",
    ]

    private static func location(_ source: JSONValue) -> JSONValue {
        var place = JSONObject()
        for key in locationKeys {
            if let value = source[key], !value.isNull { place[key] = value }
        }
        return .object(place)
    }

    /// Returns a reference without its zone; `nil` if it leads into another zone.
    private func reference(_ source: JSONValue, in field: String, _ record: inout CarriedRecord) -> JSONValue? {
        guard var name = source["recordName"]?.string else { return source }
        if let other = source["zoneID"]?["zoneName"]?.string, other != zone {
            record.notes.append(ImportNote(.otherZone, type: record.type, subject: field))
            return nil
        }
        if let account = users.account(of: name) {
            name = account
        } else if name.hasPrefix("_") {
            record.notes.append(ImportNote(.userReference, type: record.type, subject: field))
        }
        let action = source["action"]?.string ?? "NONE"
        if action == "VALIDATE" { record.validated.append(name) }
        return ["recordName": .string(name), "action": .string(action)]
    }
}

extension CarriedRecord {
    /// Puts the value of a transferred asset into its field.
    mutating func put(_ value: JSONValue, at place: AssetPlace) {
        guard var fields = document["fields"]?.object else { return }
        if place.index == nil {
            fields[place.field] = ["value": value, "type": "ASSETID"]
        } else {
            // The assets of a list are put in order.
            let members = fields[place.field]?["value"]?.array ?? []
            fields[place.field] = ["value": .array(members + [value]), "type": "ASSETID_LIST"]
        }
        document["fields"] = .object(fields)
    }

    /// Returns the fields that have a reference with the action VALIDATE.
    var validatedFields: JSONObject {
        let members = document["fields"]?.object?.members ?? []
        return JSONObject(members.filter { Self.isValidated($0.value) }.map { ($0.key, $0.value) })
    }

    /// Removes the fields that have a reference with the action VALIDATE.
    func withoutValidatedFields() -> CarriedRecord {
        var record = self
        let members = document["fields"]?.object?.members ?? []
        record.document["fields"] = .object(
            JSONObject(members.filter { !Self.isValidated($0.value) }.map { ($0.key, $0.value) }))
        return record
    }

    private static func isValidated(_ field: JSONValue) -> Bool {
        guard let value = field["value"] else { return false }
        return (value.array ?? [value]).contains { $0["action"]?.string == "VALIDATE" }
    }

    /// Returns fields whose references with the action VALIDATE have the action NONE instead.
    static func unvalidated(_ fields: JSONObject) -> JSONObject {
        JSONObject(
            fields.members.map { member in
                guard var field = member.value.object, let value = field["value"] else {
                    return (member.key, member.value)
                }
                field["value"] = value.array.map { .array($0.map(unvalidated)) } ?? unvalidated(value)
                return (member.key, .object(field))
            })
    }

    private static func unvalidated(_ value: JSONValue) -> JSONValue {
        guard var reference = value.object, reference["action"]?.string == "VALIDATE" else { return value }
        reference["action"] = "NONE"
        return .object(reference)
    }
}
