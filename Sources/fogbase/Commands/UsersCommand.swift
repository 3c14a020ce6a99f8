import HTTP
import RecordEngine
import RecordModel
import RecordWire
import UnicodeText

/// `fogbase users …`: manages the accounts of a database, and invitations to sign up.
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
        for names in Self.confusableNames(users.filter { $0["isAnonymous"]?.bool != true }.map { $0.text("name") }) {
            Terminal.complain(
                "These names look the same: \(names.joined(separator: ", ")). Each signs in with its exact spelling only. Ask the owners of all but one to choose another name (PATCH /users/me), or remove unused accounts."
            )
        }
    }

    /// Returns the groups of names that differ only in case, width and similar properties.
    static func confusableNames(_ names: [String]) -> [[String]] {
        let groups = Dictionary(grouping: names, by: \.nfkcCasefold)
        return groups.sorted { $0.key < $1.key }.map(\.value).filter { $0.count > 1 }
    }

    private func addUser() throws(Failure) {
        let password = try Password.read(arguments)
        try checkNew(arguments.operands[0], password)
        let made = try way.ask(
            .post, "/users", body: ["name": .string(arguments.operands[0]), "password": .string(password)])
        // A sign-up also creates a session, which is not needed here.
        try way.ask(.delete, "/sessions/current", token: made.text("token"))
        Terminal.say(
            "Added \(made["user"]?.text("name") ?? ""), whose record name is \(made["user"]?.text("userRecordName") ?? "")."
        )
    }

    private func checkNew(_ name: String, _ password: String) throws(Failure) {
        _ = try check { () throws(RecordError) in try Credentials(newName: name, newPassword: password) }
    }

    /// Returns the account with an account name or a record name.
    ///
    /// - Throws: `Failure` if no account has this name.
    func user(_ text: String) throws(Failure) -> JSONValue {
        if let name = UserRecordName(text) { return ["userRecordName": .string(name.text)] }
        let found = try way.ask(.get, "/users", query: [("name", text)])
        guard let user = found["users"]?.array?.first else { throw Failure("There is no user with the name \(text).") }
        return user
    }

    /// Creates an invitation. Prints only its token to standard output, so that a shell can capture the token.
    private func invite() throws(Failure) {
        var request = JSONObject()
        if let name = arguments.options["--name"] { request["name"] = .string(name) }
        if let seconds = try seconds("--expires-in") { request["expiresIn"] = .integer(seconds) }
        if let uses = try number("--uses") { request["uses"] = .integer(Int64(uses)) }
        if let roles = list("--roles") { request["roles"] = .array(roles.map(JSONValue.string)) }
        let made = try way.ask(.post, "/invitations", body: .object(request))
        let uses = made["uses"]?.integer ?? 1
        Terminal.complain(
            "Created an invitation for \(made["name"]?.string ?? (uses == 1 ? "one account" : "\(uses) accounts")), valid until \(Moment.show(made["expiresAt"]?.integer)) UTC. The token is shown only once:"
        )
        Terminal.say(made.text("invitation"))
    }
}
