package import RecordModel

/// A line of the file of a whole container. The file has a JSON object in each line, whose key says what it is:
///
/// ```
/// {"fogbase":{"version":1,"container":"…","environment":"development","exported":1796000000000,"by":"Fogbase 0.1.0"}}
/// {"account":{"userRecordName":"_…","name":"ada","password":"$argon2id$…","created":1796000000000}}
/// {"role":{"name":"editors","members":["_…","role:authors"]}}
/// {"schema":{"types":{…}}}
/// {"zone":{"zoneName":"work","owner":"_…","created":1796000000000}}
/// {"file":{"fileChecksum":"…","size":81733}}
/// {"data":"…"}
/// {"record":{"recordType":"Post","recordName":"p1","fields":{…}},"owner":"_…","zone":"work"}
/// {"end":{"accounts":1,"roles":1,"zones":1,"files":1,"records":1}}
/// ```
///
/// The bytes of a file follow it in `data` lines of base64, until all of them are there. A record without `owner` is in the
/// public database, without `zone` in the default zone. The line of a share record has `share`, and of a record whose
/// share is to come `shortGUID`.
package enum ContainerLine: Sendable {
    case head(JSONValue)
    case account(AccountLine)
    case role(name: RoleName, members: [String])
    /// The schema, as `SchemaDocument` reads it.
    case schema(JSONValue)
    case zone(ZoneName, owner: UserRecordName, created: Int64?)
    case file(checksum: String, size: Int64)
    case data(String)
    case record(RecordInput, owner: UserRecordName?, zone: ZoneName)
    case end(JSONValue)

    /// An account.
    package struct AccountLine: Sendable {
        /// The kinds of accounts, by their words in the file.
        package enum Kind: String, Sendable, CaseIterable {
            case person, anonymous, service
        }

        package let recordName: UserRecordName
        /// The name to sign in with; `nil` for accounts without one.
        package let name: String?
        /// The hash of the password, in PHC format or of bcrypt; `nil` for none.
        package let password: String?
        package let kind: Kind
        /// In milliseconds since 1970; `nil` if unknown.
        package let created: Int64?
        /// When the account was disabled; `nil` for an enabled account.
        package let disabled: Int64?
    }

    /// The version of the format.
    package static let version: Int64 = 1
    /// The most bytes of a file in one line.
    package static let dataBytes = 196_608

    /// The first bytes of every file of a container.
    package static let beginning = Array("{\"fogbase\":".utf8)

    private static let kinds = ["fogbase", "schema", "account", "role", "zone", "file", "data", "record", "end"]

    /// Returns the key that says what a line is; empty if the line begins otherwise.
    package static func kind(of line: [UInt8]) -> ArraySlice<UInt8> {
        func rest(_ position: Int, after byte: UInt8) -> Int? {
            let start = line[position...].firstIndex { $0 != UInt8(ascii: " ") && $0 != UInt8(ascii: "\t") }
            return start.flatMap { line[$0] == byte ? $0 + 1 : nil }
        }
        guard let object = rest(0, after: UInt8(ascii: "{")), let key = rest(object, after: UInt8(ascii: "\"")),
            let end = line[key...].firstIndex(of: UInt8(ascii: "\""))
        else { return [] }
        return line[key..<end]
    }

    /// Reads a line.
    ///
    /// - Throws: `BAD_REQUEST` for a line of another form.
    package static func read(_ line: [UInt8]) throws(RecordError) -> ContainerLine {
        try line.withUnsafeBufferPointer { buffer throws(RecordError) in
            var reader = try RequestReader(UnsafeRawBufferPointer(buffer))
            let result = try read(&reader, line)
            try reader.finish()
            return result
        }
    }

    private static func read(_ reader: inout RequestReader, _ line: [UInt8]) throws(RecordError) -> ContainerLine {
        try reader.enterObject("A line")
        var keys = JSONKeySet()
        guard let first = try reader.nextKey(&keys) else { throw unknown("") }
        let kind = reader.json.string(first)
        guard kind == "record" else {
            guard kinds.contains(kind) else { throw unknown(kind) }
            let value = try value(&reader)
            if let key = try reader.nextKey(&keys) { throw unknown(reader.json.string(key)) }
            return try make(kind, value)
        }
        var record = try RecordInput(reading: &reader, body: line)
        var owner: UserRecordName?
        var zone = ZoneName.defaultZone
        var (share, guid): (JSONValue?, String?)
        while let key = try reader.nextKey(&keys) {
            let name = reader.json.string(key)
            let value = try value(&reader)
            switch name {
            case "owner": owner = try member(value.string.flatMap(UserRecordName.init), "owner", of: "record")
            case "zone": zone = try member(value.string.flatMap(ZoneName.init), "zone", of: "record")
            case "share": share = value
            case "shortGUID": guid = try member(value.string, "shortGUID", of: "record")
            default: throw unknown(name)
            }
        }
        if let share {
            record.sharing = try sharing(share)
        } else if record.sharing != nil || guid != nil {
            var parent: RecordName?
            if case .record(let name)? = record.sharing?.parent { parent = name }
            record.sharing = SharingInput(restoring: parent, guid: guid)
        }
        return .record(record, owner: owner, zone: zone)
    }

    private static func value(_ reader: inout RequestReader) throws(RecordError) -> JSONValue {
        let token = try reader.value()
        let bytes = UnsafeRawBufferPointer(rebasing: reader.json.bytes[token.start..<token.end])
        do throws(JSONError) { return try JSONValue.parse([UInt8](bytes)) } catch { throw RecordError(error) }
    }

    /// The members of the kinds of lines that other programs write.
    private static let members = [
        "account": ["userRecordName", "name", "password", "kind", "created", "disabled"],
        "role": ["name", "members"], "zone": ["zoneName", "owner", "created"], "file": ["fileChecksum", "size"],
    ]

    private static func make(_ kind: String, _ value: JSONValue) throws(RecordError) -> ContainerLine {
        if let known = members[kind], let key = value.object?.members.map(\.key).first(where: { !known.contains($0) }) {
            throw .badRequest(
                "'\(kind)' has no member '\(key.prefix(64))', only \(known.joined(separator: ", "))",
                details: [("path", .text("\(kind).\(key.prefix(64))"))])
        }
        switch kind {
        case "data": return .data(try member(value.string, "data", of: "data"))
        case "fogbase": return .head(value)
        case "end": return .end(value)
        case "schema": return .schema(value)
        case "account": return .account(try account(value))
        case "role":
            let members = try member(value["members"]?.array, "members", of: kind)
            return .role(
                name: try member(value["name"]?.string.flatMap(RoleName.init), "name", of: kind),
                members: try members.map { entry throws(RecordError) in try member(entry.string, "members", of: kind) })
        case "zone":
            return .zone(
                try member(value["zoneName"]?.string.flatMap(ZoneName.init), "zoneName", of: kind),
                owner: try member(value["owner"]?.string.flatMap(UserRecordName.init), "owner", of: kind),
                created: try moment(value, "created", of: kind))
        default:
            let size = value["size"]?.integer.flatMap { $0 >= 0 ? $0 : nil }
            return .file(
                checksum: try member(value["fileChecksum"]?.string, "fileChecksum", of: kind),
                size: try member(size, "size", of: kind))
        }
    }

    private static func account(_ value: JSONValue) throws(RecordError) -> AccountLine {
        let word = value["kind"] ?? .string(AccountLine.Kind.person.rawValue)
        let kind = try member(word.string.flatMap(AccountLine.Kind.init(rawValue:)), "kind", of: "account")
        let recordName = value["userRecordName"]?.string.flatMap(UserRecordName.init)
        return AccountLine(
            recordName: try member(recordName, "userRecordName", of: "account"),
            name: kind == .person ? try member(value["name"]?.string, "name", of: "account") : nil,
            password: try value["password"].map { value throws(RecordError) in
                try member(value.string, "password", of: "account")
            }, kind: kind, created: try moment(value, "created", of: "account"),
            disabled: try moment(value, "disabled", of: "account"))
    }

    /// Reads a time in milliseconds since 1970; `nil` if there is none.
    private static func moment(_ value: JSONValue, _ key: String, of kind: String) throws(RecordError) -> Int64? {
        guard let value = value[key] else { return nil }
        return try member(value.integer.flatMap { latest.contains($0) ? $0 : nil }, key, of: kind)
    }

    /// The times that dates of JavaScript and Swift have.
    private static let latest: ClosedRange<Int64> = -8_640_000_000_000_000...8_640_000_000_000_000

    private static func sharing(_ value: JSONValue) throws(RecordError) -> SharingInput {
        var participants: [SharingInput.Participant] = []
        for entry in value["participants"]?.array ?? [] {
            participants.append(
                SharingInput.Participant(
                    user: entry["user"]?.string.flatMap(UserRecordName.init), label: entry["label"]?.string,
                    guid: entry["shortGUID"]?.string,
                    kind: entry["type"]?.string == ParticipantKind.publicUser.word ? .publicUser : .user,
                    permission: try member(
                        entry["permission"]?.string.flatMap(SharePermission.init(word:)), "permission", of: "share"),
                    status: entry["acceptanceStatus"]?.string == ParticipantStatus.accepted.word ? .accepted : .invited)
            )
        }
        let permission = value["publicPermission"]?.string.flatMap(SharePermission.init(word:))
        return SharingInput(
            restoring: nil, guid: value["shortGUID"]?.string, isShare: true,
            root: value["forRecord"]?.string.flatMap(RecordName.init),
            publicPermission: try member(permission, "publicPermission", of: "share"), participants: participants)
    }

    private static func member<Value>(_ value: Value?, _ key: String, of kind: String) throws(RecordError) -> Value {
        guard let value else {
            throw .badRequest(
                "'\(key)' of '\(kind)' is missing or has another form. The manual describes the file of a container",
                details: [("path", .text(kind == key ? key : "\(kind).\(key)"))])
        }
        return value
    }

    private static func unknown(_ key: String) -> RecordError {
        .badRequest(
            "A line of a container has one of the keys \(kinds.joined(separator: ", "))",
            details: [("path", .text(String(key.prefix(64))))])
    }
}
