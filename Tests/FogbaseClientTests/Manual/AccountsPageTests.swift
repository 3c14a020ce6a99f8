#if FOGBASE_MACROS

    import FogbaseClient
    import Foundation
    import Testing

    @Suite struct AccountsPageTests {
        @RecordCodable
        struct Diary {
            var text: String
        }

        func greeting(_ container: Container) async throws -> String {
            switch try await container.accountStatus() {
            case .available(let user): return "Hello, \(user.name ?? "guest")"
            case .noAccount: return "Sign in to write"
            case .temporarilyUnavailable(let error): return "Later: \(error.reason)"
            case .couldNotDetermine(let error): return "Check the address: \(error.reason)"
            }
        }

        func signIn(_ container: Container, _ name: String, _ password: String) async throws -> String {
            do {
                return try await container.signIn(name, password: password, label: "phone").recordName
            } catch FogbaseError.authenticationFailed {
                return "Name or password are wrong."
            } catch FogbaseError.throttled(let error) {
                return "Too many attempts; wait \(error.retryAfter ?? .seconds(60))."
            }
        }

        @Test func `accounts do what the page says`() async throws {
            let live = try LiveServer(settings: ["FOGBASE_ACCOUNTS_ANONYMOUS": "on"])
            let url = live.url
            let folder = try TestDirectory().url

            let tokens = FileTokenStore(folder.appendingPathComponent("session"))
            let container = Fogbase(url, tokens: tokens).container()
            let anna = try await container.signUp("anna", password: "correct horse battery", label: "phone")
            print(anna.recordName)
            #expect(try await greeting(container) == "Hello, anna")
            let again = Fogbase(url, tokens: FileTokenStore(folder.appendingPathComponent("session"))).container()
            #expect(try await again.accountStatus().user == anna)

            for session in try await container.sessions() where !session.isCurrent {
                print(session.label ?? "", session.usedAt)
                try await container.endSession(session)
            }
            try await container.changePassword(from: "correct horse battery", to: "another horse")

            let database = container.publicDatabase
            var page = try await database.create(Diary(text: "Mine"), access: .onlyCreator)
            page.metadata.access = [.creator(.readWrite), .role("editors", .read)]
            try await live.put(#"{"members":[]}"#, "roles", "editors")
            page = try await database.save(page)
            #expect(page.metadata.access?["role:editors"] == .read)

            try await container.signOut()
            #expect(try await greeting(container) == "Sign in to write")
            #expect(try await signIn(container, "anna", "wrong horse") == "Name or password are wrong.")
            #expect(try await signIn(container, "anna", "another horse") == anna.recordName)

            let visitor = Fogbase(url).container()
            let guest = try await visitor.signUpAnonymously()
            _ = try await visitor.privateDatabase.create(Diary(text: "Before I had a name"))
            let bert = try await visitor.nameAccount("bert", password: "correct horse battery")
            #expect(guest.recordName == bert.recordName && guest.isAnonymous && !bert.isAnonymous)

            let me = try await visitor.currentUser()
            print(me.recordName, me.roles, me.usage?.records ?? 0)
            try await visitor.deleteAccount(password: "correct horse battery")
            #expect(try await visitor.accountStatus() == .noAccount)
        }
    }

#endif
