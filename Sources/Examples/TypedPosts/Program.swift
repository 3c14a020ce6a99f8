import ExampleSupport
import FogbaseClient
import Foundation

/// Models and queries that the compiler checks.
@main enum Program {
    static func main() async {
        await Example.run("Typed models, queries, partial models and pages.") { example in
            let app = Fogbase(example.server).container()
            let user = try await app.signUp(Example.fresh("writer"), password: "correct horse battery")
            let database = app.publicDatabase
            let mine = Query<Post>().filter(.author, equals: user.recordName)

            try await seed(database, user.recordName)
            try await ask(database, mine, example)
            try await turnPages(database, mine, example)
            try await readLess(database, user.recordName, example)
            try await write(database, mine, example)
        }
    }

    /// Creates forty-five posts in one atomic request.
    private static func seed(_ database: Database, _ author: String) async throws {
        var batch = Batch()
        for number in 1...45 {
            let post = Post(
                author: author, title: "Post \(number)", text: "The text of post \(number).",
                topics: number.isMultiple(of: 2) ? ["even", "sea"] : ["odd"],
                state: number.isMultiple(of: 5) ? .draft : .published, good: number % 10,
                subtitle: number > 40 ? "One of the last" : nil,
                date: Date(timeIntervalSince1970: 1_700_000_000 + TimeInterval(number * 3_600)))
            try batch.create(post)
        }
        try await database.perform(batch)
    }

    /// One query written in three ways: field names, properties, and text.
    private static func ask(_ database: Database, _ mine: Query<Post>, _ example: Example) async throws {
        let byField = mine.filter(.topics, anyIn: ["sea", "sky"]).filter(.good, in: 2...6)
            .sorted(by: .good, ascending: false).sorted(by: .date).debug { example.say("  \($0)") }.limit(to: 3)
        let page = try await database.fetchCounting(byField)
        try example.check("\(page.count ?? 0) posts about the sea have 2 to 6 likes", page.count == 14)
        try example.check("the most liked come first, the older before", page.items.map(\.good) == [6, 6, 6])

        let byProperty = mine.filter(\.good >= 2 && \.good <= 6).filter(\.topics, contains: "sea")
        let byText = mine.filter("good BETWEEN {%d, %d} AND topics CONTAINS %@", 2, 6, "sea")
        let counts = (try await database.count(byProperty), try await database.count(byText))
        try example.check("properties and text ask for the same", counts == (14, 14))

        let drafts = try await database.count(mine.filter(\.state == .draft || \.title == "Post 1"))
        try example.check("conditions are joined by or as well", drafts == 10)
        let last = try await database.fetch(mine.filter(\.subtitle != nil)).items
        try example.check("an absent field is nil", last.map(\.title) == (41...45).map { "Post \($0)" })
    }

    /// Loads pages one by one, as for a scrolling list, and all records in a loop.
    private static func turnPages(_ database: Database, _ mine: Query<Post>, _ example: Example) async throws {
        let query = mine.sorted(by: \.date).limit(to: 20)
        var page = try await database.fetch(query)
        var sizes = [page.items.count]
        while let cursor = page.next {
            page = try await database.fetch(after: cursor)
            sizes.append(page.items.count)
        }
        try example.check("cursors lead from page to page", sizes == [20, 20, 5])
        var titles: [String] = []
        for try await post in database.records(query) { titles.append(post.title) }
        try example.check("a loop reads all pages", titles == (1...45).map { "Post \($0)" })
    }

    private static func readLess(_ database: Database, _ author: String, _ example: Example) async throws {
        let query = Query<PostTitle>().filter(.author, equals: author).sorted(by: .title).limit(to: 1)
        let title = try await database.first(query)
        try example.check("a model with fewer fields is read from the same records", title?.title == "Post 1")
        let record = try await database.fetch("BlogPost", title?.id ?? "", fields: ["title", "good"])
        let fields = record.fields.keys.sorted()
        try example.check("a record has the fields that were asked for", fields == ["good", "title"])
    }

    private static func write(_ database: Database, _ mine: Query<Post>, _ example: Example) async throws {
        guard var post = try await database.first(mine.filter(\.title == "Post 41")) else {
            throw ExampleFailure("there is no post 41")
        }
        post.title = "Post forty-one"
        post.subtitle = nil
        post.isSelected = true
        let saved = try await database.save(post)
        try example.check("a property is set as if the record had it", saved.title == "Post forty-one")
        try example.check("nil takes a field away", saved.subtitle == nil && !saved.isSelected)

        let drafts = mine.filter(\.state == .draft)
        let outcome = try await database.change(matching: drafts, .set(.state, Post.State.published))
        try example.check("\(outcome.changed) drafts are published in one call", outcome.changed == 9)
        try example.check("no draft is left", try await database.count(drafts) == 0)
    }
}
