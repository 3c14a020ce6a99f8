import Testing
import UnicodeText

@Suite struct NearestWordTests {
    @Test(arguments: [("kitten", "sitting", 3), ("ab", "ba", 1), ("", "abc", 3), ("abc", "", 3), ("same", "same", 0)])
    func `distance counts letters, and a swap as one`(left: String, right: String, distance: Int) {
        #expect(NearestWord.distance(Array(left), Array(right)) == distance)
    }

    @Test func `a word is near if at most a third of it differs, and the nearest one wins`() {
        let known = ["title", "titles", "description", "名前"]
        for (word, nearest) in [
            ("titel", "title"), ("TITLE", "title"), ("titless", "titles"), ("descripton", "description"),
            ("名刺", nil), ("price", nil), ("", nil), (String(repeating: "x", count: 65), nil),
        ] {
            #expect(NearestWord.find(word, among: known, allowing: 0) == nearest, "\(word)")
        }
        #expect(NearestWord.find("名刺", among: known, allowing: 1) == "名前")
        let letters = { (word: String) in word.filter(\.isLetter).lowercased() }
        #expect(NearestWord.find("ti-tel", among: ["Title"], allowing: 1, by: letters) == "Title")
        // Only the first words are compared: a file may have ten thousand columns.
        #expect(NearestWord.find("titel", among: Array(repeating: "x", count: 1_000) + ["title"], allowing: 1) == nil)
    }
}
