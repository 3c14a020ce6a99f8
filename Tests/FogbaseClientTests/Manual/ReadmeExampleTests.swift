#if FOGBASE_MACROS

    import FogbaseClient
    import Foundation
    import Testing

    /// What the README shows of the five applications, beside what it shows of curl.
    @Suite struct ReadmeExampleTests {
        @RecordCodable
        struct Message {
            var thread: String
            var title: String
            var good = 0
        }

        @RecordCodable
        struct Product {
            var name: String
            var salesPrice: Int
            var image: Asset?
        }

        @RecordCodable
        struct Appointment {
            var title: String
            var start: Date
        }

        @RecordCodable
        struct Measurement {
            var time: Date
        }

        @RecordCodable("NewsArticle")
        struct Article {
            enum State: String, FieldConvertible { case draft, published }

            var title: String
            var topics: [String]
            var state = State.draft
            @Field("publishedAt") var date: Date?
        }

        private let photo = Data("no picture".utf8)
        private let noon = Date()
        private let kept = ChangeToken?.none
        private let halfYearAgo = Date(timeIntervalSinceNow: -183 * 86_400)

        func run(_ app: Container) async throws {
            do {
                try await app.signIn("mia", password: "correct horse battery")
            } catch FogbaseError.authenticationFailed {
                try await app.signUp("mia", password: "correct horse battery")
            }
            let database = app.publicDatabase

            do {
                try await database.create(Message(thread: "sea", title: "Waves"), named: "sea, Waves")
            } catch FogbaseError.exists(let refusal) {
                print(refusal.reason)
            }
            try await database.change(Message.self, "sea, Waves", .increment(.good))
            let best = Query<Message>().filter(.thread, equals: "sea").sorted(by: .good, ascending: false).limit(to: 20)
            for message in try await database.fetch(best).items { print(message.title, message.good) }

            let image = try await database.upload(photo, contentType: "image/jpeg")
            try await database.create(Product(name: "Frame", salesPrice: 500, image: image))
            let offers = Query<Product>().filter(\.salesPrice, in: 100...500).sorted(by: \.salesPrice)
            for product in try await database.fetch(offers).items { print(product.name, product.image?.size ?? 0) }

            try await database.create(Appointment(title: "Lunch", start: noon), access: .onlyCreator)
            for try await event in database.changeFeed(of: Appointment.self, since: kept) {
                guard case .changes(let page) = event else { continue }
                print(page.items.map(\.title), page.deleted)
                if !page.moreComing { break }
            }

            try await database.create(Measurement(time: halfYearAgo.addingTimeInterval(-60)))
            let deletion = database.deleteInBackground(Query<Measurement>().filter(.time, lessThan: halfYearAgo))
            for await progress in deletion.progress { print("\(Int(progress.fraction * 100)) %") }
            print(try await deletion.value.changed)

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
                    print("Refused: \(error)")
                }
                rounds += 1
                let database = live.administrator.publicDatabase
                #expect(try await database.fetch(Message.self, "sea, Waves").good == rounds)
                #expect(try await database.count(Query<Product>()) == rounds)
                #expect(try await database.count(Query<Appointment>()) == rounds)
                #expect(try await database.count(Query<Measurement>()) == 0)
                #expect(try await database.count(Query<Article>()) == rounds, "The last one: nothing was refused")
            }
        }

        /// Pastes the README's commands into a shell; returns what they print.
        private static func paste(_ url: URL) throws -> String {
            let folder = try TestFolder()
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
            try LiveServer.starting.withLock { try shell.run() }
            let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
            shell.waitUntilExit()
            #expect(shell.terminationStatus == 0, "\(text)")
            return text
        }
    }

#endif
