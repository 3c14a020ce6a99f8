import RecordModel
import TestSupport
import Testing

/// The visibility computed once for all records of a type, compared with the judgment of each record.
struct VisibilityTests {
    private static func callers() throws -> [Caller] {
        let editors = try #require(RoleName("editors"))
        let type = try #require(RecordTypeName("Post"))
        let other = try #require(RecordTypeName("Other"))
        return [
            .anonymous, .user(1, roles: [:]), .user(2, roles: [editors: 7]), .administrator(.bootstrap),
            .administrator(Administrator(id: 1, role: .viewer)),
            .service(ServiceKey(account: 5, scope: KeyScope(types: [type], permissions: [.read]))),
            .service(ServiceKey(account: 6, scope: KeyScope(types: [other], permissions: [.read, .write]))),
        ]
    }

    private static func types() throws -> [RecordTypeDefinition] {
        let editors = try #require(RoleName("editors"))
        let name = try #require(RecordTypeName("Post"))
        let title = try #require(FieldName("title"))
        let note = try #require(FieldName("note"))
        let grants = [
            Grants.standard, Grants(), Grants([editors: [.read, .write]]), Grants([.world: [.read, .write]]),
        ]
        let readers: [Set<RoleName>?] = [nil, [], [.creator], [editors], [.authenticated]]
        return grants.flatMap { grants in
            readers.map { readers in
                RecordTypeDefinition(
                    id: 1, name: name, grants: grants,
                    fields: [
                        FieldDefinition(id: 1, name: title, type: .string, readers: readers, writers: readers),
                        FieldDefinition(id: 2, name: note, type: .string),
                    ])
            }
        }
    }

    private static func records() -> [RecordFacts] {
        var list = AccessList()
        list[.user(2)].formUnion(.read)
        list[.role(7)].formUnion([.read, .write])
        let access: [[UInt8]?] = [nil, StoredAccess.encode(AccessList()), StoredAccess.encode(list)]
        return [1, 2, 9].flatMap { creator in access.map { RecordFacts(creator: creator, access: $0) } }
    }

    @Test func `it agrees with the judgment of each record`() throws {
        for type in try Self.types() {
            for caller in try Self.callers() {
                for scope in [DatabaseScope.publicDatabase, .privateDatabase(owner: 1)] {
                    let visibility = Visibility(of: type, for: caller, in: scope)
                    func may(_ action: Action, _ record: RecordFacts) -> Bool {
                        Authorization.authorize(caller, action, in: scope, type: type, record) == .allowed
                    }
                    #expect(visibility.reads == Authorization.permitted(of: .read, for: caller, in: scope, type: type))
                    #expect(
                        visibility.writes == Authorization.permitted(of: .write, for: caller, in: scope, type: type))
                    for record in Self.records() {
                        #expect(visibility.mayRead(record) == may(.read, record))
                        #expect(visibility.mayWrite(record) == may(.write, record))
                        #expect(visibility.knows(record) == (may(.read, record) || may(.write, record)))
                        #expect(((try? visibility.requireWriting(record, of: type.name)) != nil) == may(.write, record))
                        let former = StoredFormerReaders.encode([.principal(.user(1)): 5, .principal(.user(2)): 3])
                        let creator = try #require(record.creator)
                        #expect(
                            visibility.couldRead(creator: creator, formerReaders: former, after: 4)
                                == Authorization.couldRead(
                                    caller, in: scope, type: type, creator: creator, formerReaders: former, after: 4))
                        let access = Authorization.fields(of: type, for: caller, in: scope)
                        let isOwn = creator == caller.userID
                        #expect(visibility.unreadable(creator: creator) == access?.unreadable(isOwn: isOwn) ?? [])
                        #expect(visibility.unwritable(creator: creator) == access?.unwritable(isOwn: isOwn) ?? [])
                        for field in 1...2 {
                            let isHidden = access?.unreadable(isOwn: isOwn).contains(field) ?? false
                            #expect(
                                visibility.mayRead(field: field, of: record) == (may(.read, record) && !isHidden))
                        }
                    }
                }
            }
        }
    }
}
