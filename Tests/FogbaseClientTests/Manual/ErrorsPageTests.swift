#if FOGBASE_MACROS

    import FogbaseClient
    import Foundation
    import Testing

    @Suite struct ErrorsPageTests {
        @RecordCodable
        struct Letter {
            var title: String
        }

        func advice(_ error: FogbaseError) -> String {
            switch error {
            case .notAuthenticated: return "Sign in, please."
            case .accessDenied: return "You may not change this."
            case .notFound: return "It was deleted."
            case .exists: return "This name is already in use."
            case .quotaExceeded: return "Your storage is full."
            case .unreachable, .responseLost: return "There is no connection."
            case _ where error.isRetryable: return "The server is busy."
            default: return "Something is wrong: \(error.reason)"
            }
        }

        @Test func `an app reports its errors`() async throws {
            let server = InMemoryServer()
            let database = server.makeClient(retry: .never).container().publicDatabase
            var told: [String] = []
            do {
                let letter = try await database.create(Letter(title: "Fog"))
                print(letter.id)
            } catch let error as FogbaseError {
                print(advice(error), error.status ?? 0, error.serverError?.requestID ?? "")
            }
            do { _ = try await database.create(Letter(title: "Fog")) } catch let error as FogbaseError {
                told.append(advice(error))
            }
            await server.failNext(.unreachable("no network"))
            await server.failNext(status: 503)
            await server.failNext(status: 413)
            for _ in 1...3 {
                do { _ = try await database.count(Query<Letter>()) } catch let error as FogbaseError {
                    told.append(advice(error))
                }
            }
            #expect(told.prefix(3) == ["Sign in, please.", "There is no connection.", "The server is busy."])
            #expect(told.count == 4)
        }

        @Test func `an app sets its retry policy, and a canceled task ends the waiting`() async throws {
            let server = InMemoryServer()
            let url = server.url

            let patient = RetryPolicy(attempts: 6, firstDelay: .milliseconds(500), longestDelay: .seconds(60))
            let background = Fogbase(url, retry: patient, transport: server).container()
            let screen = Fogbase(url, retry: .never, transport: server).container()
            #expect(patient.attempts == 6)
            await server.failNext(status: 503)
            let error = await #expect(throws: FogbaseError.self) { try await screen.currentUser() }
            #expect(error?.isRetryable == true)

            #expect(try await background.publicDatabase.count(Query<Letter>()) == 0)

            // The call is still running when it is canceled: its retry waits for an hour.
            let waiting = RetryPolicy(attempts: 6) { _ in try await Task.sleep(for: .seconds(3_600)) }
            await server.failNext(status: 503)
            let database = Fogbase(url, retry: waiting, transport: server).container().publicDatabase
            let search = Task { try await database.fetch(Query<Letter>().filter(\.title, beginsWith: "Fog")) }
            search.cancel()
            await #expect(throws: CancellationError.self) { try await search.value }
        }

        @Test func `each operation of a batch has its own result`() async throws {
            let server = InMemoryServer(administratorToken: "all")
            let database = server.makeClient(tokens: MemoryTokenStore("all")).container().publicDatabase
            try await database.create(Letter(title: "Dunes"), named: "dunes")

            var batch = Batch()
            for name in ["dunes", "waves"] { try batch.create(Letter(title: name), named: name) }
            let outcome = try await database.perform(batch, atomically: false)
            for (position, error) in outcome.failures {
                print("Operation \(position): \(error.reason)")
            }
            #expect(outcome.failures.keys.sorted() == [0])
            #expect(await server.recordCount("Letter") == 2)
        }
    }

#endif
