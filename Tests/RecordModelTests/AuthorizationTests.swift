import RecordModel
import TestSupport
import Testing

/// The table of permissions by caller.
struct AuthorizationTests {
    static let ann = Caller.user(1, roles: [:])
    static let bob = Caller.user(2, roles: [:])

    static func editor() throws -> (role: RoleName, caller: Caller) {
        let role = try #require(RoleName("editors"))
        return (role, .user(3, roles: [role: 1]))
    }

    static func type(_ grants: Grants) -> RecordTypeDefinition {
        RecordTypeDefinition(id: 1, name: postName, grants: grants)
    }

    static let postName: RecordTypeName = {
        guard let name = RecordTypeName("Post") else { preconditionFailure("Post is a name") }
        return name
    }()

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
        Row(caller: .administrator(.bootstrap), action: .write, creator: 1, decision: .allowed),
    ]

    @Test(arguments: standard)
    func `the standard grants let anyone read, the signed-in create, creators write`(row: Row) {
        let decision = Authorization.authorize(
            row.caller, row.action, in: .publicDatabase, type: Self.type(.standard), RecordFacts(creator: row.creator))
        #expect(decision == row.decision)
    }

    @Test func `without grants a creator may read its own records and nothing else`() {
        let scope = DatabaseScope.publicDatabase
        let none = Grants()
        #expect(
            Authorization.authorize(Self.ann, .read, in: scope, type: Self.type(none), RecordFacts(creator: 1))
                == .allowed)
        #expect(
            Authorization.authorize(Self.ann, .read, in: scope, type: Self.type(none), RecordFacts(creator: 2))
                == .denied)
        #expect(
            Authorization.authorize(Self.ann, .write, in: scope, type: Self.type(none), RecordFacts(creator: 1))
                == .denied)
        #expect(
            Authorization.authorize(Self.ann, .create, in: scope, type: Self.type(none), RecordFacts(creator: nil))
                == .denied)
        #expect(
            Authorization.authorize(.anonymous, .read, in: scope, type: Self.type(none), RecordFacts(creator: nil))
                == .authenticationRequired
        )
        #expect(Authorization.permitted(of: .read, for: Self.ann, in: scope, type: Self.type(none)) == .own(1))
        #expect(Authorization.permitted(of: .read, for: .anonymous, in: scope, type: Self.type(none)) == .none)
    }

    @Test func `a custom role gives its holders its grants`() throws {
        let (role, editor) = try Self.editor()
        let grants = Grants([role: [.write]])
        #expect(
            Authorization.authorize(
                editor, .write, in: .publicDatabase, type: Self.type(grants), RecordFacts(creator: 1))
                == .allowed)
        #expect(
            Authorization.authorize(
                Self.ann, .write, in: .publicDatabase, type: Self.type(grants), RecordFacts(creator: 1))
                == .denied)
        #expect(
            Authorization.authorize(
                editor, .create, in: .publicDatabase, type: Self.type(grants), RecordFacts(creator: nil))
                == .denied)
    }

    @Test func `CREATE for creators means any signed-in caller`() {
        let grants = Grants([.creator: .create])
        #expect(
            Authorization.authorize(
                Self.ann, .create, in: .publicDatabase, type: Self.type(grants), RecordFacts(creator: nil))
                == .allowed)
        #expect(
            Authorization.authorize(
                .anonymous, .create, in: .publicDatabase, type: Self.type(grants), RecordFacts(creator: nil))
                == .authenticationRequired)
    }

    @Test func `only the owner accesses a private database, whatever is granted`() {
        let scope = DatabaseScope.privateDatabase(owner: 1)
        let all = Grants([.world: .all])
        for action in [Action.create, .read, .write] {
            #expect(
                Authorization.authorize(
                    Self.ann, action, in: scope, type: Self.type(Grants()), RecordFacts(creator: nil))
                    == .allowed)
            #expect(
                Authorization.authorize(Self.bob, action, in: scope, type: Self.type(all), RecordFacts(creator: 2))
                    == .denied)
            #expect(
                Authorization.authorize(.anonymous, action, in: scope, type: Self.type(all), RecordFacts(creator: nil))
                    == .authenticationRequired)
            #expect(
                Authorization.authorize(
                    .administrator(.bootstrap), action, in: scope, type: Self.type(Grants()), RecordFacts(creator: nil))
                    == .allowed)
        }
    }

    // MARK: Services and administrators

    /// A key for the type's reading, one for all types' writing, one for nothing.
    static func service(_ types: Set<RecordTypeName>?, _ permissions: Permissions) -> Caller {
        .service(ServiceKey(account: 20, scope: KeyScope(types: types, permissions: permissions)))
    }

    @Test func `a key has the rights of its scope, whatever grants and access lists say`() throws {
        let other = try #require(RecordTypeName("Other"))
        let list = StoredAccess.encode(AccessList([.user(7): .read]))
        for grants in [Grants(), Grants([.world: .all])] {
            let type = Self.type(grants)
            for access in [nil, list] {
                let record = RecordFacts(creator: 1, access: access)
                func decide(_ caller: Caller, _ action: Action) -> Decision {
                    Authorization.authorize(caller, action, in: .publicDatabase, type: type, record)
                }
                #expect(decide(Self.service([Self.postName], .read), .read) == .allowed)
                #expect(decide(Self.service([Self.postName], .read), .write) == .denied)
                #expect(decide(Self.service([other], .all), .read) == .denied)
                #expect(decide(Self.service(nil, [.read, .write]), .write) == .allowed)
                #expect(decide(Self.service(nil, [.read, .write]), .create) == .denied)
                #expect(decide(Self.service(nil, []), .read) == .denied)
            }
        }
    }

    @Test func `no key and no administrator but an owner enters a private database`() {
        let scope = DatabaseScope.privateDatabase(owner: 20)
        let type = Self.type(Grants([.world: .all]))
        func permitted(_ caller: Caller) -> PermittedRecords {
            Authorization.permitted(of: .read, for: caller, in: scope, type: type)
        }
        #expect(permitted(Self.service(nil, .all)) == .none)
        for role in AdministratorRole.allCases {
            let caller = Caller.administrator(Administrator(id: 3, role: role))
            #expect(permitted(caller) == (role == .owner ? .all : .none))
        }
    }

    @Test func `an administrator has the rights of its role over records and the server`() {
        let none = Self.type(Grants())
        for role in AdministratorRole.allCases {
            let caller = Caller.administrator(Administrator(id: 3, role: role))
            for action in [Action.create, .read, .write] {
                let decision = Authorization.authorize(caller, action, in: .publicDatabase, type: none, .new)
                #expect(decision == (role != .viewer || action == .read ? .allowed : .denied))
            }
            func may(_ operation: AdministratorOperation) -> Bool {
                Authorization.authorize(caller, operation) == .allowed
            }
            #expect(may(.readSchema))
            #expect(may(.changeSchema) == (role == .owner || role == .developer))
            #expect(may(.manageAdministrators) == (role == .owner))
            #expect(may(.readAudit) == (role == .owner))
        }
        for operation in AdministratorOperation.allCases {
            #expect(Authorization.authorize(.anonymous, operation) == .authenticationRequired)
            #expect(Authorization.authorize(Self.ann, operation) == .denied)
            let key = KeyScope(permissions: .all, operations: [operation])
            let caller = Caller.service(ServiceKey(account: 20, scope: key))
            for other in AdministratorOperation.allCases {
                #expect(Authorization.authorize(caller, other) == (other == operation ? .allowed : .denied))
            }
        }
    }
}
