import RecordEngine
import RecordModel
import Testing

/// Services with keys of random scope, and administrators of each role: grants, lists and fields do not bind them.
extension AccessWorld {
    static let administrators: [String: AdministratorRole] = [
        "developer": .developer, "editor": .editor, "viewer": .viewer,
    ]

    func addScopes() async throws {
        for (name, role) in Self.administrators {
            model.scopes[name] = AccessModel.Scope(rights: role == .viewer ? ["READ"] : ["READ", "CREATE", "WRITE"])
        }
        for name in ["key-a", "key-b"] { try await makeKey(name) }
    }

    private func randomScope() -> AccessModel.Scope {
        AccessModel.Scope(
            types: pick([nil, ["Post"], ["Note"], ["Post", "Note"], ["Elsewhere"]]),
            rights: pick([["READ"], ["READ", "CREATE"], ["READ", "CREATE", "WRITE"], ["CREATE", "WRITE"], ["WRITE"]]))
    }

    private func real(_ scope: AccessModel.Scope) -> KeyScope {
        KeyScope(
            types: scope.types.map { Set($0.compactMap { RecordTypeName($0) }) },
            permissions: scope.rights.reduce(into: Permissions()) { $0.formUnion(Permissions(word: $1) ?? []) })
    }

    private func makeKey(_ name: String) async throws {
        let scope = randomScope()
        keys[name] = try await test.makeKey(name, real(scope))
        model.scopes[name] = scope
    }

    /// Gives a key another scope or token, or revokes it and creates another one of the same name: the old token is
    /// rejected at once.
    func changeKey() async throws {
        let name = pick(["key-a", "key-b"])
        let old = try #require(keys[name])
        switch random.next() % 3 {
        case 0:
            let scope = randomScope()
            _ = try await test.database.apiKeys.change(old.key.id, scope: real(scope), by: .server)
            model.scopes[name] = scope
        case 1:
            keys[name] = try await test.database.apiKeys.rotate(old.key.id, overlap: 0, by: .server)
            #expect(throws: RecordError.self) { try self.test.caller(old.token) }
        default:
            try await test.database.apiKeys.revoke(old.key.id, by: .server)
            #expect(throws: RecordError.self) { try self.test.caller(old.token) }
            try await makeKey(name)
        }
    }
}
