import HTTP
import RecordModel
import RecordWire

/// `fogbase changes`: prints the change feed as JSON lines, and follows it with `--follow`.
struct ChangesCommand {
    let command: OperatorCommand

    private var arguments: Arguments { command.arguments }
    private var way: Operator { command.way }

    static let options = [
        CommandOption(
            flag: "--follow", placeholder: nil, help: "print further changes as they happen, until interrupted"),
        CommandOption(
            flag: "--since", placeholder: "TOKEN",
            help: "start after this token, or with 'now' after the newest change; by default at the beginning"),
        CommandOption(flag: "--types", placeholder: "TYPES", help: "only records of these types, separated by commas"),
        CommandOption(
            flag: "--where", placeholder: "CONDITION", help: "with --follow and one type: only records that match"),
        CommandOption(
            flag: "--owner", placeholder: "USER",
            help: "the private database of the user with this record name instead of the public database"),
    ]

    static let notes = [
        "Each line is an object: {\"event\":\"change\",\"data\":{…},\"token\":\"…\"}. The last token continues with --since.",
        "The events are those of the stream: change, leave, caughtup and reset.",
    ]

    func run() throws(Failure) {
        var query: [(String, String)] = []
        for type in command.list("--types") ?? [] { query.append(("type", type)) }
        if let owner = arguments.options["--owner"] { query += [("database", "private"), ("owner", owner)] }
        let since = arguments.options["--since"]
        if arguments.options["--follow"] != nil {
            if let condition = arguments.options["--where"] { query.append(("where", condition)) }
            return try follow(query, since: since)
        }
        guard arguments.options["--where"] == nil else {
            throw .usage("--where goes with --follow. Without it, all changes are printed.")
        }
        try printPages(query, since: since)
    }

    private func printPages(_ query: [(String, String)], since: String?) throws(Failure) {
        var token = since
        while true {
            let page = try way.ask(.get, "/changes", query: query + (token.map { [("since", $0)] } ?? []))
            let next = page["token"]?.string ?? ""
            let changes = page["changes"]?.array ?? []
            for (index, change) in changes.enumerated() {
                var line = JSONObject([("event", "change"), ("data", change)])
                // Only the end of a page has a token.
                if index == changes.count - 1 { line["token"] = .string(next) }
                OperatorCommand.print(.object(line))
            }
            token = next
            guard page["moreComing"]?.bool == true else { return }
        }
    }

    /// Prints events until the process is interrupted. Continues after a restart of the server.
    private func follow(_ query: [(String, String)], since: String?) throws(Failure) {
        try way.followReconnecting("/changes", query: query, since: since ?? "") { event throws(Failure) in
            if let line = try Self.line(for: event) { OperatorCommand.print(.object(line)) }
            return true
        }
    }

    /// The errors after which the server can continue the stream, if the client connects again.
    private static let passingErrors = ["INTERNAL_ERROR", "THROTTLED", "TRY_AGAIN_LATER"]

    /// Returns the line for an event: `{"event","data","token"?}`; `nil` if its data is not JSON, or if the stream has
    /// ended because of an error that passes.
    ///
    /// - Throws: `Failure` if the server ends the stream because of an error.
    static func line(for event: ServerSentEvent) throws(Failure) -> JSONObject? {
        guard let data = try? JSONValue.parse(event.data) else { return nil }
        guard event.type != "end" else {
            if let code = data["serverErrorCode"]?.string, passingErrors.contains(code) { return nil }
            throw Failure((data["reason"]?.string ?? "The server has ended the stream") + ".")
        }
        var line = JSONObject([("event", .string(event.type)), ("data", data)])
        if !event.lastID.isEmpty { line["token"] = .string(event.lastID) }
        return line
    }
}
