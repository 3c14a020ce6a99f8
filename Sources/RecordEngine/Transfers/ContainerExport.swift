internal import Cryptography
internal import Encodings
internal import Glibc
internal import RecordModel
internal import RecordStorage
internal import RecordWire
internal import Threads

/// Composes the lines of a container (`ContainerLine`) from a copy of a database, in the order in which an import needs
/// them: accounts, roles, the schema, zones, user records, and the other records in the order of their creation, each
/// after its files and the record above it.
///
/// Unchecked `Sendable`: callers never overlap their calls.
final class ContainerExport: @unchecked Sendable {
    private let store: StoreReader
    private let schema: Schema
    private let userNames: UserNameCache
    private let assets: AssetDirectory
    private let head: JSONValue
    private var part = Part.head
    /// The zones of records. `nil` for a zone that nobody finds any more.
    private var zones: [ZoneID: Zone?] = [:]
    /// The files that were written.
    private var files: Set<Digest> = []
    /// The file that is being written.
    private var file: (hash: Digest, content: OpenAssetFile, left: Int64)?
    /// Records that wait for the record above them, by that record.
    private var waiting: [RecordNumber: [RecordNumber]] = [:]
    /// The records that wait.
    private var postponed: Set<RecordNumber> = []
    /// Records that are written next, the next one last: user records, and those that waited.
    private var released: [RecordNumber] = []
    /// What was written.
    private(set) var counts = Counts()

    /// What comes next.
    private enum Part {
        case head
        case accounts(after: UserID)
        case roles
        case zones(after: ZoneID)
        case users(after: UserID)
        case records(after: RecordNumber)
        case end
    }

    struct Counts {
        var (accounts, roles, zones, files, records) = (Int64(0), Int64(0), Int64(0), Int64(0), Int64(0))

        var json: JSONValue {
            [
                "accounts": .integer(accounts), "roles": .integer(roles), "zones": .integer(zones),
                "files": .integer(files), "records": .integer(records),
            ]
        }
    }

    private struct Zone {
        let owner: UserRecordName?
        let name: String
    }

    /// What became of a record.
    private enum Outcome {
        case written
        case skipped
        /// A file must be written first.
        case needs(Digest)
    }

    /// The bytes after which a call of `write` returns.
    private static let pieceBytes = 4 << 20
    /// The accounts and zones that one statement reads.
    private static let rows = 500

    /// - Parameters:
    ///   - directory: The directory with the copy.
    ///   - database: The database that was copied, which keeps the files of assets.
    init(of directory: String, _ database: RecordDatabase) throws {
        store = try StoreReader(in: directory, status: database.status, length: .query)
        schema = try store.schemas.load(version: 1)
        userNames = UserNameCache(store.accounts)
        assets = database.assetStore.directory
        head = [
            "version": .integer(ContainerLine.version), "environment": .string("\(database.environment)"),
            "exported": .integer(WallClock.milliseconds),
        ]
    }

