import FogbaseClient
import Foundation
import RecordWire
import Testing

@Suite struct SearchTests {
    @Test func `the server reads the body of a search`() throws {
        let search = Search<Article>("red bell").ranked(weights: [.title: 3, .author: 0.5])
            .highlighting(.title, .topics, length: 40)
        let query = Query(search).filter("%K CONTAINS_ANY_TOKENS %@", "title", "x*")
        let input = try QueryInput.read(try query.body().bytes)
        #expect(input.condition == "(SELF CONTAINS_ALL_TOKENS %@) AND (%K CONTAINS_ANY_TOKENS %@)")
        #expect(input.arguments == [.string("red bell"), .string("title"), .string("x*")])
        #expect(input.sort == [SortInput(name: "rank(author^0.5,title^3.0)", isAscending: false)])
        #expect(input.highlight == ["title", "topics"] && input.highlightLength == 40)
    }

    @Test func `a page has its texts with the words found`() async throws {
        let body = #"""
            {"records":[],"highlights":[{"title":{"parts":[{"text":"a "},{"text":"Bell","match":true}],
            "cutAfter":true},"later":{"parts":[]}},{}]}
            """#
        let url = try #require(URL(string: "http://127.0.0.1"))
        let database = Fogbase(url, transport: StubTransport(200, body)).container().publicDatabase
        let page = try await database.fetch(Query(Search<Article>("bell").highlighting(.title)))
        try #require(page.highlights.count == 2)
        let highlight = try #require(page.highlights[0][.title])
        #expect(
            highlight
                == Highlight(
                    parts: [.init(text: "a ", isMatch: false), .init(text: "Bell", isMatch: true)], isCutAfter: true))
        #expect(highlight.text == "a Bell")
        #expect(page.highlights[1].isEmpty)
    }

    @Test func `the server in memory searches every text`() async throws {
        let container = InMemoryServer().makeClient().container()
        try await container.signUp("ann", password: "correct horse")
        let database = container.publicDatabase
        for (title, topics) in [("Red bells", ["sea"]), ("A blue bell", ["fog"]), ("\u{30CD}\u{30B3}", ["bell"])] {
            var article = Article()
            (article.title, article.topics) = (title, topics)
            _ = try await database.create(article)
        }
        func titles(_ query: Query<Article>) async throws -> [String] {
            try await database.fetch(query).items.map(\.model.title)
        }
        #expect(try await titles(Query(Search("BELL"))) == ["A blue bell", "\u{30CD}\u{30B3}"])
        #expect(try await titles(Query(Search("bell*", in: .title))) == ["Red bells", "A blue bell"])
        #expect(try await titles(Query(Search("red fog", for: .any))) == ["Red bells", "A blue bell"])
        #expect(try await titles(Query(Search("\u{306D}\u{3053}"))) == ["\u{30CD}\u{30B3}"])
        await #expect(throws: FogbaseError.self) { _ = try await titles(Query(Search("red").ranked())) }
    }
}
