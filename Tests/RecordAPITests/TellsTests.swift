import TestSupport
import Testing

@Suite struct TellsTests {
    @Test(arguments: [
        (#"{"hash":"x"}"#, "hash"), (#"{"tokenHash":""}"#, "Hash"), ("/records/Post/s1", "s1"), ("cost=731", "cost"),
        ("hush", "hush"), ("mzhidden9shYlINIK", "hidden9s"),
    ]) func `a word is found as such, within other words, and in addresses`(_ text: String, _ word: String) {
        #expect(text.tells(word))
    }

    @Test(arguments: [
        ("09mittgfgxp8dh0mzhashylinikblwu=", "hash"), ("\"6z6mks1p\"", "s1"), ("s2", "s1"), ("", "s1"), ("s", "s1"),
    ]) func `a word is not found in random identifiers`(_ text: String, _ word: String) {
        #expect(!text.tells(word))
    }
}