    /// Appends lines until a deadline.
    ///
    /// - Returns: Whether the last line was appended.
    /// - Throws: INTERNAL_ERROR if the file of an asset is missing or unreadable.
    func write(until deadline: Deadline, to lines: inout [UInt8]) throws(RecordError) -> Bool {
        repeat {
            if file != nil {
                try appendData(to: &lines)
                continue
            }
            if let next = released.popLast() {
                if try !appendReleased(next, to: &lines) { released.append(next) }
                continue
            }
            switch part {
            case .head:
                append("fogbase", head, to: &lines)
                part = .accounts(after: .unassigned)
            case .accounts(let last):
                let rows = try store.accounts.listAll(after: last, limit: Self.rows)
                for row in rows { append("account", row.exported, to: &lines) }
                counts.accounts += Int64(rows.count)
                part = rows.last.map { .accounts(after: $0.id) } ?? .roles
            case .roles:
                for name in try store.roles.names() {
                    guard let role = try store.roles.find(name) else { continue }
                    let members = try store.roles.members(of: role).map(JSONValue.string)
                    append("role", ["name": .string(name), "members": .array(members)], to: &lines)
                    counts.roles += 1
                }
                append("schema", SchemaDocument(schema).json, to: &lines)
                part = .zones(after: .unassigned)
            case .zones(let last):
                let rows = try store.zones.customOfAll(after: last, limit: Self.rows)
                for row in rows { try append(row, to: &lines) }
                part = rows.last.map { .zones(after: $0.id) } ?? .users(after: .unassigned)
            case .users(let last):
                // An import makes user records with their accounts, so they are the oldest there.
                let rows = try store.accounts.listAll(after: last, limit: Self.rows)
                for row in rows.reversed() {
                    if let id = try userRecord(of: row) { released.append(id) }
                }
                part = rows.last.map { .users(after: $0.id) } ?? .records(after: .unassigned)
            case .records(let last): part = try appendRecords(after: last, until: deadline, to: &lines)
            case .end:
                append("end", counts.json, to: &lines)
                return true
            }
        } while lines.count < Self.pieceBytes && !deadline.hasPassed()
        return false
    }

    private func append(_ kind: StaticString, _ value: JSONValue, to lines: inout [UInt8]) {
        lines.append(UInt8(ascii: "{"))
        lines.appendString("\(kind)")
        lines.append(UInt8(ascii: ":"))
        lines += value.bytes
        lines.appendLiteral("}\n")
    }

    private func append(_ zone: ZoneEntry, to lines: inout [UInt8]) throws(RecordError) {
        // The zones of a deleted account are being emptied.
        guard let owner = try store.accounts.find(id: zone.owner) else { return }
        var object = JSONObject([("zoneName", .string(zone.name)), ("owner", .string(owner.recordName))])
        if let created = zone.created { object["created"] = .integer(created) }
        append("zone", .object(object), to: &lines)
        counts.zones += 1
    }

    // MARK: Records

    /// Appends records until a deadline, a record with a file that was not written, or one that others wait for.
    private func appendRecords(
        after last: RecordNumber, until deadline: Deadline, to lines: inout [UInt8]
    ) throws(RecordError) -> Part {
        var last = last
        var missing: Digest?
        let isDone = try store.scanning.forEach(after: last) { cursor, zone throws(RecordError) in
            switch try append(cursor, zone, to: &lines) {
            case .needs(let hash):
                missing = hash
                return false
            case .written, .skipped: last = cursor.record.id
            }
            return released.isEmpty && lines.count < Self.pieceBytes && !deadline.hasPassed()
        }
        if let missing { try open(missing, to: &lines) }
        return isDone ? .end : .records(after: last)
    }

    /// Whether a record of the type Users belongs to an account.
    private func isUserRecord(_ name: UnsafeRawBufferPointer) throws(RecordError) -> Bool {
        try store.accounts.find(recordName: String(decoding: name, as: UTF8.self)) != nil
    }

    /// Returns the user record of an account; `nil` if it has none.
    private func userRecord(of account: AccountRow) throws(RecordError) -> RecordNumber? {
        let found = try store.records.find(zone: ZoneTable.publicDefault, name: account.recordName)
        guard let found else { return nil }
        defer { found.record.finish() }
        let row = found.row
        return !row.isDeleted && schema[id: row.type]?.name == .users ? row.id : nil
    }

    /// Appends a record out of the order of creation.
    ///
    /// - Returns: Whether it was appended; false if a file comes first.
    private func appendReleased(_ id: RecordNumber, to lines: inout [UInt8]) throws(RecordError) -> Bool {
        var missing: Digest?
        _ = try store.scanning.forEach(after: RecordNumber(rawValue: id.rawValue - 1)) {
            cursor, zone throws(RecordError) in
            if cursor.record.id == id, case .needs(let hash) = try append(cursor, zone, isReleased: true, to: &lines) {
                missing = hash
            }
            return false
        }
        if let missing { try open(missing, to: &lines) }
        return missing == nil
    }

