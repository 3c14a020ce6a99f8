import RecordModel

/// The permissions to read and write, by the text of the documentation: an oracle that is independent of the real
/// rules.
struct AccessModel {
    struct Record {
        var type: String
        var creator: String
        /// `nil`: the grants decide.
        var acl: [String: Set<String>]?
        var n: Int
        /// The value of the field with its own grants.
        var secret: Int?
        var order: Int
    }

    var records: [String: Record] = [:]
    /// The members of each role, by name.
    var roles: [String: Set<String>] = ["editors": [], "staff": []]
    var grants: [String: [String: Set<String>]] = [:]
    /// The roles that read and write the field `secret`, by type; without an entry the grants decide.
    var readers: [String: Set<String>?] = [:]
    var writers: [String: Set<String>?] = [:]
    /// The permissions of keys and named administrators, which grants and lists do not limit.
    var scopes: [String: Scope] = [:]
    private var order = 0

    struct Scope {
        /// `nil` for all.
        var types: Set<String>?
        var rights: Set<String>

        func may(_ right: String, _ type: String) -> Bool {
            rights.contains(right) && (types?.contains(type) ?? true)
        }
    }

    static let administrator = "admin"
    static let anonymous = "anonymous"

    mutating func add(_ name: String, type: String, creator: String, acl: [String: Set<String>]?, n: Int, secret: Int?)
    {
        order += 1
        records[name] = Record(type: type, creator: creator, acl: acl, n: n, secret: secret, order: order)
    }

    private func names(of caller: String) -> Set<String> {
        if caller == Self.anonymous { return ["*"] }
        return Set(["*", caller] + roles.filter { $0.value.contains(caller) }.map { "role:" + $0.key })
    }

    private func grants(_ right: String, to caller: String, type: String) -> Set<String> {
        var holders: Set<String> = ["_world"]
        if caller != Self.anonymous {
            holders.formUnion(["_icloud"])
            holders.formUnion(roles.filter { $0.value.contains(caller) }.map(\.key))
        }
        return Set((grants[type] ?? [:]).filter { holders.contains($0.key) && $0.value.contains(right) }.keys)
    }

    func may(_ right: String, _ caller: String, _ record: Record) -> Bool {
        if caller == Self.administrator { return true }
        if let scope = scopes[caller] { return scope.may(right, record.type) }
        let isForAll = !grants(right, to: caller, type: record.type).isEmpty
        let creatorsMay = right == "READ" || (grants[record.type]?["_creator"] ?? []).contains(right)
        guard isForAll || (caller != Self.anonymous && creatorsMay) else { return false }
        if let acl = record.acl {
            return names(of: caller).contains { (acl[$0] ?? []).contains(right.lowercased()) }
        }
        return isForAll || record.creator == caller
    }

    /// Whether a caller reads all records without an access list, of all creators.
    func readsAll(_ caller: String, type: String) -> Bool {
        if caller == Self.administrator { return true }
        if let scope = scopes[caller] { return scope.may("READ", type) }
        return !grants("READ", to: caller, type: type).isEmpty
    }

    /// Whether a caller with the same permission on the record reads or writes its field `secret`.
    func mayField(_ right: String, _ caller: String, type: String, isOwn: Bool) -> Bool {
        guard caller != Self.administrator, scopes[caller] == nil,
            let roles = (right == "read" ? readers : writers)[type] ?? nil
        else {
            return true
        }
        if roles.contains("_world") { return true }
        if caller == Self.anonymous { return false }
        if roles.contains("_icloud") || (isOwn && roles.contains("_creator")) { return true }
        return self.roles.contains { roles.contains($0.key) && $0.value.contains(caller) }
    }

    func mayCreate(_ caller: String, type: String) -> Bool {
        if let scope = scopes[caller] { return scope.may("CREATE", type) }
        if caller == Self.administrator || !grants("CREATE", to: caller, type: type).isEmpty { return true }
        return caller != Self.anonymous && (grants[type]?["_creator"] ?? []).contains("CREATE")
    }

    /// The names that a caller may read, in the order of their creation.
    func readable(_ caller: String, type: String, where condition: (Record) -> Bool = { _ in true }) -> [String] {
        records.filter { $0.value.type == type && may("READ", caller, $0.value) && condition($0.value) }
            .sorted { $0.value.order < $1.value.order }.map(\.key)
    }
}
