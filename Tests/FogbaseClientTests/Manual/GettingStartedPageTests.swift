#if FOGBASE_MACROS

    import FogbaseClient
    import Foundation
    import Testing

    @discardableResult
    func enter(_ container: Container, as name: String) async throws -> User {
        do {
            return try await container.signIn(name, password: "correct horse battery")
        } catch FogbaseError.authenticationFailed {
            return try await container.signUp(name, password: "correct horse battery")
        }
    }

    @Suite struct GettingStartedPageTests {
        @RecordCodable
        struct Idea {
            var title: String
            var good = 0
        }

        func run(_ url: URL) async throws {
            let container = Fogbase(url).container()
            try await enter(container, as: "pia")
            let database = container.publicDatabase
            let idea = try await database.create(Idea(title: "Fog"))
            try await database.change(idea, .increment(.good))
            for try await idea in database.records(Query<Idea>()) {
                print(idea.title, idea.good, idea.metadata.createdAt)
            }
        }

        func main() async {
            guard let url = URL(string: "http://127.0.0.1:8080") else { fatalError("That is no address") }
            do {
                try await run(url)
            } catch {
                print("Error: \(error)")
            }
        }

        @Test func `the first program runs, and a second time too`() async throws {
            let live = try LiveServer()
            for round in 1...2 {
                try await run(live.url)
                let database = live.administrator.publicDatabase
                #expect(try await database.count(Query<Idea>(\.good == 1)) == round)
            }
        }
    }

#endif
