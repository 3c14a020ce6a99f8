import HTTP
import RecordModel
import RecordWire
import Threads
import UnicodeText

/// `fogbase audit`: prints changes of permissions, newest first. Combines the log of the database with the log of the
/// server.
extension OperatorCommand {
    static let auditOptions = [
        CommandOption(flag: "--last", placeholder: "TIME", help: "only entries of this last period, such as 30d"),
        CommandOption(
            flag: "--since", placeholder: "MOMENT",
            help: "only entries from this time on, such as 2026-03-01 or 2026-03-01T12:00:00Z"),
        CommandOption(flag: "--until", placeholder: "MOMENT", help: "only entries up to this time"),
        CommandOption(
            flag: "--actor", placeholder: "NAME",
            help: "only entries of this administrator, key, user or user's record name"),
        CommandOption(flag: "--action", placeholder: "ACTION", help: "only entries of this action, such as key.create"),
        CommandOption(flag: "--limit", placeholder: "COUNT", help: "maximum number of entries (100)"),
        CommandOption(
            flag: "--scope", placeholder: "SCOPE", help: "database or server: only this log; by default both"),
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
            guard arguments.options["--since"] == nil else {
                throw .usage("--last and --since exclude each other. Use only one of them.")
            }
            query.append(("since", "\(max(0, WallClock.milliseconds - seconds * 1_000))"))
        }
        for name in ["since", "until"] {
            if let moment = arguments.options["--" + name] { query.append((name, moment)) }
        }
        if let action = arguments.options["--action"] { query.append(("action", action)) }
        let name = arguments.options["--actor"]
        var user: String?
        if let name { user = try recordName(ofUser: name) }
        var entries: [JSONValue] = []
        for scope in scopes {
            for actor in name.map({ Self.names($0, user) }) ?? [nil] {
                entries += try self.entries(
                    query + [("scope", scope)] + (actor.map { [("actor", $0)] } ?? []), limit: limit)
            }
        }
        if let name, user == nil, entries.isEmpty, try !isKnown(name) {
            throw Failure("There is no user, key or administrator named \(name), and no entry with that name.")
        }
        // Each log is already sorted, and the sort is stable for entries with the same time.
        entries = entries.enumerated().sorted { left, right in
            let (first, second) = (left.element["timestamp"]?.integer ?? 0, right.element["timestamp"]?.integer ?? 0)
            return first == second ? left.offset < right.offset : first > second
        }.map(\.element)
        show(Array(entries.prefix(limit)))
    }

    /// Returns the names that an actor may have in the log: the name as typed, the spelling of administrators' names,
    /// and a user's record name.
    private static func names(_ name: String, _ user: String?) -> [String?] {
        let key = name.nfkcCasefold
        return [name] + (key == name ? [] : [key]) + (user.map { [$0] } ?? [])
    }

    /// Returns the record name of the user with an account name. The log identifies users by record name, which does
    /// not change if the account name changes.
    private func recordName(ofUser name: String) throws(Failure) -> String? {
        guard UserRecordName(name) == nil else { return nil }
        return try way.ask(.get, "/users", query: [("name", name)])["users"]?.array?.first?.text("userRecordName")
    }

    /// Whether an administrator or a key has this name. If so, an empty result is not due to a misspelled name.
    private func isKnown(_ name: String) throws(Failure) -> Bool {
        if name.hasPrefix("_") { return true }
        let administrators = try way.ask(.get, "/administrators", isOfServer: true)["administrators"]?.array ?? []
        if administrators.contains(where: { $0.text("name") == name.nfkcCasefold }) { return true }
        return try way.all("/keys", "keys").contains { $0.text("name") == name }
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
