#if FOGBASE_MACROS

    import FogbaseClient
    import Foundation
    import TestSupport
    import Testing

    /// The README's Swift sample and its curl commands, on one server.
    @Suite struct ReadmeExampleTests {
        @RecordCodable("NewsArticle")
        struct Article {
            enum State: String, FieldConvertible { case draft, published }

            var title: String
            var topics: [String]
            var state = State.draft
            @Field("publishedAt") var date: Date?
        }

        func run(_ app: Container) async throws {
            do {
                try await app.signIn("mia", password: "correct horse battery")
            } catch FogbaseError.authenticationFailed {
                try await app.signUp("mia", password: "correct horse battery")
            }
            let database = app.publicDatabase

            try await database.create(Article(title: "Fog", topics: ["fog"], state: .published, date: Date()))
            let ready = Query<Article>(\.state == .published && \.date != nil).filter(.topics, anyIn: ["sea", "fog"])
            for try await article in database.records(ready.sorted(by: \.date)) { print(article.title) }
        }

        @Test(arguments: [["curl", "Swift", "Swift", "curl"], ["Swift", "curl", "curl", "Swift"]])
        func `curl's part and Swift's run on one server, in any order and again`(order: [String]) async throws {
            let live = try LiveServer()
            let url = live.url
            var rounds = 0
            for part in order {
                guard part == "Swift" else {
                    #expect(try Self.paste(url).contains("serverErrorCode") == false)
                    continue
                }
                do {
                    try await run(Fogbase(url).container())
                } catch {
                    print("Failed: \(error)")
                }
                rounds += 1
                let database = live.administrator.publicDatabase
                #expect(try await database.count(Query<Article>()) == rounds)
            }
        }

        /// Pastes the README's commands into a shell; returns their output.
        private static func paste(_ url: URL) throws -> String {
            let folder = try TestDirectory()
            let shell = Process()
            shell.executableURL = URL(fileURLWithPath: "/bin/bash")
            shell.arguments = ["--norc", "-e", "-c", try ManualText.blocks("README.md", "sh").joined(separator: "\n")]
            shell.currentDirectoryURL = folder.url
            shell.environment = ProcessInfo.processInfo.environment.merging([
                "URL": url.absoluteString, "FOGBASE_ADMIN_TOKEN": LiveServer.administratorToken, "no_proxy": "*",
            ]) { $1 }
            let output = Pipe()
            shell.standardOutput = output
            shell.standardError = output
            try shell.start()
            let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
            shell.waitUntilExit()
            #expect(shell.terminationStatus == 0, "\(text)")
            return text
        }
    }

#endif
