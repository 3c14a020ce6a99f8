import HTTP
import RecordWire
import Threads

/// `fogbase audit`: who changed what rights, the newest first, of the database and of the server as a whole.
extension OperatorCommand {
    static let auditOptions = [
        CommandOption(flag: "--last", placeholder: "TIME", help: "entries of this time alone, such as 30d"),
        CommandOption(
            flag: "--actor", placeholder: "NAME", help: "entries of one: an administrator, a key, a user's record name"),
        CommandOption(flag: "--action", placeholder: "ACTION", help: "entries of one action, such as key.create"),
        CommandOption(flag: "--limit", placeholder: "COUNT", help: "how many entries at most (100)"),
        CommandOption(
            flag: "--scope", placeholder: "SCOPE", help: "database or server: one of the two logs; both unless given"),
        OperatorCommand.json,
    ]

    func audit() throws(Failure) {
        let limit = try number("--limit") ?? 100
        let scopes: [String]
        switch arguments.options["--scope"] {
        case nil: scopes = ["database", "server"]
        case "database"?: scopes = ["database"]
        case "server"?: scopes = ["server"]
        case let other?: throw .usage("--scope is '\(other)'; it must be database or server.")
        }
        var query: [(String, String)] = []
        if let seconds = try seconds("--last") {
            query.append(("since", "\(max(0, WallClock.milliseconds - seconds * 1_000))"))
        }
        for (flag, name) in [("--actor", "actor"), ("--action", "action")] {
            if let text = arguments.options[flag] { query.append((name, text)) }
        }
        var entries: [JSONValue] = []
        for scope in scopes { entries += try self.entries(query + [("scope", scope)], limit: limit) }
        // Each log is in order already; entries of one moment stay in it.
        entries = entries.enumerated().sorted { left, right in
            let (first, second) = (left.element["timestamp"]?.integer ?? 0, right.element["timestamp"]?.integer ?? 0)
            return first == second ? left.offset < right.offset : first > second
        }.map(\.element)
        show(Array(entries.prefix(limit)))
    }

    private func entries(_ query: [(String, String)], limit: Int) throws(Failure) -> [JSONValue] {
        var entries: [JSONValue] = []
        var cursor: String?
        repeat {
            let page = try way.ask(.get, "/audit", query: query + (cursor.map { [("cursor", $0)] } ?? []))
            entries += page["entries"]?.array ?? []
            cursor = page["cursor"]?.string
        } while cursor != nil && entries.count < limit
        return Array(entries.prefix(limit))
    }

    private func show(_ entries: [JSONValue]) {
        if wantsJSON { return Self.print(["entries": .array(entries)]) }
        var rows = [["TIME", "ACTOR", "ACTION", "TARGET", "OUTCOME", "ADDRESS", "DETAIL"]]
        for entry in entries {
            let detail = entry["detail"].map { String(decoding: $0.bytes, as: UTF8.self) } ?? ""
            let actor = entry["actor"].map { $0.text("name").isEmpty ? $0.text("kind") : $0.text("name") }
            rows.append([
                Moment.show(entry["timestamp"]?.integer), actor ?? "", entry.text("action"), entry.text("target"),
                entry.text("outcome"), entry.text("address"), detail,
            ])
        }
        Self.print(rows)
    }
}
