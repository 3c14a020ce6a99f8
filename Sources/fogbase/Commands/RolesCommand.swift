import HTTP
import RecordEngine
import RecordWire

/// `fogbase roles …`: custom roles of a database, and who is in them.
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
        let answer = try way.ask(.get, "/roles")
        if wantsJSON { return Self.print(answer) }
        let roles = answer["roles"]?.array ?? []
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

    /// Makes a role with one member, unless it is there: whoever makes it meanwhile loses no member.
    ///
    /// - Returns: Whether it is new.
    private func make(_ role: String, with member: String) throws(Failure) -> Bool {
        let answer = try way.answer(
            .put, Self.path(role), body: ["members": [.string(member)]], ifAbsent: true)
        if answer.status == 412 { return false }
        guard answer.isSuccess else { throw answer.refusal }
        return true
    }

    /// Takes a member in or out.
    ///
    /// - Parameter sentence: What is said where there is no such role.
    private func change(
        _ method: HTTPMethod, _ role: String, _ member: String, ifNone sentence: String
    ) throws(Failure) {
        let answer = try way.answer(method, Self.path(role, member))
        if answer.isSuccess { return }
        // Built-in roles begin with an underscore, and the reason says so; other things that are not there are no roles.
        guard answer.status == 404, answer.value["details"]?["role"] != nil, !role.hasPrefix("_") else {
            throw answer.refusal
        }
        throw Failure(sentence)
    }

    /// How the interface names a member.
    private func member(_ text: String) throws(Failure) -> String {
        text.hasPrefix("role:") ? text : try user(text).text("userRecordName")
    }

    private static func path(_ role: String, _ member: String? = nil) -> String {
        let path = "/roles/" + PathSegment.encode(role)
        return member.map { "\(path)/members/\(PathSegment.encode($0))" } ?? path
    }
}
