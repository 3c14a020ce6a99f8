package import RecordWire

extension ImportEvent {
    /// The version of the state file.
    static let version: Int64 = 1

    /// The event as JSON.
    ///
    /// ```
    /// {"begin":{"version","url","container","environment","database","target","owner"?}}
    /// {"batch":{"zone","type"?,"next"?,"movesOn"?,"ends"?,"done"?,"carried"?,"deleted"?,"newest"?,"settled"?,
    ///           "deferred"?:{name:{"record","type"}|null},"problems"?:{name:[type,reason]},
    ///           "notes"?:[[kind,type,subject,count]]}}
    /// {"run":true}  {"zone"}  {"lostZone"}  {"restart":{"zone","type"?}}  {"complete":true}
    /// ```
    package var json: JSONValue {
        switch self {
        case .begin(let identity): ["begin": .object(identity.json)]
        case .run: ["run": true]
        case .zone(let zone): ["zone": .string(zone)]
        case .lostZone(let zone): ["lostZone": .string(zone)]
        case .restart(let walk): ["restart": .object(walk.json)]
        case .batch(let batch): ["batch": .object(batch.json)]
        case .complete: ["complete": true]
        }
    }

    /// Reads an event; `nil` if it is none, or of another version.
    package init?(_ json: JSONValue) {
        guard let member = json.object?.members.first, json.object?.count == 1 else { return nil }
        let value = member.value
        switch member.key {
        case "begin":
            guard let identity = value.object.flatMap(ImportIdentity.init) else { return nil }
            self = .begin(identity)
        case "run": self = .run
        case "complete": self = .complete
        case "zone", "lostZone":
            guard let text = value.string else { return nil }
            self = member.key == "zone" ? .zone(text) : .lostZone(text)
        case "restart":
            guard let walk = value.object.flatMap(WalkName.init) else { return nil }
            self = .restart(walk)
        case "batch":
            guard let batch = value.object.flatMap(ImportBatch.init) else { return nil }
            self = .batch(batch)
        default: return nil
        }
    }
}

extension ImportIdentity {
    fileprivate var json: JSONObject {
        var object = JSONObject([
            ("version", .integer(ImportEvent.version)), ("url", .string(source.url)),
            ("container", .string(source.container)), ("environment", .string(source.environment)),
            ("database", source.isPrivate ? "private" : "public"), ("target", .string(target)),
        ])
        if let owner { object["owner"] = .string(owner) }
        return object
    }

    fileprivate init?(_ object: JSONObject) {
        guard object["version"]?.integer == ImportEvent.version, let url = object["url"]?.string,
            let container = object["container"]?.string, let environment = object["environment"]?.string,
            let database = object["database"]?.string, let target = object["target"]?.string
        else { return nil }
        self.init(
            source: SourceDatabase(
                url: url, container: container, environment: environment, isPrivate: database == "private"),
            target: target, owner: object["owner"]?.string)
    }
}

extension WalkName {
    fileprivate var json: JSONObject {
        var object = JSONObject([("zone", .string(zone))])
        if let type { object["type"] = .string(type) }
        return object
    }

    fileprivate init?(_ object: JSONObject) {
        guard let zone = object["zone"]?.string else { return nil }
        self.init(zone: zone, type: object["type"]?.string)
    }
}

extension ImportBatch {
    fileprivate var json: JSONObject {
        var object = walk.json
        if movesOn { object["movesOn"] = true }
        if let next { object["next"] = .string(next) }
        if ends { object["ends"] = true }
        if !done.isEmpty { object["done"] = .array(done.map(JSONValue.string)) }
        if !carried.isEmpty { object["carried"] = .object(Self.sorted(carried, JSONValue.integer)) }
        if deleted != 0 { object["deleted"] = .integer(deleted) }
        if let newest { object["newest"] = .integer(newest) }
        if !settled.isEmpty { object["settled"] = .array(settled.map(JSONValue.string)) }
        if !deferred.isEmpty { object["deferred"] = .object(Self.sorted(deferred, \.json)) }
        if !problems.isEmpty {
            object["problems"] = .object(Self.sorted(problems) { [.string($0.type), .string($0.reason)] })
        }
        if !notes.isEmpty {
            object["notes"] = .array(
                notes.map { note, count in
                    [.string(note.kind.rawValue), .string(note.type), .string(note.subject), .integer(count)]
                })
        }
        return object
    }

    private static func sorted<Value>(_ values: [String: Value], _ json: (Value) -> JSONValue) -> JSONObject {
        JSONObject(values.sorted { $0.key < $1.key }.map { ($0.key, json($0.value)) })
    }

    fileprivate init?(_ object: JSONObject) {
        guard let walk = WalkName(object) else { return nil }
        self.init(walk)
        movesOn = object["movesOn"]?.bool ?? false
        next = object["next"]?.string
        ends = object["ends"]?.bool ?? false
        done = (object["done"]?.array ?? []).compactMap(\.string)
        deleted = object["deleted"]?.integer ?? 0
        newest = object["newest"]?.integer
        settled = (object["settled"]?.array ?? []).compactMap(\.string)
        for member in object["carried"]?.object?.members ?? [] { carried[member.key] = member.value.integer }
        for member in object["deferred"]?.object?.members ?? [] {
            deferred[member.key] = DeferredWrite(member.value)
        }
        for member in object["problems"]?.object?.members ?? [] {
            let words = (member.value.array ?? []).compactMap(\.string)
            guard words.count == 2 else { return nil }
            problems[member.key] = ImportProblem(type: words[0], reason: words[1])
        }
        for member in object["notes"]?.array ?? [] {
            guard let parts = member.array, parts.count == 4, let kind = parts[0].string,
                let kind = ImportNote.Kind(rawValue: kind), let type = parts[1].string, let subject = parts[2].string,
                let count = parts[3].integer
            else { return nil }
            notes[ImportNote(kind, type: type, subject: subject)] = count
        }
    }
}

extension DeferredWrite {
    fileprivate var json: JSONValue {
        switch self {
        case .fields(let record, let type): ["record": .object(record), "type": .string(type)]
        case .deletion: .null
        }
    }

    fileprivate init?(_ value: JSONValue) {
        if value.isNull {
            self = .deletion
            return
        }
        guard let record = value["record"]?.object, let type = value["type"]?.string else { return nil }
        self = .fields(record: record, type: type)
    }
}
