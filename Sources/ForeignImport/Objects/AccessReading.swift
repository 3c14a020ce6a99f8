internal import RecordModel
internal import RecordWire

extension ForeignObject.Access {
    /// Reads a map from principals to rights: `{"*":{"read":true},"role:editors":{"read":true,"write":true}}`.
    ///
    /// - Parameter keys: The words for the two rights; MongoDB has `r` and `w`.
    static func read(
        _ source: JSONValue?, keys: (read: String, write: String) = ("read", "write")
    ) throws(ObjectProblem) -> [Self]? {
        guard let source, !source.isNull else { return nil }
        guard let object = source.object else { throw ObjectProblem(reason: "the access list is no object") }
        return object.members.map { member in
            var rights: AccessRights = []
            if member.value[keys.read]?.bool == true { rights.insert(.read) }
            if member.value[keys.write]?.bool == true { rights.insert(.write) }
            return Self(principal: principal(member.key), rights: rights)
        }
    }

    /// Reads the lists of readers and writers, as Parse Server stores them.
    static func read(readers: JSONValue?, writers: JSONValue?) -> [Self]? {
        guard readers != nil || writers != nil else { return nil }
        var order: [Principal] = []
        var rights: [Principal: AccessRights] = [:]
        // A list that is absent has everyone.
        for (list, right) in [(readers ?? ["*"], AccessRights.read), (writers ?? ["*"], .write)] {
            for name in list.array ?? [] {
                guard let name = name.string else { continue }
                let principal = principal(name)
                if rights[principal] == nil { order.append(principal) }
                rights[principal, default: []].insert(right)
            }
        }
        return order.map { Self(principal: $0, rights: rights[$0] ?? []) }
    }

    private static func principal(_ name: String) -> Principal {
        if name == "*" { return .everyone }
        return name.hasPrefix("role:") ? .role(String(name.dropFirst(5))) : .user(name)
    }
}
