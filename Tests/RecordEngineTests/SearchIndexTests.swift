import Foundation
import RecordEngine
import RecordModel
import RecordWire
import TestSupport
import Testing
import TextSearch

/// Searches for words, as plans use their indexes, and their rank.
@Suite struct SearchIndexTests {
    private static let fields = """
        "title":{"type":"STRING","indexes":["SEARCHABLE"]},"tags":{"type":"STRING_LIST","indexes":["SEARCHABLE"]},
        "body":{"type":"STRING"},"n":{"type":"INT64","indexes":["QUERYABLE","SORTABLE"]}
        """

    private func sample() async throws -> TestDatabase {
        let test = try TestDatabase(.production)
        try await test.putType(fields: Self.fields, indexes: #"[{"fields":["body[contains]"]}]"#)
        try await test.createAll(
            (0..<300).map { number in
                let title = number % 3 == 0 ? "Red caf\u{E9} \(number)" : "blue \u{732B}\u{3068}\u{72AC} \(number)"
                return (
                    "p\(number)",
                    #""title":"\#(title)","tags":["t\#(number % 7)","common"],"n":\#(number),"body":"x abcdef \#(number)""#
                )
            })
        return test
    }

    @Test func `words are found through postings, by id and in another order`() async throws {
        let test = try await sample()
        let one = try await test.query("title CONTAINS_ANY_TOKENS 'CAFE'", limit: 3)
        #expect(
            one.plan == """
                merge of 2
                scan index (title[words]): title CONTAINS_ANY_TOKENS "CAFE"
                scan index (title[words]): long texts, which are tested
                """)
        #expect(one.names == ["p0", "p3", "p6"] && one.count == 100)
        let rare = try await test.query("SELF CONTAINS 'CAFE 27 28'", limit: 3)
        #expect(
            rare.plan == "scan postings of index (title[words]), index (tags[words]): "
                + #"SELF CONTAINS_ANY_TOKENS "CAFE 27 28""#)
        #expect(rare.names == ["p0", "p3", "p6"])
        #expect(rare.count == 101)
        let all = try await test.query("SELF CONTAINS_ALL_TOKENS 'cafe t3 common'", sort: "-createdTimestamp", limit: 2)
        #expect(all.names == ["p297", "p276"])
        #expect(all.json["plan"]?["sort"]?.string == "none")
        let sorted = try await test.query("title CONTAINS_ANY_TOKENS '\u{72AC}'", sort: "-n", limit: 2)
        #expect(sorted.names == ["p299", "p298"])
        let narrow = try await test.query("SELF CONTAINS_ALL_TOKENS 'blue 298'")
        #expect(narrow.names == ["p298"])
        #expect((narrow.examined ?? .max) < 90, "the rare word leads")
        #expect(try await test.query("SELF CONTAINS 'caf*' AND n < 4").names == ["p0", "p3"])
        #expect(try await test.query("SELF CONTAINS '\"red cafe 9\"'").names == ["p9"])
        #expect(try await test.query("SELF CONTAINS '\"cafe red\"'").names == [])
        #expect(try await test.query("NOT SELF CONTAINS 'common'").names == [])
        let both = try await test.query("SELF CONTAINS 'red' AND body CONTAINS 'bcdef 29'")
        #expect(both.names == ["p291", "p294", "p297"])
        #expect(
            both.plan.hasPrefix("scan postings of index (title[words]), index (tags[words]), index (body[contains])"))
        #expect(try await test.query("n == 5 OR SELF CONTAINS '297'").names == ["p5", "p297"])
        #expect(try await test.pages("SELF CONTAINS 'common'", limit: 7).count == 300)
    }

    @Test func `writes change what is found`() async throws {
        let test = try await sample()
        try await test.createAll([("p0", #""title":"green""#)], kind: "forceUpdate")
        #expect(try await test.query("SELF CONTAINS 'green'").names == ["p0"])
        #expect(try await test.query("SELF CONTAINS_ALL_TOKENS 'cafe 0'").names == [])
        // More words than an index takes of one record.
        let long = (0..<5_000).map { "w\($0)" }.joined(separator: " ")
        try await test.createAll([("long", #""title":"\#(long)","tags":["extra"]"#)])
        #expect(try await test.query("SELF CONTAINS 'w4711'").names == ["long"])
        #expect(try await test.query("SELF CONTAINS_ALL_TOKENS 'w1 extra'").names == ["long"])
        #expect(try await test.query("SELF CONTAINS_ALL_TOKENS 'w1 t3'").names == [])
        #expect(Set(try await test.query("SELF CONTAINS 'w471* green'", sort: "-rank()").names) == ["long", "p0"])
        try await test.createAll([("long", #""title":"short""#)], kind: "forceUpdate")
        #expect(try await test.query("SELF CONTAINS 'w4711'").names == [])
        #expect(try await test.query("SELF CONTAINS 'short'").names == ["long"])
        try await test.createAll([("long", "")], kind: "forceDelete")
        #expect(try await test.query("SELF CONTAINS 'short'").names == [])
    }

    @Test func `a search needs its index, which development adds`() async throws {
        let test = try TestDatabase(.production)
        try await test.putType(fields: #""a":{"type":"STRING","indexes":["QUERYABLE"]}"#)
        do {
            _ = try await test.query("a CONTAINS_ANY_TOKENS 'x'")
            Issue.record("no index was needed")
        } catch let error as RecordError {
            #expect(error.cause == .notIndexed)
            #expect(error.reason.contains("a[words]"), "\(error.reason)")
        }
        let development = try TestDatabase(.development)
        try await development.createAll([("p", #""a":"one two""#)])
        let page = try await development.query("a CONTAINS_ANY_TOKENS 'two'")
        #expect(page.names == ["p"])
        #expect(page.notices.first?["index"]?.string == "a[words]", "\(page.json)")
        // A query does not change what SELF searches.
        await #expect(throws: RecordError.self) { _ = try await development.query("SELF CONTAINS 'two'") }
    }

    @Test func `a search of many words in many fields is bounded`() async throws {
        let test = try TestDatabase(.production)
        let names = (0..<40).map { "f\($0)" }
        try await test.putType(
            fields: names.map { #""\#($0)":{"type":"STRING","indexes":["SEARCHABLE"]}"# }.joined(separator: ","))
        try await test.createAll((0..<50).map { ("p\($0)", #""f\#($0 % 40)":"w\#($0) common""#) })
        let words = (0..<31).map { "w\($0)" }.joined(separator: " ")
        #expect(try await test.query("SELF CONTAINS '\(words)'").count == 31)
        #expect(try await test.query("SELF CONTAINS_ALL_TOKENS '\(words)'").count == 0)
        #expect(try await test.query("SELF CONTAINS 'w1* com*'", sort: "-rank()", limit: 3).count == 50)
        let searches = names.prefix(30).map { "\($0) CONTAINS_ANY_TOKENS 'a b c d'" }.joined(separator: " OR ")
        #expect(try await test.query(searches).count == 0)
        do {
            let many = (0..<8).map { "SELF CONTAINS 'w\($0)'" }.joined(separator: " OR ")
            _ = try await test.query(many, sort: "-rank()")
            Issue.record("a rank of 328 numbers was computed")
        } catch let error as RecordError {
            #expect(error.cause == .tooLarge)
        }
    }

    @Test func `a sort by rank needs a search`() async throws {
        let test = try await sample()
        for condition in ["n > 3", "NOT SELF CONTAINS 'red'"] {
            do {
                _ = try await test.query(condition, sort: "-rank()")
                Issue.record("\(condition) was ranked")
            } catch let error as RecordError {
                #expect(error.reason.contains("needs a search"), "\(error.reason)")
            }
        }
    }

    /// Of the OR only one branch is left, whose scan has the searches in another order than the predicate. Words are
    /// nevertheless ranked by the statistics and weights of their own search.
    @Test func `a branch ranks by the searches of the whole predicate`() async throws {
        let test = try TestDatabase(.production)
        try await test.putType(fields: Self.fields, indexes: #"[{"fields":["body[words]"]}]"#)
        try await test.createAll(
            (0..<60).map { ("p\($0)", #""title":"cafe \#($0)","tags":["t\#($0 % 7)"],"body":"abcdef","n":\#($0)"#) }
                + (60..<400).map { ("p\($0)", #""title":"tea","body":"other","n":\#($0)"#) })
        let condition = "(n == 1 AND n == 2 OR body CONTAINS_ANY_TOKENS 'abcdef') AND SELF CONTAINS 'cafe t3 27'"
        let page = try await test.query(condition, sort: "-rank()", limit: 100)
        #expect(page.plan.hasPrefix("scan postings of"), "\(page.plan)")
        #expect(page.names.count == 60 && page.names.first == "p27", "\(page.names.prefix(5))")
        let plain = "body CONTAINS_ANY_TOKENS 'abcdef' AND SELF CONTAINS 'cafe t3 27'"
        #expect(try await test.query(plain, sort: "-rank()", limit: 100).names == page.names)
        #expect(try await test.pages(condition, sort: "-rank()", limit: 7) == page.names)
    }

    /// The order of a caller's own records does not depend on words of records that it may not read.
    @Test func `only callers that read all records rank by statistics`() async throws {
        let test = try TestDatabase(.production)
        try await test.putType(
            fields: #""text":{"type":"STRING","indexes":["SEARCHABLE"]}"#,
            grants: #"{"_icloud":["CREATE"],"_creator":["READ","WRITE"]}"#)
        let bob = try await test.signUp("bob").caller
        try await test.createAll([("probe", #""text":"kanqzqz""#), ("control", #""text":"qzqzctl""#)], as: bob)
        let search = "text CONTAINS_ANY_TOKENS 'kan* qzqzctl*'"
        #expect(try await test.query(search, sort: "-rank()", as: bob).names == ["probe", "control"])
        try await test.createAll((0..<9).map { ("hidden\($0)", #""text":"kangaroo merger""#) })
        #expect(try await test.query(search, sort: "-rank()", as: bob).names == ["probe", "control"])
        #expect(try await test.query(search, sort: "rank()", as: bob).names == ["probe", "control"])
        #expect(try await test.query(search, sort: "-rank()").names.first == "control")
    }

    /// Random records and searches: the order of the rank is that of BM25, computed here by its definition, on all pages
    /// in both directions, also when records change between pages.
    @Test(arguments: seeds(2)) func `the rank is that of BM25`(seed: Int) async throws {
        var random = SeededGenerator(seed: UInt64(seed))
        let test = try TestDatabase(.production)
        try await test.putType(fields: Self.fields)
        let words = ["red", "blue", "caf\u{E9}", "green", "\u{732B}\u{3068}", "one", "two", "three"]
        var texts: [String: (title: String, tags: [String])] = [:]
        func pick(_ most: Int) -> [String] {
            (0..<Int.random(in: 0...most, using: &random)).map { _ in words[Int.random(in: 0..<8, using: &random)] }
        }
        for number in 0..<60 { texts["p\(number)"] = (pick(12).joined(separator: " "), pick(3)) }
        try await test.createAll(
            texts.sorted { $0.key < $1.key }.map { name, text in
                let tags = text.tags.map { "\"\($0)\"" }.joined(separator: ",")
                return (name, #""title":"\#(text.title)","tags":[\#(tags)],"n":\#(name.count)"#)
            })
        var plans: Set<Substring> = []
        for (search, weights) in [
            ("red", ""), ("red cafe two*", "title^3"), ("\u{3068} one", "tags^0.5"), ("\"red blue\" green", ""),
        ] {
            let operation = seed % 2 == 0 ? "CONTAINS_ANY_TOKENS" : "CONTAINS_ALL_TOKENS"
            let text = try SearchText(search, mode: seed % 2 == 0 ? .any : .all)
            let ranks = Self.ranks(
                texts, text, titleWeight: weights == "title^3" ? 3 : 1,
                tagWeight: weights == "tags^0.5" ? 0.5 : 1)
            for filter in ["", " AND n > 2", " OR n == 1"] {
                let condition = "SELF \(operation) '\(search)'\(filter)"
                let names = try await test.pages(condition, sort: "-rank(\(weights)),n", limit: 7)
                let wanted = ranks.filter { filter != " AND n > 2" || $0.key.count > 2 }
                #expect(Set(names) == Set(wanted.keys), "\(condition)")
                for (one, other) in zip(names, names.dropFirst()) {
                    let (left, right) = (wanted[one] ?? 0, wanted[other] ?? 0)
                    #expect(left > right - 1e-9, "\(condition): \(one) \(left), \(other) \(right)")
                }
                plans.insert(try await test.query(condition, sort: "-rank(\(weights))", limit: 3).plan.prefix(13))
            }
        }
        #expect(plans.count > 1, "the rank came from postings and from records: \(plans)")
        // The numbers of the words stay those of the first page.
        let condition = "SELF CONTAINS 'red blue one'"
        let before = try await test.query(condition, sort: "-rank()", limit: 1_000).names
        var added = 0
        let walked = try await test.pages(condition, sort: "-rank()", limit: 5) {
            guard added < 3 else { return }
            try await test.createAll((0..<20).map { ("new\(added)-\($0)", #""title":"red red""#) })
            added += 1
        }
        #expect(walked.filter { !$0.hasPrefix("new") } == before)
    }

    private static func ranks(
        _ texts: [String: (title: String, tags: [String])], _ search: SearchText, titleWeight: Double,
        tagWeight: Double
    ) -> [String: Double] {
        func length(_ texts: [String]) -> Double {
            Double(FieldLength(texts.reduce(0) { $0 + TextToken.tokens(of: Array($1.utf8)).count }).count)
        }
        let documents = texts.mapValues { [[$0.title], $0.tags] }
        let average = (0..<2).map { field in
            documents.values.reduce(0) { $0 + length($1[field]) } / Double(documents.count)
        }
        func count(_ word: Int, _ texts: [String]) -> Double {
            var matcher = SearchMatcher(search)
            for text in texts { matcher.add(Array(text.utf8)) }
            return Double(matcher.frequency(ofWord: word))
        }
        func entries(_ term: SearchWord.Term) -> Int {
            documents.values.reduce(0) { sum, fields in
                sum
                    + fields.reduce(0) { sum, texts in
                        sum
                            + Set(texts.flatMap { TextToken.tokens(of: Array($0.utf8)).map(\.term) })
                            .count(where: term.matches)
                    }
            }
        }
        var ranks: [String: Double] = [:]
        for (name, fields) in documents where search.matches(fields.joined().map { Array($0.utf8) }) {
            var sum = 0.0
            for (number, word) in search.words.enumerated() {
                let n = Double(min(word.indexTerms.map(entries).min() ?? 0, documents.count))
                let idf = log(1 + (Double(documents.count) - n + 0.5) / (n + 0.5))
                var t = 0.0
                for (field, weight) in [(0, titleWeight), (1, tagWeight)] {
                    t +=
                        weight * count(number, fields[field])
                        / (1 - 0.75 + 0.75 * length(fields[field]) / max(1, average[field]))
                }
                sum += idf * t * 2.2 / (1.2 + t)
            }
            ranks[name] = sum
        }
        return ranks
    }

    @Test func `a caller finds only what it may read`() async throws {
        let test = try TestDatabase(.production)
        try await test.putType(
            fields: #""a":{"type":"STRING","indexes":["SEARCHABLE"],"read":["_creator"]},"#
                + #""b":{"type":"STRING","indexes":["SEARCHABLE"]}"#,
            grants: #"{"_world":["READ"],"_icloud":["CREATE"],"_creator":["WRITE"]}"#)
        let ann = try await test.signUp("ann").caller
        let bob = try await test.signUp("bob").caller
        try await test.createAll([("p", #""a":"secret word","b":"open word""#)], as: ann)
        // As other conditions, SELF uses fields that the caller may read in all records.
        for caller in [ann, bob] { #expect(try await test.query("SELF CONTAINS 'secret'", as: caller).names == []) }
        for condition in ["a CONTAINS_ANY_TOKENS 'secret'", "NOT a CONTAINS_ANY_TOKENS 'x'"] {
            let names = try? await test.query(condition, as: bob).names
            #expect((names ?? []).isEmpty, "\(condition)")
        }
        #expect(try await test.query("b CONTAINS_ANY_TOKENS 'open'", as: bob).names == ["p"])
    }
}

/// Texts with the words found.
@Suite struct HighlightTests {
    private func page(_ test: TestDatabase, _ condition: String, _ fields: [String], length: Int? = nil) async throws
        -> JSONValue
    {
        var request = try test.queryRequest(condition)
        request.input.highlight = fields
        request.input.highlightLength = length
        try test.reader.refresh()
        return try await test.reader.queries.run(request).object
    }

    @Test func `a page shows the words found, record by record`() async throws {
        let test = try TestDatabase(.production)
        try await test.putType(
            fields: #""title":{"type":"STRING","indexes":["SEARCHABLE"]},"#
                + #""tags":{"type":"STRING_LIST","indexes":["SEARCHABLE"]},"n":{"type":"INT64"}"#)
        let long = Array(repeating: "filler", count: 100).joined(separator: " ")
        try await test.createAll([
            ("a", #""title":"A red caf\#u{E9}, red again","tags":["x","deep red","red"]"#),
            ("b", #""title":"\#(long) RED \#(long)""#), ("c", #""tags":["red"]"#),
        ])
        let found = try await page(test, "SELF CONTAINS 'red cafe'", ["title", "tags"], length: 40)
        let expected = try JSONValue.parse(
            Array(
                """
                [{"title":{"parts":[{"text":"A "},{"text":"red","match":true},{"text":" "},
                {"text":"caf\u{E9}","match":true},{"text":", "},{"text":"red","match":true},{"text":" again"}]},
                "tags":{"parts":[{"text":"deep "},{"text":"red","match":true}]}},
                {"title":{"parts":[{"text":"filler filler "},{"text":"RED","match":true},{"text":" filler filler filler"}],
                "cutBefore":true,"cutAfter":true}},{"tags":{"parts":[{"text":"red","match":true}]}}]
                """.utf8))
        #expect(found["highlights"] == expected, "\(String(decoding: found["highlights"]?.bytes ?? [], as: UTF8.self))")
        #expect(try await page(test, "SELF CONTAINS 'nothing'", ["title"])["highlights"] == .array([]))
        #expect(try await page(test, "SELF CONTAINS 'red'", [])["highlights"] == nil)
    }

    @Test(arguments: [("n > 3", "n", 5), ("SELF CONTAINS 'x'", "n", 5), ("SELF CONTAINS 'x'", "title", 0)])
    func `a highlight that makes no sense is rejected`(condition: String, field: String, length: Int) async throws {
        let test = try TestDatabase(.production)
        try await test.putType(
            fields: #""title":{"type":"STRING","indexes":["SEARCHABLE"]},"n":{"type":"INT64","indexes":["QUERYABLE"]}"#)
        do {
            _ = try await page(test, condition, [field], length: length)
            Issue.record("\(condition) with \(field) was taken")
        } catch let error as RecordError {
            #expect(error.code == .badRequest)
        }
    }
}