    private func append(
        _ cursor: RecordRowCursor, _ zoneID: ZoneID, isReleased: Bool = false, to lines: inout [UInt8]
    ) throws(RecordError) -> Outcome {
        let row = cursor.row
        guard let zone = try zone(zoneID), let type = schema[id: row.type] else { return .skipped }
        if !isReleased, type.name == .users, zone.owner == nil, try isUserRecord(cursor.name) { return .skipped }
        let stored = try StoredFieldsView(text: cursor.fields, layout: cursor.layout)
        for (_, asset) in try stored.assets() {
            if let hash = Digest(base64: asset.fileChecksum), !files.contains(hash) { return .needs(hash) }
        }
        let place = zone.owner == nil ? HierarchyTable.Place() : try store.hierarchies.place(of: row.id)
        let share = type.name == .share ? try store.shares.find(ShareID(rawValue: row.id.rawValue)) : nil
        if !isReleased, let above = place.parent ?? share?.root,
            above.rawValue > row.id.rawValue || postponed.contains(above), try store.hierarchies.record(above) != nil
        {
            waiting[above, default: []].append(row.id)
            postponed.insert(row.id)
            return .skipped
        }
        lines.appendLiteral("{\"record\":")
        let creator = try userNames.name(of: row.creator)
        let header = RecordHeader(
            name: cursor.name, typeName: type.name, revision: row.revision, created: row.created, creator: creator,
            modified: row.modified, modifier: try userNames.name(of: row.modifier),
            access: try access(of: row, type, isPublic: zone.owner == nil))
        func external(_ field: Int, _ text: inout [UInt8]) throws(RecordError) {
            try store.records.appendLargeValue(record: row.id, field: field, to: &text)
        }
        if type.hasFormerNames, let renamed = stored.renamed(for: type) {
            try renamed.withView { view throws(RecordError) in
                try RecordComposer.appendExported(header, fields: view, external: external, to: &lines)
            }
        } else {
            try RecordComposer.appendExported(header, fields: stored, external: external, to: &lines)
        }
        if let parent = place.parent, let name = try store.hierarchies.record(parent)?.name {
            lines.appendLiteral(",\"parent\":{\"recordName\":")
            lines.appendString(name)
            lines.append(UInt8(ascii: "}"))
        }
        lines.append(UInt8(ascii: "}"))
        if let owner = zone.owner { lines.append(member: "owner", owner.text) }
        if zone.name != ZoneName.defaultZone.text { lines.append(member: "zone", zone.name) }
        if let guid = place.guid { lines.append(member: "shortGUID", guid) }
        if let share {
            lines.appendLiteral(",\"share\":")
            lines += try json(of: share).bytes
        }
        lines.appendLiteral("}\n")
        counts.records += 1
        if isReleased { postponed.remove(row.id) }
        if let others = waiting.removeValue(forKey: row.id) { released += others.reversed() }
        return .written
    }

    /// Returns the access list of a record as JSON; `nil` if the record needs none in the file.
    private func access(
        of row: RecordRow, _ type: RecordTypeDefinition, isPublic: Bool
    ) throws(RecordError) -> [UInt8]? {
        guard isPublic else { return nil }
        guard let access = row.access else {
            // Without the member, an import would give the record the default list of the type.
            return type.defaultAccess == nil ? nil : Array("null".utf8)
        }
        return try StoredAccess.shown(access) { principal throws(RecordError) in
            try principal.name(user: userNames.name) { id throws(RecordError) in try store.roles.name(of: id) }
        }
    }

