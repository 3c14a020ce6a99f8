public import RecordModel
internal import RecordWire

/// Who may read and who may write one record. Whoever is not in the list has no right, not even its creator.
///
/// ```swift
/// var access = RecordAccess.onlyCreator
/// access["role:editors"] = .read
/// ```
public struct RecordAccess: Hashable, Sendable, Codable {
    /// The rights by principal: `*` (anyone), a user's record name, `role:` with the name of a role, or `_creator`.
    private var rights: [String: UInt8] = [:]

    /// An empty list: nobody may, until somebody is added.
    public init() {}

    /// The creator alone reads and writes.
    public static let onlyCreator = {
        var access = RecordAccess()
        access["_creator"] = [.read, .write]
        return access
    }()

    /// The rights of a principal; none takes it out of the list.
    public subscript(principal: String) -> AccessRights {
        get { AccessRights(rawValue: rights[principal] ?? 0) }
        set { rights[principal] = newValue.isEmpty ? nil : newValue.rawValue }
    }

    /// The principals in the list.
    public var principals: [String] { rights.keys.sorted() }

    /// Reads the list as answers have it; `nil` if it is none.
    init?(tree: JSONValue) {
        guard case .object(let members) = tree else { return nil }
        for member in members.members {
            let words = member.value.array?.compactMap(\.string) ?? []
            var rights: AccessRights = []
            if words.contains("read") { rights.insert(.read) }
            if words.contains("write") { rights.insert(.write) }
            self[member.key] = rights
        }
    }

    /// The list as writes have it.
    var tree: JSONValue {
        .object(
            JSONObject(
                principals.map { principal in
                    let rights = self[principal]
                    var words: [JSONValue] = []
                    if rights.contains(.read) { words.append("read") }
                    if rights.contains(.write) { words.append("write") }
                    return (principal, .array(words))
                }))
    }
}
