/// An access list that refers to users and roles by name, as requests and schemas contain it. The names are resolved
/// when a record is saved.
package struct AccessTemplate: Hashable, Sendable {
    /// The subject of an entry, by name.
    package enum Name: Hashable, Sendable {
        case everyone
        /// The user who creates the record, or who created an existing record.
        case creator
        case user(UserRecordName)
        case role(RoleName)

        /// Parses `*`, `_creator`, the record name of a user, or `role:` followed by the name of a custom role.
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

        /// The name as requests and schemas contain it.
        package var text: String {
            switch self {
            case .everyone: "*"
            case .creator: RoleName.creator.text
            case .user(let name): name.text
            case .role(let name): "role:" + name.text
            }
        }
    }

    /// An entry of the access list: a subject and its permissions.
    package struct Entry: Hashable, Sendable {
        /// The subject of the entry.
        package var name: Name
        /// The permissions of the entry.
        package var rights: AccessRights

        /// Creates an entry that gives permissions to a named subject.
        package init(name: Name, rights: AccessRights) {
            self.name = name
            self.rights = rights
        }
    }

    /// The entries, in the order of the request or schema.
    package var entries: [Entry]

    /// Creates an access list whose names are not resolved yet.
    package init(entries: [Entry]) {
        self.entries = entries
    }

    /// The text that the schema table stores, such as `*=1,role:editors=3`: the name, `=`, and the raw value of the
    /// rights in decimal. Names contain no comma and no equals sign.
    package var stored: String {
        entries.map { "\($0.name.text)=\($0.rights.rawValue)" }.joined(separator: ",")
    }

    /// Parses the text that the schema table stores. The result is `nil` if the text is malformed.
    package init?(stored: String) {
        entries = []
        for part in stored.split(separator: ",") {
            let halves = part.split(separator: "=", omittingEmptySubsequences: false)
            guard halves.count == 2, let name = Name(String(halves[0])), let bits = UInt8(halves[1]) else { return nil }
            entries.append(Entry(name: name, rights: AccessRights(rawValue: bits)))
        }
    }
}
