import HTTP
import RecordModel
import RecordWire

/// `fogbase access explain`: explains why a caller has or lacks a permission.
extension OperatorCommand {
    static let explainOptions = [
        CommandOption(flag: "--record", placeholder: "NAME", help: "one record; by default any record of the type"),
        CommandOption(flag: "--field", placeholder: "FIELD", help: "one field of the record"),
        CommandOption(
            flag: "--owner", placeholder: "USER", help: "use this user's private database, not the public one"),
        OperatorCommand.json,
    ]

    static let explainNotes = [
        "CALLER is anonymous, administrator, administrator:ROLE, key:NAME, user:NAME, or the name or record name of a user.",
        "ACTION is create, read, write (change and delete) or query (use in a predicate or sort). Without a TYPE it is upload",
        "(upload files) or enter (use a private database). --owner selects a private database instead of the public one.",
    ]

    func explain() throws(Failure) {
        let words = arguments.operands
        var question = JSONObject([
            ("caller", .string(words[0])), ("action", .string(words[1])),
        ])
        if words.count > 2 {
            question["recordType"] = .string(words[2])
        } else if words[1] != "upload" && words[1] != "enter" {
            throw .usage("'fogbase access explain' needs TYPE.")
        }
        if let record = arguments.options["--record"] { question["recordName"] = .string(record) }
        if let field = arguments.options["--field"] { question["field"] = .string(field) }
        var place: [(String, String)] = []
        if let owner = arguments.options["--owner"] {
            place = [("database", "private"), ("owner", try user(owner).text("userRecordName"))]
        }
        let response = try way.ask(.post, "/explain/access", query: place, body: .object(question))
        if wantsJSON { return Self.print(response) }
        Terminal.say(response.text("decision"))
        var rows: [[String]] = []
        for step in response["because"]?.array ?? [] {
            rows.append([step["allowed"]?.bool == true ? "yes" : "no", step.text("rule"), step.text("reason")])
        }
        for line in Terminal.table(rows, indent: "  ") { Terminal.say(line) }
        let roles = response.words("roles")
        if !roles.isEmpty { Terminal.say("  roles of the caller: \(roles)") }
    }
}
