import HTTP
import RecordEngine
import RecordWire

/// `fogbase roles …`: manages the custom roles of a database and their members.
extension OperatorCommand {
    static let makeOption = CommandOption(
        flag: "--make", placeholder: nil, help: "create the role if it does not exist")

    static let roleNotes = [
        "USER is the name or record name of an account, or role: and the name of another role. The members of that role",
        "then have this role too.",
    ]

    func roles() throws(Failure) {
        switch name {
        case "roles list": try listRoles()
        case "roles add":
            let (role, member) = try (arguments.operands[0], member(arguments.operands[1]))
            var isNew = false
            if arguments.options[Self.makeOption.flag] != nil { isNew = try make(role, with: member) }
            if !isNew {
                try change(.put, role, member, ifNone: "There is no role with this name. --make creates it.")
            }
            Terminal.say("\(arguments.operands[1]) is in the role \(role).")
        default:
            let (role, member) = try (arguments.operands[0], member(arguments.operands[1]))
            try change(.delete, role, member, ifNone: "There is no role with this name.")
            Terminal.say("\(arguments.operands[1]) is not in the role \(role), unless through another role.")
        }
    }

    private func listRoles() throws(Failure) {
        let response = try way.ask(.get, "/roles")
        if wantsJSON { return Self.print(response) }
        let roles = response["roles"]?.array ?? []
        var names: [String: String] = [:]
        if roles.contains(where: { $0["members"]?.array?.isEmpty == false }) {
            for user in try way.all("/users", "users") where user["isAnonymous"]?.bool != true {
                names[user.text("userRecordName")] = user.text("name")
            }
        }
        var rows = [["ROLE", "MEMBER", "RECORD NAME"]]
        for role in roles {
            let members = (role["members"]?.array ?? []).compactMap(\.string)
            if members.isEmpty { rows.append([role.text("name"), "(nobody)", ""]) }
            for member in members {
                let isRole = member.hasPrefix("role:")
                rows.append([
                    role.text("name"), isRole ? member : names[member] ?? "(no name)", isRole ? "" : member,
                ])
            }
        }
        Self.print(rows)
    }

    /// Creates a role with one member, unless the role exists. The request is conditional. So if another request
    /// creates the role at the same time, that role keeps its members.
    ///
    /// - Returns: Whether this call created the role.
    private func make(_ role: String, with member: String) throws(Failure) -> Bool {
        let response = try way.respond(
            .put, Self.path(role), body: ["members": [.string(member)]], ifAbsent: true)
        if response.status == 412 { return false }
        guard response.isSuccess else { throw response.rejection }
        return true
    }

    /// Adds a member to a role, or removes one.
    ///
    /// - Parameter sentence: The error sentence if the role does not exist.
    private func change(
        _ method: HTTPMethod, _ role: String, _ member: String, ifNone sentence: String
    ) throws(Failure) {
        let response = try way.respond(method, Self.path(role, member))
        if response.isSuccess { return }
        // A built-in role begins with an underscore; its error has its own explanation. Other 404 errors are not about
        // roles.
        guard response.status == 404, response.value["details"]?["role"] != nil, !role.hasPrefix("_") else {
            throw response.rejection
        }
        throw Failure(sentence)
    }

    /// Returns the name of a member as the HTTP interface expects it.
    private func member(_ text: String) throws(Failure) -> String {
        text.hasPrefix("role:") ? text : try user(text).text("userRecordName")
    }

    private static func path(_ role: String, _ member: String? = nil) -> String {
        let path = "/roles/" + PathSegment.encode(role)
        return member.map { "\(path)/members/\(PathSegment.encode($0))" } ?? path
    }
}
