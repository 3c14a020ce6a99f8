/// An access list by names, as requests and schemas give it. Whom the names mean is asked when a record is saved.
package struct AccessTemplate: Hashable, Sendable {
    /// Whom an entry names.
    package enum Name: Hashable, Sendable {
        case everyone
        /// The user who creates, or has created, the record.
        case creator
        case user(UserRecordName)
        case role(RoleName)

        /// `*`, `_creator`, a user's record name, or `role:` and the name of a custom role.
        package init?(_ text: String) {
            if text == "*" {
                self = .everyone
            } else if text == RoleName.creator.text {
                self = .creator
            } else if text.hasPrefix("role:") {
                guard let role = RoleName(String(text.dropFirst(5))), !role.isBuiltIn else { return nil }
                self = .role(role)
            } else if let user = UserRecordName(text) {
                self = .user(user)
            } else {
                return nil
            }
        }

        package var text: String {
            switch self {
            case .everyone: "*"
            case .creator: RoleName.creator.text
            case .user(let name): name.text
            case .role(let name): "role:" + name.text
            }
        }
    }

    package struct Entry: Hashable, Sendable {
        package var name: Name
        package var rights: AccessRights

        package init(name: Name, rights: AccessRights) {
            self.name = name
            self.rights = rights
        }
    }

    package var entries: [Entry]

    package init(entries: [Entry]) {
        self.entries = entries
    }

    /// The form in which a schema stores it, `*=1,role:editors=3`: names have no commas and no equals signs.
    package var stored: String {
        entries.map { "\($0.name.text)=\($0.rights.rawValue)" }.joined(separator: ",")
    }

    package init?(stored: String) {
        entries = []
        for part in stored.split(separator: ",") {
            let halves = part.split(separator: "=", omittingEmptySubsequences: false)
            guard halves.count == 2, let name = Name(String(halves[0])), let bits = UInt8(halves[1]) else { return nil }
            entries.append(Entry(name: name, rights: AccessRights(rawValue: bits)))
        }
    }
}