    private func zone(_ id: ZoneID) throws(RecordError) -> Zone? {
        if let known = zones[id] { return known }
        var zone: Zone?
        if let address = try store.zones.address(of: id) {
            switch address.scope {
            case 0: zone = Zone(owner: nil, name: address.name)
            case 1:
                let owner = try store.accounts.find(id: address.owner)
                zone = owner.flatMap { UserRecordName($0.recordName) }.map { Zone(owner: $0, name: address.name) }
            default: break
            }
        }
        zones[id] = .some(zone)
        return zone
    }

    private func json(of share: ShareRow) throws(RecordError) -> JSONValue {
        var object = JSONObject([("shortGUID", .string(share.guid))])
        if let root = share.root, let name = try store.hierarchies.record(root)?.name {
            object["forRecord"] = .string(name)
        }
        object["publicPermission"] = .string(share.publicPermission.word)
        object["participants"] = .array(
            try store.shares.participants(of: share.id).map { row throws(RecordError) in
                var entry = JSONObject()
                if let account = row.account { entry["user"] = .string(try userNames.name(of: account)) }
                if let label = row.label { entry["label"] = .string(label) }
                if let guid = row.guid { entry["shortGUID"] = .string(guid) }
                entry["type"] = .string(row.kind.word)
                entry["permission"] = .string(row.permission.word)
                entry["acceptanceStatus"] = .string(row.status.word)
                return .object(entry)
            })
        return .object(object)
    }

    // MARK: Files

    private func open(_ hash: Digest, to lines: inout [UInt8]) throws(RecordError) {
        let opened: OpenAssetFile?
        let row = try store.assets.find(hash)
        do throws(AssetFileError) {
            opened = try row.flatMap { row throws(AssetFileError) in try assets.open(row.name) }
        } catch { throw RecordError(error) }
        guard let row, let opened, opened.size == row.size else {
            throw RecordError(
                .internalError,
                "The file \(hash.base64) of an asset is missing or damaged. 'fogbase doctor' names the records that have it",
                details: [("fileChecksum", .text(hash.base64))])
        }
        append("file", ["fileChecksum": .string(hash.base64), "size": .integer(row.size)], to: &lines)
        if row.size == 0 { didWrite(hash) } else { file = (hash, opened, row.size) }
    }

    /// Appends the next bytes of the file.
    private func appendData(to lines: inout [UInt8]) throws(RecordError) {
        guard let (hash, content, left) = file else { return }
        var piece = [UInt8](repeating: 0, count: Int(min(left, Int64(ContainerLine.dataBytes))))
        let count = try ImportSource.read(content, &piece)
        guard count > 0 else { throw RecordError(AssetFileError(call: "read", code: EIO)) }
        lines.appendLiteral("{\"data\":\"")
        piece.withUnsafeBytes { Base64.encode(UnsafeRawBufferPointer(rebasing: $0[..<count]), into: &lines) }
        lines.appendLiteral("\"}\n")
        if left == Int64(count) { didWrite(hash) } else { file?.left = left - Int64(count) }
    }

    private func didWrite(_ hash: Digest) {
        files.insert(hash)
        file = nil
        counts.files += 1
    }
}

extension AccountRow {
    /// The account as the file of a container has it.
    fileprivate var exported: JSONValue {
        var object = JSONObject([("userRecordName", .string(recordName))])
        let kind: ContainerLine.AccountLine.Kind =
            switch self.kind {
            case .person: .person
            case .anonymous: .anonymous
            case .service: .service
            }
        if kind == .person { object["name"] = .string(name) }
        if let password { object["password"] = .string(password) }
        object["kind"] = .string(kind.rawValue)
        object["created"] = .integer(created)
        if let disabled { object["disabled"] = .integer(disabled) }
        return .object(object)
    }
}

extension [UInt8] {
    /// Appends a member of a JSON object that has members already.
    fileprivate mutating func append(member key: StaticString, _ text: String) {
        append(UInt8(ascii: ","))
        appendString("\(key)")
        append(UInt8(ascii: ":"))
        appendString(text)
    }
}
