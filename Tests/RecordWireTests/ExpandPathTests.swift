import RecordModel
import RecordWire
import Testing

/// The text of `expand`.
@Suite struct ExpandPathTests {
    @Test func `paths lead forward and backward`() throws {
        let comment = try #require(RecordTypeName("Comment"))
        let paths = try QueryInput.expand(
            "author, comments . author,Comment.post(limit=3,sort=-createdTimestamp,title),Comment.about( ).author,author"
        )
        let sort = [SortInput(name: "createdTimestamp", isAscending: false), SortInput(name: "title")]
        #expect(
            paths == [
                ExpandPath(first: .forward("author")), ExpandPath(first: .forward("comments"), second: "author"),
                ExpandPath(
                    first: .backward(BackwardStep(typeName: comment, field: "post", limit: 3, sort: sort))),
                ExpandPath(first: .backward(BackwardStep(typeName: comment, field: "about")), second: "author"),
            ])
    }

    @Test(arguments: [
        "", ",", "a,", "a..b", ".a", "a.", "a.b.c", "Comment.post(", "Comment.post)", "Comment.post(limit)",
        "Comment.post(limit=0)", "Comment.post(limit=101)", "Comment.post(limit=-1)", "Comment.post(limit=1,limit=1)",
        "Comment.post(limit=1,title)", "Comment.post(sort=)", "Comment.post().a.b",
        "Comment.post().Post.author()", "a.Comment.post()", "post(limit=1)", "a b)", "Comment.post()x",
        "Comment.post(limit=1),Comment.post(limit=2)", "Comment.post(sort=a),Comment.post().author",
        "Comment.post(limit=99999999999999999999)",
    ])
    func `malformed text is rejected`(text: String) {
        let error = #expect(throws: RecordError.self) { try QueryInput.expand(text) }
        #expect(error?.code == .badRequest)
    }

    @Test func `paths and text have limits`() throws {
        let most = (0..<Limits.expandPaths).map { "f\($0)" }
        #expect(try QueryInput.expand(most.joined(separator: ",")).count == Limits.expandPaths)
        for text in [
            (most + ["one"]).joined(separator: ","), "a" + String(repeating: " ", count: Limits.expandBytes),
            "Comment.post(sort=" + (0...Limits.sortTerms).map { "f\($0)" }.joined(separator: ",") + ")",
        ] {
            let error = #expect(throws: RecordError.self) { try QueryInput.expand(text) }
            #expect(error?.cause == .tooLarge, "\(text)")
        }
    }

    @Test func `a body has one text or a list`() throws {
        for json in [#""author,links.author""#, #"["author","links.author"]"#, #"["author,links.author"]"#] {
            let input = try QueryInput.read(Array(#"{"recordType":"Post","expand":\#(json)}"#.utf8))
            #expect(input.expand == (try QueryInput.expand("author,links.author")))
        }
        for json in ["[1]", "{}", "7"] {
            #expect(throws: RecordError.self) {
                try QueryInput.read(Array(#"{"recordType":"Post","expand":\#(json)}"#.utf8))
            }
        }
        #expect(try QueryInput.read(Array(#"{"recordType":"Post","expand":null}"#.utf8)).expand.isEmpty)
    }
}
