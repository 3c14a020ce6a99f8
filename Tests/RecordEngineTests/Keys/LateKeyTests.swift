import RecordEngine
import RecordModel
import Testing

/// Rights that a key has lost while its request waited for its turn.
@Suite struct LateKeyTests {
    @Test(arguments: [true, false])
    func `members of roles are not changed with a revoked right`(isMember: Bool) async throws {
        let test = try TestDatabase()
        let ann = try await test.signUp("ann").session.user
        let name = try #require(RoleName("editors"))
        try await test.database.roles.put(name, members: isMember ? [] : [ann.recordName])
        let key = try await test.makeKey("sync", KeyScope(permissions: .read, operations: [.changeRights]))
        let actor = AuditActor(caller: try test.caller(key.token))
        func change() async -> RecordError? {
            await rejection {
                _ = try await test.database.roles.setMember(ann.recordName, of: name, isMember: isMember, by: actor)
            }
        }
        _ = try await test.database.apiKeys.change(key.key.id, scope: KeyScope(permissions: .read), by: .server)
        #expect(await change()?.code == .accessDenied)
        try test.reader.refresh()
        #expect(try test.reader.roles.find(name)?.members == (isMember ? [] : [ann.recordName]))
        let scope = KeyScope(permissions: .read, operations: [.changeRights])
        _ = try await test.database.apiKeys.change(key.key.id, scope: scope, by: .server)
        #expect(await change() == nil)
    }
}
