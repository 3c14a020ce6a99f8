import HTTP
import RecordEngine
import RecordModel
import RecordWire
import UnicodeText

/// `fogbase users …`: accounts of a database, and invitations to make one.
extension OperatorCommand {
    static let invitationOptions = [
        CommandOption(flag: "--name", placeholder: "NAME", help: "only for this account name; by default for any name"),
        CommandOption(flag: "--expires-in", placeholder: "TIME", help: "lifetime (7d)"),
        CommandOption(flag: "--uses", placeholder: "COUNT", help: "how many accounts it can create (1)"),
        CommandOption(
            flag: "--roles", placeholder: "ROLES", help: "custom roles of each new account, separated by commas"),
    ]

    func users() throws(Failure) {
        switch name {
        case "users list": try listUsers()
        case "users add": try addUser()
        case "users set-password":
            let password = try Password.read(arguments)
            try checkNew("somebody", password)
            let user = try user(arguments.operands[0])
            try way.ask(.patch, "/users/" + user.text("userRecordName"), body: ["password": .string(password)])
            Terminal.say("\(arguments.operands[0]) has a new password; all sessions have ended.")
        case "users disable", "users enable":
            let user = try user(arguments.operands[0])
            let isDisabled = name == "users disable"
            try way.ask(.patch, "/users/" + user.text("userRecordName"), body: ["disabled": .bool(isDisabled)])
            Terminal.say(
                isDisabled
                    ? "\(arguments.operands[0]) is disabled; all sessions have ended."
                    : "\(arguments.operands[0]) can sign in again.")
        case "users invite": try invite()
        default:
            let user = try user(arguments.operands[0])
            try way.ask(.delete, "/users/" + user.text("userRecordName"))
            Terminal.say(
                "Removed \(arguments.operands[0]) with its private database. Its records in the public database stay."
            )
        }
    }

    private func listUsers() throws(Failure) {
        let users = try way.all("/users", "users")
        if wantsJSON { return Self.print(["users": .array(users)]) }
        var rows = [["NAME", "RECORD NAME", "CREATED", "STATE", "ROLES"]]
        for user in users {
            let name = user["isAnonymous"]?.bool == true ? "(anonymous)" : user.text("name")
            rows.append([
                name, user.text("userRecordName"), Moment.show(user["createdTimestamp"]?.integer),
                user["disabled"]?.bool == true
                    ? "disabled " + Moment.show(user["disabledTimestamp"]?.integer) : "active",
                user.words("roles"),
            ])
        }
        Self.print(rows)
        for names in Self.lookAlikes(users.filter { $0["isAnonymous"]?.bool != true }.map { $0.text("name") }) {
            Terminal.complain(
                "These names look the same: \(names.joined(separator: ", ")). Each signs in with its exact spelling only. Ask the owners of all but one to choose another name (PATCH /users/me), or remove unused accounts."
            )
        }
    }

    /// Names that are the same but for case, width and the like, group by group.
    static func lookAlikes(_ names: [String]) -> [[String]] {
        let groups = Dictionary(grouping: names, by: \.nfkcCasefold)
        return groups.sorted { $0.key < $1.key }.map(\.value).filter { $0.count > 1 }
    }

    private func addUser() throws(Failure) {
        let password = try Password.read(arguments)
        try checkNew(arguments.operands[0], password)
        let made = try way.ask(
            .post, "/users", body: ["name": .string(arguments.operands[0]), "password": .string(password)])
        // Who signs up is signed in, and here that is nobody.
        try way.ask(.delete, "/sessions/current", token: made.text("token"))
        Terminal.say(
            "Added \(made["user"]?.text("name") ?? ""), whose record name is \(made["user"]?.text("userRecordName") ?? "")."
        )
    }

    private func checkNew(_ name: String, _ password: String) throws(Failure) {
        _ = try check { () throws(RecordError) in try Credentials(newName: name, newPassword: password) }
    }

    /// The account that signs in by a name, or has a record name.
    func user(_ text: String) throws(Failure) -> JSONValue {
        if let name = UserRecordName(text) { return ["userRecordName": .string(name.text)] }
        let found = try way.ask(.get, "/users", query: [("name", text)])
        guard let user = found["users"]?.array?.first else { throw Failure("There is no user with the name \(text).") }
        return user
    }

    /// Prints the invitation alone to standard output, so that a shell can take it from there.
    private func invite() throws(Failure) {
        var wish = JSONObject()
        if let name = arguments.options["--name"] { wish["name"] = .string(name) }
        if let seconds = try seconds("--expires-in") { wish["expiresIn"] = .integer(seconds) }
        if let uses = try number("--uses") { wish["uses"] = .integer(Int64(uses)) }
        if let roles = list("--roles") { wish["roles"] = .array(roles.map(JSONValue.string)) }
        let made = try way.ask(.post, "/invitations", body: .object(wish))
        let uses = made["uses"]?.integer ?? 1
        Terminal.complain(
            "Created an invitation for \(made["name"]?.string ?? (uses == 1 ? "one account" : "\(uses) accounts")), valid until \(Moment.show(made["expiresAt"]?.integer)) UTC. The token is shown only once:"
        )
        Terminal.say(made.text("invitation"))
    }
}
