import HTTP
import RecordEngine
import RecordModel
import RecordWire

/// `fogbase admin …`: manages the named administrators of the server.
extension OperatorCommand {
    static let roleOption = CommandOption(
        flag: "--role", placeholder: "ROLE", help: "owner, developer, editor or viewer (viewer)")

    func administrators() throws(Failure) {
        switch name {
        case "admin list": try listAdministrators()
        case "admin add":
            let name = try check { () throws(RecordError) in try AdministratorName(arguments.operands[0]) }
            let role = try role(arguments.options[Self.roleOption.flag] ?? "viewer")
            let made = try way.ask(
                .post, "/administrators",
                body: ["name": .string(name.text), "role": .string(role), "password": .string(try password())],
                isOfServer: true)
            Terminal.say("Added \(made.text("name")), \(Self.roleWords(made)).")
        case "admin set-role":
            let changed = try change(["role": .string(try role(arguments.operands[1]))])
            Terminal.say("\(changed.text("name")) is now \(Self.roleWords(changed)); all sessions have ended.")
        case "admin set-password":
            let changed = try change(["password": .string(try password())])
            Terminal.say("\(changed.text("name")) has a new password; all sessions have ended.")
        case "admin disable":
            let changed = try change(["disabled": true])
            Terminal.say("\(changed.text("name")) can no longer sign in; all sessions have ended.")
        case "admin enable":
            let changed = try change(["disabled": false])
            Terminal.say("\(changed.text("name")) can sign in again.")
        default:
            try way.ask(.delete, path, isOfServer: true)
            Terminal.say("Removed \(arguments.operands[0]); all sessions have ended.")
        }
    }

    private var path: String { "/administrators/" + PathSegment.encode(arguments.operands[0]) }

    private func listAdministrators() throws(Failure) {
        let response = try way.ask(.get, "/administrators", isOfServer: true)
        if wantsJSON { return Self.print(response) }
        var rows = [["NAME", "ROLE", "CREATED", "STATE"]]
        for administrator in response["administrators"]?.array ?? [] {
            rows.append([
                administrator.text("name"), administrator.text("role"),
                Moment.show(administrator["createdAt"]?.integer),
                administrator["disabled"]?.bool == true
                    ? "disabled " + Moment.show(administrator["disabledAt"]?.integer) : "active",
            ])
        }
        Self.print(rows)
    }

    private func change(_ change: JSONValue) throws(Failure) -> JSONValue {
        try way.ask(.patch, path, body: change, isOfServer: true)
    }

    private func role(_ text: String) throws(Failure) -> String {
        let roles = ["owner", "developer", "editor", "viewer"]
        guard roles.contains(text) else {
            throw .usage(
                "There is no role '\(text)'.\(Suggestion.sentence(for: text, among: roles)) The roles are \(roles.joined(separator: ", "))."
            )
        }
        return text
    }

    private func password() throws(Failure) -> String {
        let text = try Password.read(arguments)
        _ = try check { () throws(RecordError) in try AdministratorPassword(text) }
        return text
    }

    /// Returns a role with its article, such as `an owner`.
    private static func roleWords(_ administrator: JSONValue) -> String {
        let role = administrator.text("role")
        return (role == "owner" || role == "editor" ? "an " : "a ") + role
    }
}
