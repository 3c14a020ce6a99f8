import FogbaseClient
import Foundation
import Testing

@Suite struct BatchTests {
    private struct Note: Codable, RecordCodable, Equatable {
        enum Fields: String, RecordFields, CaseIterable { case title, good }

        var title: String
        var good: Int?
    }

    @Test func `a batch of which an operation is rejected throws its error and does nothing`() async throws {
        let server = try LiveServer()
        let database = server.administrator.publicDatabase
        try await database.create(Note(title: "there"), named: "there")
        var batch = Batch()
        let made = try batch.create(Note(title: "new"), named: "new")
        let taken = try batch.create(Note(title: "again"), named: "there")
        do {
            try await database.perform(batch)
            Issue.record("It was done")
        } catch let error as FogbaseError {
            guard case .exists(let rejection) = error else {
                Issue.record("\(error)")
                return
            }
            #expect(rejection.operation == 1 && rejection.recordName == "there" && rejection.status == 409)
            #expect(error.isAbout(taken) && !error.isAbout(made))
            #expect(error.description.hasSuffix("(record 'there', operation 1 of the batch, counted from 0)"))
            #expect(rejection.requestID != nil)
        }
        await #expect(throws: FogbaseError.self) { _ = try await database.fetch(Note.self, "new") }
        // No operation was executed, so the same batch succeeds once the obstacle is removed.
        try await database.delete(Note.self, "there")
        let outcome = try await database.perform(batch)
        #expect(try outcome[taken].title == "again" && outcome.failures.isEmpty)
        let again = try await database.perform(batch)
        #expect(try again[made].metadata.version == outcome[made].metadata.version)
    }

    @Test func `independent operations have a result each`() async throws {
        let server = try LiveServer()
        let database = server.administrator.publicDatabase
        try await database.create(Note(title: "there"), named: "there")
        var batch = Batch()
        let made = try batch.create(Note(title: "new"), named: "new")
        let taken = try batch.create(Note(title: "again"), named: "there")
        let gone = try batch.delete("Note", "nobody")
        let each = try await database.perform(batch, atomically: false)
        #expect(try each[made].title == "new")
        guard case .exists = each.failures[taken.position], case .notFound = each.failures[gone.position],
            case .failure(.exists(let rejection)) = each.result(of: taken)
        else {
            Issue.record("\(each.failures)")
            return
        }
        #expect(rejection.operation == 1)
        let first = #expect(throws: FogbaseError.self) { try each.check() }
        #expect(first?.isAbout(taken) == true)
        // Performed again, it is answered as before and does nothing.
        let again = try await database.perform(batch, atomically: false)
        #expect(try again[made].metadata.version == each[made].metadata.version)
    }

    @Test func `the error of a single write does not mention a batch`() async throws {
        let server = try LiveServer()
        let database = server.administrator.publicDatabase
        try await database.create(Note(title: "there"), named: "there")
        let error = await #expect(throws: FogbaseError.self) {
            try await database.create(Note(title: "again"), named: "there")
        }
        #expect(error?.serverError != nil && error?.serverError?.operation == nil)
        #expect(error?.description == error?.reason)
    }

    @Test func `an operation of another batch has no result`() async throws {
        let server = InMemoryServer()
        let database = try await Self.writer(server)
        var small = Batch()
        try small.create(Note(title: "one"))
        var other = Batch()
        let first = try other.create(Note(title: "two"))
        let second = try other.create(Note(title: "three"))
        let outcome = try await database.perform(small)
        #expect(throws: FogbaseError.self) { _ = try outcome[first] }
        #expect(throws: FogbaseError.self) { _ = try outcome[second] }
    }

    @Test func `a batch without operations sends no request`() async throws {
        let server = InMemoryServer()
        let database = try await Self.writer(server)
        await server.failNext(.unreachable("nobody is to be asked"), times: 100)
        #expect(try await database.perform(Batch()).failures.isEmpty)
        #expect(try await database.perform(Batch(), atomically: false).failures.isEmpty)
    }

    @Test func `a batch of a thousand is sent in several requests`() async throws {
        let server = try LiveServer()
        let database = server.administrator.publicDatabase
        var batch = Batch()
        for number in 0..<1_000 { try batch.create(Note(title: "\(number)", good: number), named: "n\(number)") }
        try await database.perform(batch, atomically: false).check()
        #expect(try await database.count(Query<Note>()) == 1_000)
        await #expect(throws: FogbaseError.self) { try await database.perform(batch) }
    }

    private static func writer(_ server: InMemoryServer) async throws -> Database {
        let container = server.makeClient().container()
        try await container.signUp("ada", password: "correct horse")
        return container.publicDatabase
    }
}
