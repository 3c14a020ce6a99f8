import RecordModel
import Testing

/// The table of who may do what.
struct AuthorizationTests {
    static let ann = Caller.user(1, roles: [:])
    static let bob = Caller.user(2, roles: [:])

    static func editor() throws -> (role: RoleName, caller: Caller) {
        let role = try #require(RoleName("editors"))
        return (role, .user(3, roles: [role: 1]))
    }

    struct Row: Sendable {
        let caller: Caller
        let action: Action
        let creator: UserID?
        let decision: Decision
    }

    static let standard: [Row] = [
        Row(caller: .anonymous, action: .read, creator: 1, decision: .allowed),
        Row(caller: .anonymous, action: .create, creator: nil, decision: .authenticationRequired),
        Row(caller: .anonymous, action: .write, creator: 1, decision: .authenticationRequired),
        Row(caller: ann, action: .create, creator: nil, decision: .allowed),
        Row(caller: ann, action: .read, creator: 2, decision: .allowed),
        Row(caller: ann, action: .write, creator: 1, decision: .allowed),
        Row(caller: bob, action: .write, creator: 1, decision: .denied),
        Row(caller: bob, action: .write, creator: nil, decision: .denied),
        Row(caller: .administrator, action: .write, creator: 1, decision: .allowed),
    ]

    @Test(arguments: standard)
    func `the standard grants let anyone read, the signed-in create, creators write`(row: Row) {
        let decision = Authorization.authorize(
            row.caller, row.action, in: .publicDatabase, grants: .standard, RecordFacts(creator: row.creator))
        #expect(decision == row.decision)
    }

    @Test func `without grants a creator may read what is its own and nothing else`() {
        let scope = DatabaseScope.publicDatabase
        let none = Grants()
        #expect(Authorization.authorize(Self.ann, .read, in: scope, grants: none, RecordFacts(creator: 1)) == .allowed)
        #expect(Authorization.authorize(Self.ann, .read, in: scope, grants: none, RecordFacts(creator: 2)) == .denied)
        #expect(Authorization.authorize(Self.ann, .write, in: scope, grants: none, RecordFacts(creator: 1)) == .denied)
        #expect(
            Authorization.authorize(Self.ann, .create, in: scope, grants: none, RecordFacts(creator: nil)) == .denied)
        #expect(
            Authorization.authorize(.anonymous, .read, in: scope, grants: none, RecordFacts(creator: nil))
                == .authenticationRequired
        )
        #expect(Authorization.reach(of: .read, for: Self.ann, in: scope, grants: none) == .own(1))
        #expect(Authorization.reach(of: .read, for: .anonymous, in: scope, grants: none) == .none)
    }

    @Test func `a custom role gives its holders what it is granted`() throws {
        let (role, editor) = try Self.editor()
        let grants = Grants([role: [.write]])
        #expect(
            Authorization.authorize(editor, .write, in: .publicDatabase, grants: grants, RecordFacts(creator: 1))
                == .allowed)
        #expect(
            Authorization.authorize(Self.ann, .write, in: .publicDatabase, grants: grants, RecordFacts(creator: 1))
                == .denied)
        #expect(
            Authorization.authorize(editor, .create, in: .publicDatabase, grants: grants, RecordFacts(creator: nil))
                == .denied)
    }

    @Test func `CREATE for creators means any signed-in caller`() {
        let grants = Grants([.creator: .create])
        #expect(
            Authorization.authorize(Self.ann, .create, in: .publicDatabase, grants: grants, RecordFacts(creator: nil))
                == .allowed)
        #expect(
            Authorization.authorize(.anonymous, .create, in: .publicDatabase, grants: grants, RecordFacts(creator: nil))
                == .authenticationRequired)
    }

    @Test func `a private database is its owner's, whatever is granted`() {
        let scope = DatabaseScope.privateDatabase(owner: 1)
        let all = Grants([.world: .all])
        for action in [Action.create, .read, .write] {
            #expect(
                Authorization.authorize(Self.ann, action, in: scope, grants: Grants(), RecordFacts(creator: nil))
                    == .allowed)
            #expect(
                Authorization.authorize(Self.bob, action, in: scope, grants: all, RecordFacts(creator: 2)) == .denied)
            #expect(
                Authorization.authorize(.anonymous, action, in: scope, grants: all, RecordFacts(creator: nil))
                    == .authenticationRequired)
            #expect(
                Authorization.authorize(.administrator, action, in: scope, grants: Grants(), RecordFacts(creator: nil))
                    == .allowed)
        }
    }
}
