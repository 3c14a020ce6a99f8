import RecordModel
import TestSupport
import Testing

/// The bytes of access lists and of former readers: part of the storage format.
@Suite struct StoredAccessTests {
    private static func bytes(_ number: Int64) -> [UInt8] {
        withUnsafeBytes(of: number.littleEndian) { Array($0) }
    }

    @Test func `a role is stored below zero, everyone as zero, a user above`() throws {
        let principals: [(Principal, Int64)] = [(.role(9), -9), (.role(7), -7), (.everyone, 0), (.user(7), 7)]
        for (principal, number) in principals {
            #expect(principal.number == number)
            #expect(Principal(number: number) == principal)
        }
        #expect(principals.map(\.0).shuffled().sorted() == principals.map(\.0))
        #expect(Principal(number: .min) == nil)
        #expect(Principal(number: .max) == nil)
    }

    @Test func `a list is entries of nine bytes in the order of its principals`() {
        let list = AccessList([.user(300): .readWrite, .everyone: .read, .role(2): .write, .user(4): []])
        let stored = Self.bytes(-2) + [2] + Self.bytes(0) + [1] + Self.bytes(300) + [3]
        #expect(StoredAccess.encode(list) == stored)
        #expect(StoredAccess.decode(stored) == list)
        #expect(StoredAccess.readers(stored) == [.everyone, .user(300)])
    }

    @Test func `invalid entries of a list are ignored`() {
        let stored = Self.bytes(.min) + [3] + Self.bytes(5) + [1] + Self.bytes(.max) + [3] + Self.bytes(6)
        #expect(StoredAccess.decode(stored) == AccessList([.user(5): .read]))
    }

    @Test func `former readers are sixteen bytes each after a mark`() {
        let losses: [FormerReader: Int64] = [.principal(.user(3)): 40, .byGrants: 41, .principal(.role(3)): 42]
        let stored = [.max, .min, 41, -3, 42, 3, 40].flatMap(Self.bytes)
        #expect(StoredFormerReaders.encode(losses) == stored)
        #expect(StoredFormerReaders.decode(stored) == losses)
    }

    @Test func `former readers without a mark count as having lost access just now`() {
        let stored = [.min, 0, 3].flatMap(Self.bytes)
        #expect(
            StoredFormerReaders.decode(stored)
                == [.byGrants: .max, .principal(.everyone): .max, .principal(.user(3)): .max])
    }

    @Test func `a reader that gets access again is no former reader`() {
        let ann = StoredAccess.encode(AccessList([.user(3): .read, .user(4): .write]))
        let losses = StoredFormerReaders.losses(nil, before: nil, after: ann, at: 8)
        #expect(losses == [.byGrants: 8])
        let later = StoredFormerReaders.losses(StoredFormerReaders.encode(losses), before: ann, after: nil, at: 9)
        #expect(later == [.principal(.user(3)): 9])
    }

    @Test func `a role has its holders, a user itself, and everyone all`() throws {
        let editors = try #require(RoleName("editors"))
        let caller = Caller.user(7, roles: [editors: 8])
        #expect(caller.principals == [.role(8), .everyone, .user(7)])
        #expect(Caller.anonymous.principals == [.everyone])
        let judged = try [Principal.role(8), .everyone, .user(7), .role(7), .user(8)].map { principal in
            let type = RecordTypeDefinition(
                id: 1, name: try #require(RecordTypeName("Post")), grants: Grants([.world: .read]), fields: [])
            let record = RecordFacts(creator: 9, access: StoredAccess.encode(AccessList([principal: .read])))
            return Authorization.judge(caller, .read, in: .publicDatabase, type: type, record).rule
        }
        #expect(judged == [.listed(.role(8)), .listed(.everyone), .listed(.user(7)), .unlisted, .unlisted])
    }

    @Test func `administrators are stored below zero among callers, the server's own token as a writer`() {
        let administrator = Caller.administrator(Administrator(id: 3, role: .viewer))
        #expect(administrator.identityID == -3)
        #expect(administrator.writerID == .administrator)
        #expect(Caller.administrator(.bootstrap).identityID == 1)
        #expect(Caller.anonymous.identityID == 0)
        #expect(Caller.user(17, roles: [:]).identityID == 17)
        #expect([UserID.nobody, .administrator, .gone].map(\.rawValue) == [0, 1, 2])
    }
}
